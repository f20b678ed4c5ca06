//! `cantata restore`: restores a data folder from a backup.
//!
//! Everything is extracted into a folder within the data folder, verified there, and then moved. While that folder exists
//! no server starts on the data folder, so a partial restore is never served.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cantata_backup::{BackupReader, Manifest};
use cantata_durable_file as durable_file;
use clap::Args;

use crate::commands::backup::{damaged, describe, unreadable, verify_extracted};
use crate::data_dir::RESTORING_FOLDER;
use crate::error::CliError;
use crate::settings::{ConfigArgument, LoggingSettings, StoreSettings};
use crate::terminal::print_line;

/// A folder that file systems create in their root; a data folder that has only this one is empty.
const LOST_AND_FOUND: &str = "lost+found";

/// The arguments of `cantata restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The backup
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    store: StoreSettings,
    #[command(flatten)]
    pub(crate) logging: LoggingSettings,
}

/// Restores a data folder.
pub(crate) async fn restore(arguments: &RestoreArguments) -> Result<ExitCode, CliError> {
    let folder = &arguments.store.data_dir;
    let failed = |error: RestoreError| CliError::caused(format!("{} cannot be restored into", folder.display()), error);
    let unfinished = begin(folder).map_err(failed)?;
    let restored = extract(&arguments.file, &unfinished).await;
    if restored.is_err() {
        // It has nothing but what was extracted.
        let _ = fs_err::remove_dir_all(&unfinished);
    }
    let manifest = restored?;
    finish(folder, &unfinished).map_err(|error| failed(error.into()))?;
    print_line(&format!("{} is restored: {}", folder.display(), describe(&manifest)));
    Ok(ExitCode::SUCCESS)
}

/// Why a data folder cannot be restored into.
#[derive(Debug, thiserror::Error)]
enum RestoreError {
    #[error("another restore is in progress or was interrupted; if none is running, empty the folder")]
    InProgress,
    #[error("it is not empty, it has {0:?}; DATA_DIR names another one")]
    NotEmpty(OsString),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Creates the working folder in a data folder that must be empty.
fn begin(folder: &Path) -> Result<PathBuf, RestoreError> {
    durable_file::create_folder(folder)?;
    let unfinished = folder.join(RESTORING_FOLDER);
    for entry in fs_err::read_dir(folder)? {
        let name = entry?.file_name();
        if name == RESTORING_FOLDER {
            return Err(RestoreError::InProgress);
        }
        if name != LOST_AND_FOUND {
            return Err(RestoreError::NotEmpty(name));
        }
    }
    match fs_err::create_dir(&unfinished) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(RestoreError::InProgress),
        created => Ok(created.map(|()| unfinished)?),
    }
}

async fn extract(file: &Path, folder: &Path) -> Result<Manifest, CliError> {
    let manifest = BackupReader::at(file).extract(folder).map_err(|error| unreadable(file, error))?;
    verify_extracted(folder, &manifest).await.map_err(|error| damaged(file, error))?;
    Ok(manifest)
}

/// Moves everything into place; the data folder is valid after the last step.
fn finish(folder: &Path, unfinished: &Path) -> io::Result<()> {
    for entry in fs_err::read_dir(unfinished)? {
        let entry = entry?;
        fs_err::rename(entry.path(), folder.join(entry.file_name()))?;
    }
    durable_file::sync_folder(folder)?;
    fs_err::remove_dir(unfinished)?;
    durable_file::sync_folder(folder)
}
