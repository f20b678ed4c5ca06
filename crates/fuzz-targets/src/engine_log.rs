//! The write-ahead log of an index.

use std::mem;
use std::sync::LazyLock;

use crate::engine_folder::IndexFiles;

const SUFFIX: &str = ".log";

/// The beginning of a log whose checksums are chained; one without it has a checksum of each entry alone.
const MAGIC: &[u8] = b"WAL\xffCAN4";

/// The magic number, the seed of the log, and a checksum of both.
const FILE_HEADER_BYTES: usize = 8 + 4 + 4;

/// Length and checksum of an entry.
const ENTRY_HEADER_BYTES: usize = 4 + 4;

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

/// Returns a log with writes, which is the same in every run.
pub(crate) fn seed() -> Vec<u8> {
    let mut log = INDEX.content(SUFFIX);
    if log.starts_with(MAGIC) {
        log[MAGIC.len()..FILE_HEADER_BYTES].fill(0);
        seal(&mut log);
    }
    log
}

/// Gives the header and each entry the checksum of its content, so that changed ones are read.
fn seal(log: &mut [u8]) {
    let is_chained = log.starts_with(MAGIC) && log.len() >= FILE_HEADER_BYTES;
    let (header, mut rest) = log.split_at_mut(if is_chained { FILE_HEADER_BYTES } else { 0 });
    let mut seed = [0; 4];
    if is_chained {
        let (covered, checksum) = header.split_at_mut(FILE_HEADER_BYTES - 4);
        checksum.copy_from_slice(&crc32fast::hash(covered).to_le_bytes());
        seed.copy_from_slice(&covered[MAGIC.len()..]);
    }
    let mut before = u32::from_le_bytes(seed);
    while let Some((header, after)) = mem::take(&mut rest).split_first_chunk_mut::<ENTRY_HEADER_BYTES>() {
        let (length, checksum) = header.split_at_mut(ENTRY_HEADER_BYTES / 2);
        let bytes = length.iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) & !POSITION_FLAG;
        let Some((entry, following)) = after.split_at_mut_checked(bytes as usize) else { return };
        before = match is_chained {
            true => crc32fast::hash(&[&seed[..], &before.to_le_bytes()[..], &*length, &*entry].concat()),
            false => crc32fast::hash(entry),
        };
        checksum.copy_from_slice(&before.to_le_bytes());
        rest = following;
    }
}
