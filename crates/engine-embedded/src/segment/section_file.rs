//! The file of a segment that is written while the segment is built, so that a merge does not have it in memory.
//!
//! An error is kept until the end: what is built until then is of no use.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use cantata_durable_file as durable_file;
use fs_err::File;

/// How much of a file is compared at a time.
const COMPARED_BYTES: usize = 64 << 10;

/// The start of a segment file.
pub(super) struct SectionFile {
    path: PathBuf,
    file: File,
    length: usize,
    checksum: crc32fast::Hasher,
    failure: Option<io::Error>,
}

impl SectionFile {
    /// Creates a file, whose name must be new.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = durable_file::create_new_private(path)?;
        Ok(Self { path: path.to_owned(), file, length: 0, checksum: crc32fast::Hasher::new(), failure: None })
    }

    /// Returns how many bytes were written.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Returns the checksum of what was written.
    pub(super) fn checksum(&self) -> u32 {
        self.checksum.clone().finalize()
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.checksum.update(bytes);
        self.length += bytes.len();
        if self.failure.is_none() {
            self.failure = self.file.write_all(bytes).err();
        }
    }

    /// Returns whether the file has these bytes at an offset.
    pub(super) fn has(&self, offset: usize, bytes: &[u8]) -> bool {
        let compare = || -> io::Result<bool> {
            let mut file = File::open(&self.path)?;
            file.seek(SeekFrom::Start(offset as u64))?;
            let mut buffer = vec![0; COMPARED_BYTES.min(bytes.len())];
            for expected in bytes.chunks(COMPARED_BYTES) {
                let found = &mut buffer[..expected.len()];
                file.read_exact(found)?;
                if found != expected {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        // What cannot be compared is written again.
        compare().unwrap_or(false)
    }

    /// Syncs the file.
    ///
    /// # Errors
    ///
    /// If something could not be written.
    pub(super) fn sync(self) -> io::Result<()> {
        match self.failure {
            Some(error) => Err(error),
            None => self.file.sync_all(),
        }
    }
}
