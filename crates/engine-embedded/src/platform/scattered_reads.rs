//! Reading many small parts of a file at once.
//!
//! The documents of a page lie anywhere in a file. What the system has in memory is copied one part after the other. What it
//! has not is asked for first, all of it, and then waited for: a disk reads twenty parts at once in little more time than one.

use std::io;
use std::ops::Range;

use super::SegmentStorage;

/// A part of a file, and where its bytes go.
pub(crate) struct FilePart {
    pub(crate) offset: usize,
    pub(crate) into: Range<usize>,
}

impl SegmentStorage {
    /// Copies parts into a buffer.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or ends before a part does.
    pub(crate) fn read_parts(&self, parts: &[FilePart], out: &mut [u8]) -> io::Result<()> {
        let is_absent = |part: &&FilePart| !self.read_from_memory(part.offset, &mut out[part.into.clone()]);
        let absent: Vec<&FilePart> = parts.iter().filter(is_absent).collect();
        if absent.len() > 1 {
            absent.iter().for_each(|part| self.prefetch(part));
        }
        absent.into_iter().try_for_each(|part| self.read_at(part.offset, &mut out[part.into.clone()]))
    }

    /// Copies bytes if no disk has to be waited for; returns whether it did.
    fn read_from_memory(&self, offset: usize, out: &mut [u8]) -> bool {
        #[cfg(target_os = "linux")]
        if let Self::Mapped { file, .. } = self {
            let length = out.len();
            let buffers = &mut [io::IoSliceMut::new(out)];
            let read = rustix::io::preadv2(file, buffers, offset as u64, rustix::io::ReadWriteFlags::NOWAIT);
            return read == Ok(length);
        }
        self.read_at(offset, out).is_ok()
    }

    /// Asks the system for a part without waiting for it. Where that fails, the part is read later all the same.
    fn prefetch(&self, part: &FilePart) {
        #[cfg(target_os = "linux")]
        if let Self::Mapped { file, .. } = self {
            let length = std::num::NonZeroU64::new(part.into.len() as u64);
            let _ = rustix::fs::fadvise(file, part.offset as u64, length, rustix::fs::Advice::WillNeed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_from_files_and_from_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..100_000_u32).map(|number| (number % 251) as u8).collect();
        fs_err::write(&path, &bytes).unwrap();
        let mut expected = vec![0; 30];
        let parts: Vec<FilePart> = [(99_990, 0..10), (5, 20..30), (40_000, 10..20), (7, 15..15)]
            .map(|(offset, into): (usize, Range<usize>)| FilePart { offset, into })
            .into();
        for part in &parts {
            expected[part.into.clone()].copy_from_slice(&bytes[part.offset..part.offset + part.into.len()]);
        }
        for storage in [SegmentStorage::map(&path).unwrap(), SegmentStorage::memory(bytes)] {
            let mut out = vec![0; 30];
            storage.read_parts(&parts, &mut out).unwrap();
            assert_eq!(out, expected);
            let beyond = [FilePart { offset: 99_995, into: 0..10 }];
            assert!(storage.read_parts(&beyond, &mut out).is_err());
        }
    }
}
