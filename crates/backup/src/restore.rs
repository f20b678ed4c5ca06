//! The steps of a restore into a data folder.
//!
//! Everything is extracted into a folder within the data folder, verified there, and then moved. While that folder exists
//! the data folder is half restored, and nothing may use it; so a restore that ends at any moment leaves a folder that is
//! empty, one that is recognised as half restored, or a whole one.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use cantata_durable_file as durable_file;

/// The folder that a restore works in.
const RESTORING_FOLDER: &str = ".restoring";

/// A folder that file systems create in their root; a data folder that has only this one is empty.
const LOST_AND_FOUND: &str = "lost+found";

/// Why a data folder cannot be restored into.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// It is half restored.
    #[error("another restore is in progress or was interrupted; if none is running, empty the folder")]
    InProgress,
    /// It has something else.
    #[error("it is not empty, it has {0:?}; DATA_DIR names another one")]
    NotEmpty(OsString),
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A restore that has begun.
pub struct Restore {
    folder: PathBuf,
    working_folder: PathBuf,
}

impl Restore {
    /// Begins to restore into a data folder, which must be empty; it is created if it is missing.
    ///
    /// # Errors
    ///
    /// If the folder is not empty, or cannot be written.
    pub fn begin(folder: &Path) -> Result<Self, RestoreError> {
        durable_file::create_folder(folder)?;
        // First: what the interrupted restore has moved already is not what is wrong with the folder.
        if is_half_restored(folder)? {
            return Err(RestoreError::InProgress);
        }
        for entry in fs_err::read_dir(folder)? {
            let name = entry?.file_name();
            if name != LOST_AND_FOUND {
                return Err(RestoreError::NotEmpty(name));
            }
        }
        let working_folder = folder.join(RESTORING_FOLDER);
        match fs_err::create_dir(&working_folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(RestoreError::InProgress),
            created => Ok(created.map(|()| Self { folder: folder.to_owned(), working_folder })?),
        }
    }

    /// Returns the folder to extract into.
    pub fn working_folder(&self) -> &Path {
        &self.working_folder
    }

    /// Removes what was extracted; the data folder is empty again.
    pub fn discard(self) {
        let _ = fs_err::remove_dir_all(&self.working_folder);
    }

    /// Moves everything into place; the data folder is valid after the last step.
    ///
    /// # Errors
    ///
    /// If a file cannot be moved; then the data folder stays half restored.
    pub fn finish(self) -> io::Result<()> {
        for entry in fs_err::read_dir(&self.working_folder)? {
            let entry = entry?;
            fs_err::rename(entry.path(), self.folder.join(entry.file_name()))?;
        }
        durable_file::sync_folder(&self.folder)?;
        fs_err::remove_dir(&self.working_folder)?;
        durable_file::sync_folder(&self.folder)
    }
}

/// Returns whether a restore into a data folder is not finished.
///
/// # Errors
///
/// If the folder cannot be read.
pub fn is_half_restored(folder: &Path) -> io::Result<bool> {
    folder.join(RESTORING_FOLDER).try_exists()
}
