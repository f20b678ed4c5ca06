//! Finds damage in the write-ahead log that a killed process has left behind.
//!
//! SQLite reads the log up to the first frame whose checksum is wrong and drops the rest silently, because a power
//! failure may tear the end of it. But every commit is synced before the next one begins, so only the last one can be torn:
//! where a commit comes after the broken frame and another frame was written after that commit, acknowledged changes would be
//! lost. The checksum of a frame continues that of the frame before it, which tells such a frame from one that an earlier, failed
//! commit has left there.
//!
//! The format is described at <https://www.sqlite.org/fileformat2.html#walformat>.

use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use cantata_store::{Result, StoreError};

use crate::database::StorePaths;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;

/// The first word of a log, without the bit that says in which order the checksums read bytes.
const MAGIC: u32 = 0x377f_0682;

/// Fails if the log of a store that is not in use has lost acknowledged changes.
pub fn check_wal(folder: &Path) -> Result<()> {
    let mut path = StorePaths::within(folder).metadata.into_os_string();
    path.push("-wal");
    let path = PathBuf::from(path);
    let is_damaged = match fs_err::File::open(&path) {
        Ok(file) => is_damaged(BufReader::new(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    };
    match is_damaged {
        Ok(false) => Ok(()),
        Ok(true) => Err(StoreError::corrupt(
            path.display().to_string(),
            "it has acknowledged changes after a part whose checksum is wrong, and they would be lost; restore the data \
             folder from a backup, or, to go on without them, open and close metadata.db with a SQLite shell",
        )),
        Err(error) => Err(StoreError::failed("reading the log of the metadata database", error)),
    }
}

fn is_damaged(mut log: impl Read) -> io::Result<bool> {
    let (mut header, mut frame) = ([0_u8; HEADER_BYTES], [0_u8; FRAME_HEADER_BYTES]);
    if !is_read(&mut log, &mut header)? {
        return Ok(false);
    }
    let is_big_endian = word(&header, 0) & 1 == 1;
    let (first_salt, second_salt) = (word(&header, 4), word(&header, 5));
    let checksum = add((0, 0), &header[..24], is_big_endian);
    if word(&header, 0) & !1 != MAGIC || checksum != (word(&header, 6), word(&header, 7)) {
        // A header that is only torn belongs to a log that begins again: no frame has its salts yet.
        return Ok(is_read(&mut log, &mut frame)? && (word(&frame, 2) == first_salt || word(&frame, 3) == second_salt));
    }
    let mut page = vec![0_u8; usize::try_from(word(&header, 2)).unwrap_or_default()];
    let (mut previous, mut is_broken, mut has_commit_after) = (checksum, false, false);
    while is_read(&mut log, &mut frame)? && is_read(&mut log, &mut page)? {
        let (before, stored) = (previous, (word(&frame, 4), word(&frame, 5)));
        previous = stored;
        if (word(&frame, 2), word(&frame, 3)) != (first_salt, second_salt) {
            (is_broken, has_commit_after) = (true, false);
            continue;
        }
        let follows = add(add(before, &frame[..8], is_big_endian), &page, is_big_endian) == stored;
        if has_commit_after && follows {
            return Ok(true);
        }
        is_broken |= !follows;
        // The second word of a frame is the size of the database after a commit, else 0.
        has_commit_after = is_broken && word(&frame, 1) != 0;
    }
    Ok(false)
}

/// Reads until the buffer is full; returns false at the end of the file.
fn is_read(log: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the word of a header at an index.
fn word(header: &[u8], index: usize) -> u32 {
    header.as_chunks::<4>().0.get(index).map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

/// Continues a checksum over bytes.
fn add((mut first, mut second): (u32, u32), bytes: &[u8], is_big_endian: bool) -> (u32, u32) {
    let number = |bytes: [u8; 4]| if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    for [a, b, c, d, e, f, g, h] in bytes.as_chunks::<8>().0 {
        first = first.wrapping_add(number([*a, *b, *c, *d])).wrapping_add(second);
        second = second.wrapping_add(number([*e, *f, *g, *h])).wrapping_add(first);
    }
    (first, second)
}
