//! The backup of a data folder that a server may be using.
//!
//! The indexes are captured first and the metadata after them: an index in a backup may lack the latest changes, which
//! indexing catches up on, but never has one that the metadata lacks.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cantata_backup::{BackupError, BackupFile, BackupSource, FileContent, PreparedBackup};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_store::StoreError;
use cantata_store_sqlite::{METADATA_FILE, copy_database};

use crate::data_dir::{CONFIGS_FOLDER, SEARCH_FOLDER};

/// The file of API keys, which is replaced atomically.
const KEYS_FILE: &str = "keys.json";

/// The prefix of temporary database copies.
const COPY_PREFIX: &str = ".backup-";

/// Captures a data folder, with the engine that has its indexes open.
pub(crate) struct DataDirBackup {
    folder: PathBuf,
    engine: Arc<EmbeddedEngine>,
}

impl DataDirBackup {
    /// Creates the source of a folder.
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
        if !self.folder.join(METADATA_FILE).try_exists().map_err(|error| BackupError::io(METADATA_FILE, error))? {
            return Ok(None);
        }
        let failed = |error: io::Error| BackupError::io("the copy of the metadata", error);
        remove_copies(&self.folder).map_err(failed)?;
        let copy = tempfile::Builder::new().prefix(COPY_PREFIX).tempfile_in(&self.folder).map_err(failed)?;
        copy_database(&self.folder, copy.path()).map_err(|error| match error {
            StoreError::NotWritable { .. } => {
                failed(io::Error::new(io::ErrorKind::StorageFull, cantata_core::error_chain(&error)))
            }
            _ => BackupError::Capture(Box::new(error)),
        })?;
        // An open file stays readable after it is unlinked.
        let file = fs_err::File::open(copy.path()).map_err(failed)?;
        Ok(Some(BackupFile { path: METADATA_FILE.to_owned(), content: FileContent::File(file) }))
    }
}

impl BackupSource for DataDirBackup {
    fn capture(&self) -> Result<PreparedBackup, BackupError> {
        let mut files = self.indexes()?;
        files.extend(self.metadata()?);
        match fs_err::read(self.folder.join(KEYS_FILE)) {
            Ok(keys) => files.push(BackupFile { path: KEYS_FILE.to_owned(), content: FileContent::Bytes(keys.into()) }),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(BackupError::io(KEYS_FILE, error)),
        }
        let configs = self.folder.join(CONFIGS_FOLDER);
        if configs.is_dir() {
            add_folder(&configs, CONFIGS_FOLDER, &mut files).map_err(|error| BackupError::io(CONFIGS_FOLDER, error))?;
        }
        PreparedBackup::new(files)
    }
}

/// Adds the files of a folder and its subfolders. Anything else, such as a link, is logged and left out.
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
            _ => tracing::warn!(path = %entry.path().display(), "not a regular file, left out of the backup"),
        }
    }
    Ok(())
}

/// Removes copies that a killed process has left behind.
fn remove_copies(folder: &Path) -> io::Result<()> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(COPY_PREFIX)) {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}
