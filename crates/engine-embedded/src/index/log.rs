//! The log: writes that are acknowledged but not in a segment file yet.
//!
//! An entry is a batch: its length, its checksum, the position that was noted with it, its operations. A batch without
//! a position is synced before it is acknowledged. One with a position is not: whoever reads a source comes again with
//! everything after the position that the index has, so what a crash of the machine takes from the end of the log comes
//! again. What follows the last whole entry is left out when the log is read.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use cantata_engine::Operation;

use super::size_of;
use crate::varint;

/// Length and checksum of an entry.
const HEADER: usize = 4 + 4;

/// Set in the length of an entry that begins with a position. No entry is as long.
const WITH_POSITION: u32 = 1 << 31;

/// An open log.
pub(crate) struct Log {
    file: fs_err::File,
    bytes: u64,
    is_synced: bool,
}

/// Returns the name of the file of a log.
pub(crate) fn file_name(number: u64) -> String {
    format!("{number}.log")
}

/// Returns the number of the log that is in a file of this name.
pub(crate) fn number_of(file: &str) -> Option<u64> {
    file.strip_suffix(".log")?.parse().ok()
}

/// Returns the numbers of the logs in a folder from one number on, in order.
pub(crate) fn numbers(folder: &Path, first: u64) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        numbers.extend(entry?.file_name().to_str().and_then(number_of).filter(|number| *number >= first));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

impl Log {
    /// Begins a log.
    pub(crate) fn create(folder: &Path, number: u64) -> io::Result<Self> {
        let file = fs_err::File::create(folder.join(file_name(number)))?;
        file.sync_all()?;
        Ok(Self { file, bytes: 0, is_synced: true })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a batch; when this returns, it survives the end of the process, and without a position that of the
    /// machine.
    pub(crate) fn append<'a>(
        &mut self,
        batch: impl Iterator<Item = &'a Operation> + Clone,
        position: Option<&str>,
    ) -> io::Result<()> {
        let mut entry =
            Vec::with_capacity(HEADER + position.map_or(0, str::len) + batch.clone().map(room_for).sum::<usize>());
        entry.resize(HEADER, 0);
        if let Some(position) = position {
            varint::write(&mut entry, position.len() as u64);
            entry.extend_from_slice(position.as_bytes());
        }
        for operation in batch {
            match operation {
                Operation::Put { id, source } => {
                    // A document is never empty, so its length tells it from a removal.
                    varint::write(&mut entry, source.len() as u64);
                    varint::write(&mut entry, id.len() as u64);
                    entry.extend_from_slice(id.as_bytes());
                    entry.extend_from_slice(source);
                }
                Operation::Delete { id } => {
                    varint::write(&mut entry, 0);
                    varint::write(&mut entry, id.len() as u64);
                    entry.extend_from_slice(id.as_bytes());
                }
            }
        }
        let mark = if position.is_some() { WITH_POSITION } else { 0 };
        let length = (entry.len() - HEADER) as u32 | mark;
        let checksum = crc32fast::hash(&entry[HEADER..]);
        entry[..4].copy_from_slice(&length.to_le_bytes());
        entry[4..HEADER].copy_from_slice(&checksum.to_le_bytes());
        // An entry that could not be written may have left bytes, which would hide those after it.
        self.file.seek(SeekFrom::Start(self.bytes))?;
        self.is_synced = false;
        self.file.write_all(&entry)?;
        if position.is_none() {
            self.sync()?;
        }
        self.bytes += entry.len() as u64;
        Ok(())
    }

    /// Returns another handle of the file, to sync what is in it while others append.
    pub(crate) fn file(&self) -> io::Result<fs_err::File> {
        self.file.try_clone()
    }

    /// Makes everything that was appended survive a crash of the machine.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if !self.is_synced {
            self.file.sync_data()?;
            self.is_synced = true;
        }
        Ok(())
    }
}

/// Returns how many bytes an operation takes at most: its lengths, its id and its document.
fn room_for(operation: &Operation) -> usize {
    const LENGTHS: usize = 20;
    let (Operation::Put { id, .. } | Operation::Delete { id }) = operation;
    LENGTHS + id.len() + size_of(operation)
}

/// What a log has.
#[derive(Default)]
pub(crate) struct Entries {
    /// The operations, in order.
    pub(crate) operations: Vec<Operation>,
    /// The position that was noted last.
    pub(crate) position: Option<String>,
}

impl Entries {
    /// Adds what is in a log.
    pub(crate) fn read_log(&mut self, folder: &Path, number: u64) -> io::Result<()> {
        let bytes = fs_err::read(folder.join(file_name(number)))?;
        let mut rest = bytes.as_slice();
        while let Some((header, after)) = rest.split_first_chunk::<HEADER>() {
            let [l0, l1, l2, l3, c0, c1, c2, c3] = *header;
            let length = u32::from_le_bytes([l0, l1, l2, l3]);
            let Some((entry, following)) = after.split_at_checked((length & !WITH_POSITION) as usize) else { break };
            if crc32fast::hash(entry) != u32::from_le_bytes([c0, c1, c2, c3]) {
                break;
            }
            self.read_entry(entry, length & WITH_POSITION != 0);
            rest = following;
        }
        Ok(())
    }

    fn read_entry(&mut self, entry: &[u8], with_position: bool) {
        let mut place = 0;
        if with_position {
            let length = varint::read(entry, &mut place) as usize;
            let position = entry.get(place..place + length).unwrap_or_default();
            self.position = Some(String::from_utf8_lossy(position).into_owned());
            place += length;
        }
        while place < entry.len() {
            let source_length = varint::read(entry, &mut place) as usize;
            let id_length = varint::read(entry, &mut place) as usize;
            let id = entry.get(place..place + id_length).unwrap_or_default();
            let id = String::from_utf8_lossy(id).into_owned();
            place += id_length;
            let source = entry.get(place..place + source_length).unwrap_or_default();
            place += source_length;
            self.operations.push(if source.is_empty() {
                Operation::Delete { id }
            } else {
                Operation::Put { id, source: source.to_vec() }
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
        let mut log = Log::create(folder.path(), 1).unwrap();
        let removal = |id: &str| Operation::Delete { id: id.to_owned() };
        log.append([removal("one")].iter(), None).unwrap();
        log.file.write_all(&[7; 100]).unwrap();
        log.append([removal("two")].iter(), Some("2")).unwrap();
        log.append([removal("three")].iter(), None).unwrap();
        let mut read = Entries::default();
        read.read_log(folder.path(), 1).unwrap();
        assert_eq!(read.operations, [removal("one"), removal("two"), removal("three")]);
        assert_eq!(read.position.as_deref(), Some("2"));
    }
}
