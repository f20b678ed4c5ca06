//! The write-ahead log (WAL): batches that are acknowledged but not in a segment file yet.
//!
//! A file begins with a header: a magic number, a seed that hardly another file has, and a checksum of both. An entry is a
//! batch: its length, its checksum, its position, its operations. The checksum covers the seed and the checksum before it
//! too, so a replay ends at the first entry that does not follow on the one before it, whatever a power loss left
//! there: a part of an entry, a hole of zeros with later entries behind it, or what another file once had there. Where it
//! cannot be a power loss, it is damage, and nothing of the index is changed: what was synced is broken
//! ([`wal_entry`](super::wal_entry)), or a later file has entries, before which all of this one was synced.
//!
//! A batch without a position is synced before it is acknowledged. One with a position is not: its source is read again
//! from the position of the index, so what a crash of the machine takes from the end of the WAL comes again.
//!
//! Files of earlier versions are read, and never written: checksums do not cover the seed, or there is no header, and each
//! checksum is of its entry alone.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::Path;

use cantata_durable_file as durable_file;
use cantata_engine::WriteOperation;

use super::wal_entry::{ChecksumChain, ENTRY_HEADER_BYTES, POSITION_FLAG, StoredEntry, take, take_length, was_synced};
use super::{file_number, source_bytes};
use crate::error::IndexError;
use crate::varint;

/// The beginning of a file. As the length of an entry, which a file without a header begins with, it would be absurd.
/// No flip of one bit makes it the one of an earlier version.
const MAGIC: [u8; 8] = *b"WAL\xffCAN4";

/// The beginning of a file whose checksums do not cover its seed of 8 bytes.
const MAGIC_WITHOUT_SEED: [u8; 8] = *b"WAL\xffCAN2";

/// Magic number, seed and checksum.
const FILE_HEADER_BYTES: usize = MAGIC.len() + 4 + 4;

/// The WAL file that batches are appended to.
pub(crate) struct WriteAheadLog {
    /// Nothing before the first file of an opened index was created.
    file: Option<fs_err::File>,
    /// The length of the header and the entries.
    bytes: u64,
    /// The length at the end of the last change that succeeded.
    confirmed_bytes: u64,
    /// The checksums up to the last entry.
    chain: ChecksumChain,
    is_synced: bool,
}

/// Returns the name of a WAL file.
pub(crate) fn file_name(number: u64) -> String {
    format!("{number}.log")
}

/// Returns the number of a WAL file; nothing for other files.
pub(crate) fn file_number(file: &str) -> Option<u64> {
    file_number::parse(file, "log")
}

/// Returns the numbers of the WAL files in a folder from one number on, in order.
pub(crate) fn file_numbers(folder: &Path, first: u64) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        numbers.extend(entry?.file_name().to_str().and_then(file_number).filter(|number| *number >= first));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the header of a file.
fn file_header(seed: u32) -> [u8; FILE_HEADER_BYTES] {
    let mut header = [0; FILE_HEADER_BYTES];
    let (covered, checksum) = header.split_at_mut(FILE_HEADER_BYTES - 4);
    covered[..MAGIC.len()].copy_from_slice(&MAGIC);
    covered[MAGIC.len()..].copy_from_slice(&seed.to_le_bytes());
    checksum.copy_from_slice(&crc32fast::hash(covered).to_le_bytes());
    header
}

/// Returns the chain of checksums that begins with a header; nothing if it is none.
fn chain_of(header: &[u8; FILE_HEADER_BYTES]) -> Option<ChecksumChain> {
    let &[.., s0, s1, s2, s3, _, _, _, _] = header;
    let seed = u32::from_le_bytes([s0, s1, s2, s3]);
    if *header == file_header(seed) {
        return Some(ChecksumChain::new(seed));
    }
    header.starts_with(&MAGIC_WITHOUT_SEED).then(|| ChecksumChain::without_seed(header))
}

impl WriteAheadLog {
    /// Returns a WAL without a file, to which nothing can be appended.
    pub(crate) fn without_file() -> Self {
        let bytes = FILE_HEADER_BYTES as u64;
        Self { file: None, bytes, confirmed_bytes: bytes, chain: ChecksumChain::new(0), is_synced: true }
    }

    /// Creates a WAL file without entries; its name is durable when this returns. After an error there is no file: tried
    /// again and again, as on a full disk, this would leave many.
    pub(crate) fn create(folder: &Path, number: u64) -> io::Result<Self> {
        let seed = RandomState::new().hash_one(number) as u32;
        let path = folder.join(file_name(number));
        let mut file = durable_file::create_new_private(&path)?;
        let written = file.write_all(&file_header(seed)).and_then(|()| file.sync_all());
        written.and_then(|()| durable_file::sync_folder(folder)).inspect_err(|_| {
            let _ = fs_err::remove_file(&path);
        })?;
        Ok(Self { file: Some(file), chain: ChecksumChain::new(seed), ..Self::without_file() })
    }

    /// Returns the bytes of the entries.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes - FILE_HEADER_BYTES as u64
    }

    /// Appends a batch; when this returns, it survives a crash of the process, and without a position one of the machine.
    /// After an error the file may have a part of the batch, so nothing may be appended any more.
    pub(crate) fn append<'a>(
        &mut self,
        batch: impl Iterator<Item = &'a WriteOperation> + Clone,
        position: Option<&str>,
    ) -> io::Result<()> {
        let mut entry = Vec::with_capacity(
            ENTRY_HEADER_BYTES + position.map_or(0, str::len) + batch.clone().map(max_bytes).sum::<usize>(),
        );
        entry.resize(ENTRY_HEADER_BYTES, 0);
        if let Some(position) = position {
            varint::write(&mut entry, position.len() as u64);
            entry.extend_from_slice(position.as_bytes());
        }
        for operation in batch {
            // A document is never empty, so its length tells it from a delete operation.
            let (id, source) = match operation {
                WriteOperation::Put { id, source } => (id, source.as_slice()),
                WriteOperation::Delete { id } => (id, [].as_slice()),
            };
            varint::write(&mut entry, source.len() as u64);
            varint::write(&mut entry, id.len() as u64);
            entry.extend_from_slice(id.as_bytes());
            entry.extend_from_slice(source);
        }
        let length = u32::try_from(entry.len() - ENTRY_HEADER_BYTES).ok().filter(|length| length & POSITION_FLAG == 0);
        let length = length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a batch has 2 GiB or more"))?;
        let flag = if position.is_some() { POSITION_FLAG } else { 0 };
        let length = (length | flag).to_le_bytes();
        let checksum = self.chain.checksum_of(length, &entry[ENTRY_HEADER_BYTES..]);
        entry[..4].copy_from_slice(&length);
        entry[4..ENTRY_HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
        self.is_synced = false;
        self.open_file()?.write_all(&entry)?;
        if position.is_none() {
            self.sync()?;
        }
        self.bytes += entry.len() as u64;
        self.chain = self.chain.after(checksum);
        Ok(())
    }

    /// Says that the change succeeded to which the last entries belong.
    pub(crate) fn confirm(&mut self) {
        self.confirmed_bytes = self.bytes;
    }

    /// Removes what a failed change left, a part of an entry or a whole one. Nothing may be appended any more.
    pub(crate) fn remove_unconfirmed(&self) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        file.set_len(self.confirmed_bytes)?;
        file.sync_all()
    }

    /// Opens the file once more, to sync it while batches are appended. A clone of the handle would not do: the system
    /// reports a failed write to one sync of each opened file, and the append that it concerns must be told.
    pub(crate) fn file(&self) -> io::Result<fs_err::File> {
        fs_err::OpenOptions::new().write(true).open(self.open_file()?.path())
    }

    fn open_file(&self) -> io::Result<&fs_err::File> {
        self.file.as_ref().ok_or_else(|| io::Error::other("the write-ahead log has no file yet"))
    }

    /// Makes all entries survive a crash of the machine.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.open_file()?.sync_data()?;
            self.is_synced = true;
        }
        Ok(())
    }
}

/// Returns a bound of the bytes of an operation: its lengths, its id and its document.
fn max_bytes(operation: &WriteOperation) -> usize {
    const MAX_LENGTHS_BYTES: usize = 20;
    let (WriteOperation::Put { id, .. } | WriteOperation::Delete { id }) = operation;
    MAX_LENGTHS_BYTES + id.len() + source_bytes(operation)
}

/// The writes of WAL files, which are read one after the other.
#[derive(Default)]
pub(crate) struct RecoveredWrites {
    /// The operations, in order.
    pub(crate) operations: Vec<WriteOperation>,
    /// The position of the last batch that had one.
    pub(crate) position: Option<String>,
    /// Whether files may be of an earlier version.
    is_earlier_format: bool,
    /// The last file with a broken entry.
    broken_file: Option<String>,
}

impl RecoveredWrites {
    /// Returns no writes. Files without a header are read only if they may be of an earlier version.
    pub(crate) fn new(is_earlier_format: bool) -> Self {
        Self { is_earlier_format, ..Self::default() }
    }

    /// Adds the writes of a WAL file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, if it or one before it is not as it was synced, or if it has an entry that was never written,
    /// although its checksum is right.
    pub(crate) fn read_file(&mut self, folder: &Path, number: u64) -> Result<(), IndexError> {
        let file = file_name(number);
        let bytes = fs_err::read(folder.join(&file))?;
        let damaged = |file: &str, found: &str| IndexError::Damaged { file: file.to_owned(), found: found.to_owned() };
        let header = bytes.split_first_chunk::<FILE_HEADER_BYTES>();
        let (mut chain, mut rest) = match header.map(|(header, entries)| (chain_of(header), entries)) {
            Some((Some(chain), entries)) => (Some(chain), entries),
            _ if self.is_earlier_format => (None, bytes.as_slice()),
            // The header is synced before the first entry is written.
            Some((None, [])) | None => return Ok(()),
            Some((None, _)) => return Err(damaged(&file, "its header is not one of a log")),
        };
        while !rest.is_empty() {
            let entry = StoredEntry::first_of(rest).filter(|entry| {
                let computed = match chain {
                    Some(chain) => entry.checksum_after(chain),
                    None => crc32fast::hash(entry.content),
                };
                computed == entry.checksum
            });
            let Some(entry) = entry else {
                if chain.is_some_and(|chain| was_synced(chain, rest)) {
                    return Err(damaged(&file, "it has acknowledged writes behind a part whose checksum is wrong"));
                }
                self.broken_file = chain.map(|_| file);
                break;
            };
            if let Some(broken) = &self.broken_file {
                return Err(damaged(broken, "the checksum of its end is wrong, and the log after it has writes"));
            }
            if self.read_entry(entry.content, entry.has_position).is_none() {
                return Err(damaged(&file, "it has an entry of another form"));
            }
            chain = chain.map(|chain| chain.after(entry.checksum));
            rest = entry.following;
        }
        Ok(())
    }

    /// Reads an entry; returns nothing if it is not one.
    fn read_entry(&mut self, mut entry: &[u8], has_position: bool) -> Option<()> {
        if has_position {
            let length = take_length(&mut entry)?;
            self.position = Some(take_text(&mut entry, length)?);
        }
        while !entry.is_empty() {
            let source_length = take_length(&mut entry)?;
            let id_length = take_length(&mut entry)?;
            let id = take_text(&mut entry, id_length)?;
            let source = take(&mut entry, source_length)?;
            self.operations.push(if source.is_empty() {
                WriteOperation::Delete { id }
            } else {
                WriteOperation::Put { id, source: source.to_vec() }
            });
        }
        Some(())
    }
}

fn take_text(bytes: &mut &[u8], length: usize) -> Option<String> {
    std::str::from_utf8(take(bytes, length)?).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests;
