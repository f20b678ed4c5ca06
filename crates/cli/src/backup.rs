//! `cantata backup`: everything that a data folder holds, in one file.
//!
//! The file gets its name when it is whole and was read again; until then it is called `….unfinished`.

mod data_folder;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use cantata_backup::{BackupError, BackupReader, BackupSource, Manifest};
use cantata_core::error_chain;
use cantata_durable_file as durable_file;
use clap::Args;

pub(crate) use self::data_folder::DataFolder;
use crate::failure::Failure;
use crate::indexes::{Indexes, IndexesArguments};
use crate::restore::examine;
use crate::settings::DatabaseSettings;

/// What `cantata backup` is told.
#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// The file, which must not be there yet
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Makes no backup, but reads the one in FILE as a restore would; needs room beside it for all that is in it
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    database: DatabaseSettings,
    #[command(flatten)]
    pub(crate) indexes: IndexesArguments,
}

/// Makes a backup, or checks one.
pub(crate) async fn backup(arguments: &BackupArguments) -> Result<ExitCode, Failure> {
    let file = &arguments.file;
    if arguments.verify {
        let manifest = verify(file).await?;
        tell(&format!("{} is a whole backup: {}", file.display(), in_short(&manifest)));
        return Ok(ExitCode::SUCCESS);
    }
    let failed = |reason: String| Failure::Start(format!("the backup {} cannot be made: {reason}", file.display()));
    if file.try_exists().map_err(|error| failed(error.to_string()))? {
        return Err(failed("there is a file of this name already; choose another, or remove it".to_owned()));
    }
    let mut name = OsString::from(file);
    name.push(".unfinished");
    let unfinished = PathBuf::from(name);
    let made = make(arguments, &unfinished).await;
    if made.is_err() {
        // Whatever is there, it is no backup.
        let _ = fs_err::remove_file(&unfinished);
    }
    let manifest = made?;
    durable_file::rename(&unfinished, file).map_err(|error| failed(error.to_string()))?;
    tell(&format!("{}: {}; read again and whole", file.display(), in_short(&manifest)));
    Ok(ExitCode::SUCCESS)
}

/// Writes a backup and reads it again.
async fn make(arguments: &BackupArguments, path: &Path) -> Result<Manifest, Failure> {
    let failed = |error: io::Error| Failure::Start(format!("the backup cannot be written: {error}"));
    if arguments.database.address()?.is_some() && !arguments.indexes.names_server() {
        return Err(Failure::setting(
            "DATABASE_URL: the metadata is in a database server, which is backed up by its own means (pg_dump)",
        ));
    }
    let indexes = Indexes::reach(&arguments.indexes, false)?;
    let mut file = durable_file::create_private(path).map_err(failed)?;
    match indexes {
        Indexes::Remote(client) => client.backup(|piece| file.write_all(piece)).await?,
        Indexes::Local(engine) => {
            let prepared = DataFolder::new(arguments.indexes.data_dir(), Arc::new(engine)).capture();
            let written = prepared
                .map_err(|error| Failure::Start(format!("the backup cannot be made: {}", error_chain(&error))))?;
            written.write_to(io::BufWriter::new(&mut file)).map_err(failed)?;
        }
    }
    file.sync_all().map_err(failed)?;
    BackupReader::at(path).check().map_err(|error| refused(path, &error))
}

/// Reads a backup as a restore would.
async fn verify(file: &Path) -> Result<Manifest, Failure> {
    let folder =
        tempfile::Builder::new().prefix(".verify-").tempdir_in(durable_file::parent(file)).map_err(|error| {
            Failure::Start(format!("the backup {} cannot be unpacked beside it: {error}", file.display()))
        })?;
    let manifest = BackupReader::at(file).extract(folder.path()).map_err(|error| refused(file, &error))?;
    examine(folder.path(), &manifest).await.map_err(|problem| {
        Failure::Start(format!("the backup {} was made of something damaged: {problem}", file.display()))
    })?;
    Ok(manifest)
}

/// Says why a file is not restored.
pub(crate) fn refused(file: &Path, error: &BackupError) -> Failure {
    Failure::Start(match error {
        BackupError::Io { .. } | BackupError::Capture(_) => {
            format!("the backup {} cannot be read: {}", file.display(), error_chain(error))
        }
        _ => format!("{} {error}", file.display()),
    })
}

/// Describes a backup.
pub(crate) fn in_short(manifest: &Manifest) -> String {
    format!(
        "{} files of {:.1} MB, made at {} by version {}",
        manifest.files.len(),
        manifest.bytes() as f64 / 1e6,
        manifest.created_at,
        manifest.version
    )
}

/// Writes a line. A closed pipe is no failure of what was done.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stdout(), "{line}");
}
