//! The write-ahead log of an index.

use std::mem;
use std::sync::LazyLock;

use crate::engine_folder::IndexFiles;

const SUFFIX: &str = ".log";

/// Length and checksum of an entry.
const HEADER_BYTES: usize = 4 + 4;

/// The bit of a length that is no part of it.
const POSITION_FLAG: u32 = 1 << 31;

static INDEX: LazyLock<IndexFiles> = LazyLock::new(|| IndexFiles::create(true));

/// Opens an index with this log, as it is and with checksums that fit.
pub fn target(data: &[u8]) {
    INDEX.open_with(SUFFIX, data);
    let mut sealed = data.to_vec();
    seal(&mut sealed);
    if sealed != data {
        INDEX.open_with(SUFFIX, &sealed);
    }
}

/// Returns a log with writes.
pub(crate) fn seed() -> Vec<u8> {
    INDEX.content(SUFFIX)
}

/// Gives each entry the checksum of its content, so that changed ones are read.
fn seal(log: &mut [u8]) {
    let mut rest = log;
    while let Some((header, after)) = mem::take(&mut rest).split_first_chunk_mut::<HEADER_BYTES>() {
        let (length, checksum) = header.split_at_mut(HEADER_BYTES / 2);
        let length = length.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)) & !POSITION_FLAG;
        let Some((entry, following)) = after.split_at_mut_checked(length as usize) else { return };
        checksum.copy_from_slice(&crc32fast::hash(entry).to_le_bytes());
        rest = following;
    }
}
