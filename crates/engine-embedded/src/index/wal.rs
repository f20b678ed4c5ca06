//! The write-ahead log (WAL): batches that are acknowledged but not in a segment file yet.
//!
//! A file begins with a header: a magic number, and a seed that no other file has. An entry is a batch: its length, its
//! checksum, its position, its operations. The checksum covers the checksum before it too, that of the entry before or of
//! the header. So a replay ends at the first entry that does not follow on the one before it, whatever a power loss left
//! there: a part of an entry, a hole of zeros with later entries behind it, or what another file once had there. Where it
//! cannot be a power loss, it is damage, and nothing of the index is changed: what was synced is broken
//! ([`wal_entry`](super::wal_entry)), or a later file has entries, before which all of this one was synced.
//!
//! A batch without a position is synced before it is acknowledged. One with a position is not: its source is read again
//! from the position of the index, so what a crash of the machine takes from the end of the WAL comes again.
//!
//! Files of earlier versions have no header, and each checksum is of its entry alone. They are read, and never written.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::Path;

use cantata_durable_file as durable_file;
use cantata_engine::WriteOperation;

use super::wal_entry::{ENTRY_HEADER_BYTES, POSITION_FLAG, StoredEntry, chained_checksum, was_synced};
use super::{file_number, source_bytes};
use crate::error::IndexError;
use crate::varint;

/// The beginning of a file. As the length of an entry, which a file without a header begins with, it would be absurd.
const MAGIC: [u8; 8] = *b"WAL\xffCAN2";

/// Magic number and seed.
const FILE_HEADER_BYTES: usize = MAGIC.len() + 8;

/// The WAL file that batches are appended to.
pub(crate) struct WriteAheadLog {
    /// Nothing before the first file of an opened index was created.
    file: Option<fs_err::File>,
    /// The length of the header and the entries.
    bytes: u64,
    /// The length at the end of the last change that succeeded.
    confirmed_bytes: u64,
    /// The checksum of the last entry, or of the header.
    checksum: u32,
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

impl WriteAheadLog {
    /// Returns a WAL without a file, to which nothing can be appended.
    pub(crate) fn without_file() -> Self {
        let bytes = FILE_HEADER_BYTES as u64;
        Self { file: None, bytes, confirmed_bytes: bytes, checksum: 0, is_synced: true }
    }

    /// Creates a WAL file without entries; its name is durable when this returns. After an error there is no file: tried
    /// again and again, as on a full disk, this would leave many.
    pub(crate) fn create(folder: &Path, number: u64) -> io::Result<Self> {
        let mut header = [0; FILE_HEADER_BYTES];
        let (magic, seed) = header.split_at_mut(MAGIC.len());
        magic.copy_from_slice(&MAGIC);
        seed.copy_from_slice(&RandomState::new().hash_one(number).to_le_bytes());
        let path = folder.join(file_name(number));
        let mut file = durable_file::create_new_private(&path)?;
        let written = file.write_all(&header).and_then(|()| file.sync_all());
        written.and_then(|()| durable_file::sync_folder(folder)).inspect_err(|_| {
            let _ = fs_err::remove_file(&path);
        })?;
        Ok(Self { file: Some(file), checksum: crc32fast::hash(&header), ..Self::without_file() })
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
        let checksum = chained_checksum(self.checksum, length, &entry[ENTRY_HEADER_BYTES..]);
        entry[..4].copy_from_slice(&length);
        entry[4..ENTRY_HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
        self.is_synced = false;
        self.open_file()?.write_all(&entry)?;
        if position.is_none() {
            self.sync()?;
        }
        self.bytes += entry.len() as u64;
        self.checksum = checksum;
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
        let (mut checksum, mut rest) = match bytes.split_first_chunk::<FILE_HEADER_BYTES>() {
            Some((header, entries)) if header.starts_with(&MAGIC) => (Some(crc32fast::hash(header)), entries),
            _ if self.is_earlier_format => (None, bytes.as_slice()),
            // The header is synced before the first entry is written.
            Some((_, [])) | None => return Ok(()),
            Some(_) => return Err(damaged(&file, "its header is not one of a log")),
        };
        while !rest.is_empty() {
            let entry = StoredEntry::first_of(rest).filter(|entry| {
                let computed = match checksum {
                    Some(before) => entry.checksum_after(before),
                    None => crc32fast::hash(entry.content),
                };
                computed == entry.checksum
            });
            let Some(entry) = entry else {
                if checksum.is_some_and(|before| was_synced(before, rest)) {
                    return Err(damaged(&file, "it has acknowledged writes behind a part whose checksum is wrong"));
                }
                self.broken_file = checksum.map(|_| file);
                break;
            };
            if let Some(broken) = &self.broken_file {
                return Err(damaged(broken, "the checksum of its end is wrong, and the log after it has writes"));
            }
            if self.read_entry(entry.content, entry.has_position).is_none() {
                return Err(damaged(&file, "it has an entry of another form"));
            }
            checksum = checksum.map(|_| entry.checksum);
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

fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    let mut offset = 0;
    let length = varint::read(bytes, &mut offset);
    take(bytes, offset)?;
    usize::try_from(length).ok()
}

fn take_text(bytes: &mut &[u8], length: usize) -> Option<String> {
    std::str::from_utf8(take(bytes, length)?).ok().map(str::to_owned)
}

/// Takes bytes from the beginning; nothing if there are fewer.
fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let all: &'a [u8] = bytes;
    let (taken, rest) = all.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn removal(id: &str) -> WriteOperation {
        WriteOperation::Delete { id: id.to_owned() }
    }

    fn read(folder: &Path, number: u64) -> Result<RecoveredWrites, IndexError> {
        let mut read = RecoveredWrites::default();
        read.read_file(folder, number).map(|()| read)
    }

    fn read_earlier(folder: &Path, number: u64) -> Result<RecoveredWrites, IndexError> {
        let mut read = RecoveredWrites::new(true);
        read.read_file(folder, number).map(|()| read)
    }

    #[track_caller]
    fn assert_damaged(read: Result<RecoveredWrites, IndexError>, expected: &str) {
        assert!(matches!(read.err(), Some(IndexError::Damaged { file, .. }) if file == expected));
    }

    /// Writes a file as earlier versions did: without a header, and without chained checksums.
    fn write_without_header(folder: &Path, number: u64, entries: &[(u32, &[u8])]) {
        let mut bytes = Vec::new();
        for (flag, entry) in entries {
            bytes.extend_from_slice(&(entry.len() as u32 | flag).to_le_bytes());
            bytes.extend_from_slice(&crc32fast::hash(entry).to_le_bytes());
            bytes.extend_from_slice(entry);
        }
        fs_err::write(folder.join(file_name(number)), bytes).unwrap();
    }

    #[test]
    fn entries_are_read_in_order_with_their_last_position() {
        let folder = tempfile::tempdir().unwrap();
        let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
        assert_eq!(wal.bytes(), 0);
        wal.append([removal("one")].iter(), None).unwrap();
        wal.append([].iter(), None).unwrap();
        wal.append([removal("two")].iter(), Some("2")).unwrap();
        let put = WriteOperation::Put { id: "three".to_owned(), source: b"{}".to_vec() };
        wal.append([put.clone()].iter(), None).unwrap();
        let read = read(folder.path(), 1).unwrap();
        assert_eq!(read.operations, [removal("one"), removal("two"), put]);
        assert_eq!(read.position.as_deref(), Some("2"));
    }

    #[test]
    fn nothing_behind_a_hole_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
        let mut ends = vec![FILE_HEADER_BYTES];
        for id in ["one", "two", "three"] {
            wal.append([removal(id)].iter(), Some(id)).unwrap();
            ends.push(wal.bytes as usize);
        }
        let bytes = fs_err::read(folder.path().join(file_name(1))).unwrap();
        let path = folder.path().join(file_name(2));
        for (entry, hole) in ends.windows(2).enumerate() {
            let mut with_hole = bytes.clone();
            with_hole[hole[0]..hole[1]].fill(0);
            fs_err::write(&path, &with_hole).unwrap();
            assert_eq!(read(folder.path(), 2).unwrap().operations.len(), entry, "zeros instead of entry {entry}");
            let without: Vec<u8> = [&bytes[..hole[0]], &bytes[hole[1]..]].concat();
            fs_err::write(&path, &without).unwrap();
            assert_eq!(read(folder.path(), 2).unwrap().operations.len(), entry, "without entry {entry}");
        }
    }

    /// The second and third entry have no position, so the first two were synced, whatever the first one has.
    #[test]
    fn a_flip_anywhere_before_the_last_entry_is_damage() {
        for position in [None, Some("1")] {
            let folder = tempfile::tempdir().unwrap();
            let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
            wal.append([removal("one")].iter(), position).unwrap();
            wal.append([removal("two")].iter(), None).unwrap();
            let synced = wal.bytes as usize;
            wal.append([removal("three")].iter(), None).unwrap();
            let path = folder.path().join(file_name(1));
            let bytes = fs_err::read(&path).unwrap();
            for bit in 0..8 * bytes.len() {
                let mut flipped = bytes.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                fs_err::write(&path, &flipped).unwrap();
                if bit / 8 < synced {
                    assert_damaged(read(folder.path(), 1), "1.log");
                } else {
                    // As a power loss leaves it.
                    assert_eq!(read(folder.path(), 1).unwrap().operations.len(), 2, "bit {bit}");
                }
            }
            let mut without_header = bytes;
            without_header[..FILE_HEADER_BYTES].fill(0);
            fs_err::write(&path, &without_header).unwrap();
            assert_damaged(read(folder.path(), 1), "1.log");
        }
    }

    #[test]
    fn a_header_that_a_power_loss_tore_has_no_entries() {
        let folder = tempfile::tempdir().unwrap();
        for length in 0..=FILE_HEADER_BYTES {
            fs_err::write(folder.path().join(file_name(1)), vec![0; length]).unwrap();
            assert_eq!(read(folder.path(), 1).unwrap().operations, []);
        }
    }

    /// A file is synced before there is an entry in the next one. Without entries, that may be of a later life, in which the
    /// end of the file before it was already torn.
    #[test]
    fn a_torn_file_before_one_with_entries_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = WriteAheadLog::create(folder.path(), 1).unwrap();
        first.append([removal("one")].iter(), None).unwrap();
        first.append([removal("two")].iter(), Some("2")).unwrap();
        let path = folder.path().join(file_name(1));
        let bytes = fs_err::read(&path).unwrap();
        let read_both = || -> Result<RecoveredWrites, IndexError> {
            let mut read = RecoveredWrites::default();
            read.read_file(folder.path(), 1)?;
            read.read_file(folder.path(), 2).map(|()| read)
        };
        let mut second = WriteAheadLog::create(folder.path(), 2).unwrap();
        fs_err::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(read_both().unwrap().operations, [removal("one")]);
        second.append([removal("three")].iter(), Some("3")).unwrap();
        assert_damaged(read_both(), "1.log");
        fs_err::write(&path, &bytes).unwrap();
        assert_eq!(read_both().unwrap().operations, [removal("one"), removal("two"), removal("three")]);
    }

    #[test]
    fn entries_of_another_file_do_not_follow() {
        let folder = tempfile::tempdir().unwrap();
        let entries_of = |number: u64| {
            let mut wal = WriteAheadLog::create(folder.path(), number).unwrap();
            wal.append([removal("one")].iter(), None).unwrap();
            fs_err::read(folder.path().join(file_name(number))).unwrap()
        };
        let (first, second) = (entries_of(1), entries_of(2));
        let mixed = [&first[..FILE_HEADER_BYTES], &second[FILE_HEADER_BYTES..]].concat();
        fs_err::write(folder.path().join(file_name(3)), mixed).unwrap();
        assert_eq!(read(folder.path(), 3).unwrap().operations, []);
    }

    #[test]
    fn files_of_earlier_versions_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let entries: [(u32, &[u8]); 3] = [(0, b"\x00\x03one"), (0, b""), (POSITION_FLAG, b"\x012\x02\x01x{}")];
        write_without_header(folder.path(), 1, &entries);
        let read = read_earlier(folder.path(), 1).unwrap();
        let put = WriteOperation::Put { id: "x".to_owned(), source: b"{}".to_vec() };
        assert_eq!(read.operations, [removal("one"), put]);
        assert_eq!(read.position.as_deref(), Some("2"));
    }

    #[test]
    fn forged_lengths_are_damage() {
        let folder = tempfile::tempdir().unwrap();
        let endless = [0xff_u8; 9];
        let forged: [(u32, &[u8]); 5] =
            [(0, &endless), (POSITION_FLAG, &endless), (0, b"\x00\x05one"), (0, b"\x09\x01x{}"), (0, b"\x00\x01\xff")];
        for (flag, entry) in forged {
            write_without_header(folder.path(), 1, &[(flag, entry)]);
            assert_damaged(read_earlier(folder.path(), 1), "1.log");
        }
    }

    #[test]
    fn a_file_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
        wal.append([removal("one")].iter(), None).unwrap();
        assert!(WriteAheadLog::create(folder.path(), 1).is_err());
        assert_eq!(read(folder.path(), 1).unwrap().operations, [removal("one")]);
    }
}
