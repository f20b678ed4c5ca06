//! What of a data folder belongs into a backup, and how it is copied while a server uses it.
//!
//! The indexes are taken first and the metadata after them: an index of a backup may lack the latest changes, which its
//! next update brings, but never knows of one that the metadata does not have.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cantata_backup::{BackupError, BackupFile, BackupSource, FileContent, PreparedBackup};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_store_sqlite::{DATABASE, copy_database};

use crate::serve::SEARCH_FOLDER;

/// The folder of catalogues that a data folder may have.
const CONFIGS: &str = "configs";

/// The file of API keys, which is replaced as a whole when it changes.
const KEYS: &str = "keys.json";

/// What the name of a copy begins with for as long as it is needed.
const COPY: &str = ".backup-";

/// A data folder, with the engine that has its indexes open.
pub(crate) struct DataFolder {
    folder: PathBuf,
    engine: Arc<EmbeddedEngine>,
}

impl DataFolder {
    /// Names the folder.
    pub(crate) fn new(folder: &Path, engine: Arc<EmbeddedEngine>) -> Self {
        Self { folder: folder.to_owned(), engine }
    }

    fn indexes(&self) -> Result<Vec<BackupFile>, BackupError> {
        let files = self.engine.backup_files().map_err(|error| BackupError::Capture(Box::new(error)))?;
        let file = |file: cantata_engine_embedded::IndexFile| BackupFile {
            path: format!("{SEARCH_FOLDER}/{}", file.path),
            content: FileContent::Bytes(file.content),
        };
        Ok(files.into_iter().map(file).collect())
    }

    fn metadata(&self) -> Result<Option<BackupFile>, BackupError> {
        if !self.folder.join(DATABASE).try_exists().map_err(|error| BackupError::io(DATABASE, error))? {
            return Ok(None);
        }
        let failed = |error: io::Error| BackupError::io("the copy of the metadata", error);
        remove_copies(&self.folder).map_err(failed)?;
        let copy = tempfile::Builder::new().prefix(COPY).tempfile_in(&self.folder).map_err(failed)?;
        copy_database(&self.folder, copy.path()).map_err(|error| failed(io::Error::other(error)))?;
        // An open file can be read after its name is gone.
        let file = fs_err::File::open(copy.path()).map_err(failed)?;
        Ok(Some(BackupFile { path: DATABASE.to_owned(), content: FileContent::File(file) }))
    }
}

impl BackupSource for DataFolder {
    fn capture(&self) -> Result<PreparedBackup, BackupError> {
        let mut files = self.indexes()?;
        files.extend(self.metadata()?);
        match fs_err::read(self.folder.join(KEYS)) {
            Ok(keys) => files.push(BackupFile { path: KEYS.to_owned(), content: FileContent::Bytes(keys.into()) }),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(BackupError::io(KEYS, error)),
        }
        let configs = self.folder.join(CONFIGS);
        if configs.is_dir() {
            add_folder(&configs, CONFIGS, &mut files).map_err(|error| BackupError::io(CONFIGS, error))?;
        }
        PreparedBackup::new(files)
    }
}

/// Adds the files of a folder, and of those in it. What is no file, such as a link, is told in the log and left out.
fn add_folder(folder: &Path, path: &str, files: &mut Vec<BackupFile>) -> io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let name = name.to_str().map(|name| format!("{path}/{name}"));
        match name {
            Some(name) if kind.is_dir() => add_folder(&entry.path(), &name, files)?,
            Some(path) if kind.is_file() => {
                let content = FileContent::Bytes(fs_err::read(entry.path())?.into());
                files.push(BackupFile { path, content });
            }
            _ => tracing::warn!(path = %entry.path().display(), "is no ordinary file and not in the backup"),
        }
    }
    Ok(())
}

/// Removes copies that a process which was killed has left behind.
fn remove_copies(folder: &Path) -> io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(COPY)) {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}
