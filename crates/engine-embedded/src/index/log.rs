//! The log: writes that are acknowledged but not in a segment file yet.
//!
//! An entry is a batch: its length, its checksum, its operations. It is synced before the batch is acknowledged. What
//! follows the last whole entry was never acknowledged and is left out when the log is read.

use std::io::{self, Write};
use std::path::Path;

use cantata_engine::Operation;

use crate::varint;

/// Length and checksum of an entry.
const HEADER: usize = 4 + 4;

/// An open log.
pub(crate) struct Log {
    file: fs_err::File,
    bytes: u64,
}

/// Returns the name of the file of a log.
pub(crate) fn file_name(number: u64) -> String {
    format!("{number}.log")
}

impl Log {
    /// Begins a log.
    pub(crate) fn create(folder: &Path, number: u64) -> io::Result<Self> {
        let file = fs_err::File::create(folder.join(file_name(number)))?;
        file.sync_all()?;
        Ok(Self { file, bytes: 0 })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a batch; when this returns, it survives a crash.
    pub(crate) fn append<'a>(&mut self, batch: impl Iterator<Item = &'a Operation>) -> io::Result<()> {
        let mut entry = vec![0; HEADER];
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
        let length = (entry.len() - HEADER) as u32;
        let checksum = crc32fast::hash(&entry[HEADER..]);
        entry[..4].copy_from_slice(&length.to_le_bytes());
        entry[4..HEADER].copy_from_slice(&checksum.to_le_bytes());
        self.file.write_all(&entry)?;
        self.file.sync_data()?;
        self.bytes += entry.len() as u64;
        Ok(())
    }
}

/// Reads the operations of a log, in order.
pub(crate) fn read(folder: &Path, number: u64) -> io::Result<Vec<Operation>> {
    let bytes = match fs_err::read(folder.join(file_name(number))) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let mut operations = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((header, after)) = rest.split_first_chunk::<HEADER>() {
        let [l0, l1, l2, l3, c0, c1, c2, c3] = *header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let Some((entry, following)) = after.split_at_checked(length) else { break };
        if crc32fast::hash(entry) != u32::from_le_bytes([c0, c1, c2, c3]) {
            break;
        }
        read_entry(entry, &mut operations);
        rest = following;
    }
    Ok(operations)
}

fn read_entry(entry: &[u8], operations: &mut Vec<Operation>) {
    let mut place = 0;
    while place < entry.len() {
        let source_length = varint::read(entry, &mut place) as usize;
        let id_length = varint::read(entry, &mut place) as usize;
        let id = entry.get(place..place + id_length).unwrap_or_default();
        let id = String::from_utf8_lossy(id).into_owned();
        place += id_length;
        let source = entry.get(place..place + source_length).unwrap_or_default();
        place += source_length;
        operations.push(if source.is_empty() {
            Operation::Delete { id }
        } else {
            Operation::Put { id, source: source.to_vec() }
        });
    }
}
