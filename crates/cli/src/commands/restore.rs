//! `cantata restore`: restores a data folder from a backup.
//!
//! Everything is extracted into a folder within the data folder, verified there, and then moved (see [`Restore`]). While that
//! folder exists no server starts on the data folder, so a partial restore is never served.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cantata_backup::{BackupReader, Manifest, Restore, RestoreError};
use clap::Args;

use crate::commands::backup::{damaged, describe, unreadable, verify_extracted};
use crate::error::CliError;
use crate::settings::{ConfigArgument, LoggingSettings, StoreSettings};
use crate::terminal::print_line;

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
    let restore = Restore::begin(folder).map_err(failed)?;
    let manifest = match extract(&arguments.file, restore.working_folder()).await {
        Ok(manifest) => manifest,
        Err(error) => {
            restore.discard();
            return Err(error);
        }
    };
    restore.finish().map_err(|error| failed(error.into()))?;
    print_line(&format!("{} is restored: {}", folder.display(), describe(&manifest)));
    Ok(ExitCode::SUCCESS)
}

async fn extract(file: &Path, folder: &Path) -> Result<Manifest, CliError> {
    let manifest = BackupReader::at(file).extract(folder).map_err(|error| unreadable(file, error))?;
    verify_extracted(folder, &manifest).await.map_err(|error| damaged(file, error))?;
    Ok(manifest)
}
