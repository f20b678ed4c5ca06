//! The file of a backup until it is complete.
//!
//! It gets its name when it is complete, verified and durable; until then it is `….unfinished`. So a file under the name of a
//! backup is a whole one, whenever the writing ended.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cantata_durable_file as durable_file;

use crate::{BackupError, BackupReader, Manifest};

/// A backup file that is being written; dropped before it is finished, it is removed.
pub struct UnfinishedBackup {
    path: PathBuf,
    unfinished: PathBuf,
    file: fs_err::File,
}

impl UnfinishedBackup {
    /// Creates the file of a backup, in place of an unfinished one.
    ///
    /// # Errors
    ///
    /// If the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut name = OsString::from(path);
        name.push(".unfinished");
        let unfinished = PathBuf::from(name);
        let file = durable_file::create_private(&unfinished)?;
        Ok(Self { path: path.to_owned(), unfinished, file })
    }

    /// Verifies what was written, and gives it its name.
    ///
    /// # Errors
    ///
    /// If what was written is no whole backup, or the file cannot be synced, read or renamed.
    pub fn finish(self) -> Result<Manifest, BackupError> {
        let failed = |error: io::Error| BackupError::io(self.path.display().to_string(), error);
        self.file.sync_all().map_err(failed)?;
        let manifest = BackupReader::at(&self.unfinished).check()?;
        durable_file::rename(&self.unfinished, &self.path).map_err(failed)?;
        Ok(manifest)
    }
}

impl Write for UnfinishedBackup {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for UnfinishedBackup {
    fn drop(&mut self) {
        // A finished one has another name.
        let _ = fs_err::remove_file(&self.unfinished);
    }
}
