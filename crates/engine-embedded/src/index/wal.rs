//! The write-ahead log (WAL): batches that are acknowledged but not in a segment file yet.
//!
//! An entry is a batch: its length, its checksum, its position, its operations. A batch without a position is synced before
//! it is acknowledged. One with a position is not: its source is read again from the position of the index, so what a
//! crash of the machine takes from the end of the WAL comes again. Bytes after the last whole entry are ignored when the
//! WAL is replayed.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use cantata_engine::WriteOperation;

use super::source_bytes;
use crate::varint;

/// Length and checksum of an entry.
const HEADER_BYTES: usize = 4 + 4;

/// Flag in the length of an entry that begins with a position. No entry is as long.
const POSITION_FLAG: u32 = 1 << 31;

/// The WAL file that batches are appended to.
pub(crate) struct WriteAheadLog {
    file: fs_err::File,
    bytes: u64,
    is_synced: bool,
}

/// Returns the name of a WAL file.
pub(crate) fn file_name(number: u64) -> String {
    format!("{number}.log")
}

/// Returns the number of a WAL file; nothing for other files.
pub(crate) fn file_number(file: &str) -> Option<u64> {
    file.strip_suffix(".log")?.parse().ok()
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
    /// Creates an empty WAL file.
    pub(crate) fn create(folder: &Path, number: u64) -> io::Result<Self> {
        let file = fs_err::File::create(folder.join(file_name(number)))?;
        file.sync_all()?;
        Ok(Self { file, bytes: 0, is_synced: true })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a batch; when this returns, it survives a crash of the process, and without a position one of the machine.
    pub(crate) fn append<'a>(
        &mut self,
        batch: impl Iterator<Item = &'a WriteOperation> + Clone,
        position: Option<&str>,
    ) -> io::Result<()> {
        let mut entry = Vec::with_capacity(
            HEADER_BYTES + position.map_or(0, str::len) + batch.clone().map(max_bytes).sum::<usize>(),
        );
        entry.resize(HEADER_BYTES, 0);
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
        let flag = if position.is_some() { POSITION_FLAG } else { 0 };
        let length = (entry.len() - HEADER_BYTES) as u32 | flag;
        let checksum = crc32fast::hash(&entry[HEADER_BYTES..]);
        entry[..4].copy_from_slice(&length.to_le_bytes());
        entry[4..HEADER_BYTES].copy_from_slice(&checksum.to_le_bytes());
        // A failed append may have left bytes, which would hide later entries.
        self.file.seek(SeekFrom::Start(self.bytes))?;
        self.is_synced = false;
        self.file.write_all(&entry)?;
        if position.is_none() {
            self.sync()?;
        }
        self.bytes += entry.len() as u64;
        Ok(())
    }

    /// Returns another handle of the file, to sync it while batches are appended.
    pub(crate) fn file(&self) -> io::Result<fs_err::File> {
        self.file.try_clone()
    }

    /// Makes all entries survive a crash of the machine.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.file.sync_data()?;
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

/// The writes of WAL files.
#[derive(Default)]
pub(crate) struct RecoveredWrites {
    /// The operations, in order.
    pub(crate) operations: Vec<WriteOperation>,
    /// The position of the last batch that had one.
    pub(crate) position: Option<String>,
}

impl RecoveredWrites {
    /// Adds the writes of a WAL file.
    pub(crate) fn read_file(&mut self, folder: &Path, number: u64) -> io::Result<()> {
        let bytes = fs_err::read(folder.join(file_name(number)))?;
        let mut rest = bytes.as_slice();
        while let Some((header, after)) = rest.split_first_chunk::<HEADER_BYTES>() {
            let [l0, l1, l2, l3, c0, c1, c2, c3] = *header;
            let length = u32::from_le_bytes([l0, l1, l2, l3]);
            let Some((entry, following)) = after.split_at_checked((length & !POSITION_FLAG) as usize) else { break };
            if crc32fast::hash(entry) != u32::from_le_bytes([c0, c1, c2, c3]) {
                break;
            }
            self.read_entry(entry, length & POSITION_FLAG != 0);
            rest = following;
        }
        Ok(())
    }

    fn read_entry(&mut self, entry: &[u8], has_position: bool) {
        let mut offset = 0;
        if has_position {
            let length = varint::read(entry, &mut offset) as usize;
            let position = entry.get(offset..offset + length).unwrap_or_default();
            self.position = Some(String::from_utf8_lossy(position).into_owned());
            offset += length;
        }
        while offset < entry.len() {
            let source_length = varint::read(entry, &mut offset) as usize;
            let id_length = varint::read(entry, &mut offset) as usize;
            let id = entry.get(offset..offset + id_length).unwrap_or_default();
            let id = String::from_utf8_lossy(id).into_owned();
            offset += id_length;
            let source = entry.get(offset..offset + source_length).unwrap_or_default();
            offset += source_length;
            self.operations.push(if source.is_empty() {
                WriteOperation::Delete { id }
            } else {
                WriteOperation::Put { id, source: source.to_vec() }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_failed_write_leaves_hides_nothing_that_comes_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
        let removal = |id: &str| WriteOperation::Delete { id: id.to_owned() };
        wal.append([removal("one")].iter(), None).unwrap();
        wal.file.write_all(&[7; 100]).unwrap();
        wal.append([removal("two")].iter(), Some("2")).unwrap();
        wal.append([removal("three")].iter(), None).unwrap();
        let mut read = RecoveredWrites::default();
        read.read_file(folder.path(), 1).unwrap();
        assert_eq!(read.operations, [removal("one"), removal("two"), removal("three")]);
        assert_eq!(read.position.as_deref(), Some("2"));
    }
}
