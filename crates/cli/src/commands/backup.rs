//! `cantata backup`: writes a data folder to one file.
//!
//! The file gets its name when it is complete and verified (see [`UnfinishedBackup`]).

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use cantata_backup::{BackupError, BackupReader, BackupSource, Manifest, UnfinishedBackup};
use cantata_durable_file as durable_file;
use cantata_engine::{EngineError, IndexMaintenance};
use cantata_engine_embedded::{EmbeddedEngine, OpenError};
use cantata_store::StoreError;
use cantata_store_sqlite::{METADATA_FILE, SqliteStore, check_database, check_wal};
use clap::Args;

use crate::backends::{DataDirBackup, IndexAccess, IndexAccessArguments};
use crate::data_dir::{SEARCH_FOLDER, ensure_metadata_is_not_lost};
use crate::error::CliError;
use crate::settings::DatabaseSettings;
use crate::terminal::print_line;

/// The arguments of `cantata backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// The backup file, which must not exist yet
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Verifies the backup in FILE as a restore would instead of writing one; needs free space beside it for its content
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    database: DatabaseSettings,
    #[command(flatten)]
    pub(crate) indexes: IndexAccessArguments,
}

/// Writes or verifies a backup.
pub(crate) async fn backup(arguments: &BackupArguments) -> Result<ExitCode, CliError> {
    let file = &arguments.file;
    if arguments.verify {
        let manifest = verify(file).await?;
        print_line(&format!("{} is a complete backup: {}", file.display(), describe(&manifest)));
        return Ok(ExitCode::SUCCESS);
    }
    let failed = |error: io::Error| CliError::caused(format!("the backup {} cannot be written", file.display()), error);
    if file.try_exists().map_err(failed)? {
        let text = "cannot be written: the file exists; choose another name, or remove it";
        return Err(CliError::failed(format!("the backup {} {text}", file.display())));
    }
    let manifest = write(arguments).await?;
    print_line(&format!("{}: {}; verified", file.display(), describe(&manifest)));
    Ok(ExitCode::SUCCESS)
}

/// Writes a backup and verifies it.
async fn write(arguments: &BackupArguments) -> Result<Manifest, CliError> {
    let failed = |error: io::Error| CliError::caused("the backup cannot be written", error);
    if arguments.database.address()?.is_some() && !arguments.indexes.has_server() {
        return Err(CliError::setting(
            "DATABASE_URL: the metadata is in a database server, which is backed up with its own tools (pg_dump)",
        ));
    }
    let indexes = IndexAccess::open(&arguments.indexes, false)?;
    let mut backup = UnfinishedBackup::create(&arguments.file).map_err(failed)?;
    match indexes {
        IndexAccess::Remote(client) => client.backup(|piece| backup.write_all(piece)).await?,
        IndexAccess::Local(engine) => {
            ensure_metadata_is_not_lost(arguments.indexes.data_dir())?;
            check_wal(arguments.indexes.data_dir())
                .map_err(|error| CliError::caused("the backup cannot be written", error))?;
            let prepared = DataDirBackup::new(arguments.indexes.data_dir(), Arc::new(engine)).capture();
            let written = prepared.map_err(|error| {
                CliError::caused("the backup cannot be written", error)
                    .with_hint("`cantata verify` lists what is damaged and what to do about it")
            })?;
            written.write_to(io::BufWriter::new(&mut backup)).map_err(failed)?;
        }
    }
    backup.finish().map_err(|error| match error {
        BackupError::Io { source, .. } => failed(source),
        _ => unreadable(&arguments.file, error),
    })
}

/// Verifies a backup as a restore would.
async fn verify(file: &Path) -> Result<Manifest, CliError> {
    let folder =
        tempfile::Builder::new().prefix(".verify-").tempdir_in(durable_file::parent(file)).map_err(|error| {
            CliError::caused(format!("the backup {} cannot be extracted beside it", file.display()), error)
        })?;
    let manifest = BackupReader::at(file).extract(folder.path()).map_err(|error| unreadable(file, error))?;
    verify_extracted(folder.path(), &manifest).await.map_err(|error| damaged(file, error))?;
    Ok(manifest)
}

/// Creates the error of a backup that cannot be read.
pub(crate) fn unreadable(file: &Path, error: BackupError) -> CliError {
    match error {
        BackupError::Io { .. } | BackupError::Capture(_) => {
            CliError::caused(format!("the backup {} cannot be read", file.display()), error)
        }
        _ => CliError::failed(format!("{} {error}", file.display())),
    }
}

/// Creates the error of a backup whose content is damaged.
pub(crate) fn damaged(file: &Path, error: DamagedData) -> CliError {
    CliError::caused(format!("the data in the backup {} is damaged", file.display()), error)
}

/// A problem with the data that a backup contains.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DamagedData {
    /// The metadata store cannot be read.
    #[error("the metadata")]
    Store(#[from] StoreError),
    /// The metadata is inconsistent.
    #[error("the metadata: {0}")]
    Metadata(String),
    /// The indexes cannot be opened.
    #[error("the indexes")]
    Open(#[from] OpenError),
    /// An index cannot be read.
    #[error("the indexes")]
    Engine(#[from] EngineError),
    /// An index is inconsistent.
    #[error("index `{0}`: {1}")]
    Index(String, String),
}

/// Opens and reads everything that was extracted, and returns the first problem.
pub(crate) async fn verify_extracted(folder: &Path, manifest: &Manifest) -> Result<(), DamagedData> {
    if folder.join(METADATA_FILE).is_file() {
        let problems = check_database(folder)?;
        if !problems.is_empty() {
            return Err(DamagedData::Metadata(problems.join("; ")));
        }
        // Opening it rebuilds the lookup tables, which the first start would have to wait for.
        SqliteStore::open(folder)?;
    }
    // An index is a folder; the files beside these folders concern all indexes.
    let index_of = |path: &str| {
        let (index, _file) = path.strip_prefix(SEARCH_FOLDER)?.strip_prefix('/')?.split_once('/')?;
        Some(index.to_owned())
    };
    let indexes: BTreeSet<String> = manifest.files.iter().filter_map(|file| index_of(&file.path)).collect();
    let engine = EmbeddedEngine::open(&folder.join(SEARCH_FOLDER))?;
    for index in indexes {
        let problems = engine.verify(&index).await?;
        if !problems.is_empty() {
            return Err(DamagedData::Index(index, problems.join("; ")));
        }
    }
    // Callers move or remove the folder, which a merge would still write to.
    engine.wait_until_idle().await;
    Ok(())
}

/// Describes a backup in one line.
pub(crate) fn describe(manifest: &Manifest) -> String {
    format!(
        "{} files of {:.1} MB, created at {} by version {}",
        manifest.files.len(),
        manifest.bytes() as f64 / 1e6,
        manifest.created_at,
        manifest.version
    )
}
