//! `cantata restore`: a data folder out of a backup.
//!
//! Everything is unpacked into a folder within the data folder, opened and read as a whole there, and then moved. As
//! long as that folder is there nothing is served from the data folder, so a half restore never is.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cantata_backup::{BackupReader, Manifest};
use cantata_durable_file as durable_file;
use cantata_engine::IndexAdministration;
use cantata_engine_embedded::EmbeddedEngine;
use cantata_store_sqlite::{DATABASE, SqliteStore, check_database};
use clap::Args;

use crate::backup::{in_short, refused, tell};
use crate::command::ConfigArgument;
use crate::failure::Failure;
use crate::serve::SEARCH_FOLDER;
use crate::settings::{LoggingSettings, StoreSettings};

/// The folder that a restore works in.
const UNFINISHED: &str = ".restoring";

/// What a folder may have and still be empty: file systems put it into their uppermost folder.
const OF_THE_FILE_SYSTEM: &str = "lost+found";

/// What `cantata restore` is told.
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

/// Makes a data folder out of a backup.
pub(crate) async fn restore(arguments: &RestoreArguments) -> Result<ExitCode, Failure> {
    let folder = &arguments.store.data_dir;
    let failed = |reason: String| Failure::Start(format!("{} cannot be restored into: {reason}", folder.display()));
    let unfinished = begin(folder).map_err(failed)?;
    let restored = unpack(&arguments.file, &unfinished).await;
    if restored.is_err() {
        // It was made a moment ago and has nothing but what was unpacked.
        let _ = fs_err::remove_dir_all(&unfinished);
    }
    let manifest = restored?;
    finish(folder, &unfinished).map_err(|error| failed(error.to_string()))?;
    tell(&format!("{} is restored: {}", folder.display(), in_short(&manifest)));
    Ok(ExitCode::SUCCESS)
}

/// Refuses a data folder that a restore has not finished.
pub(crate) fn refuse_half(folder: &Path) -> Result<(), Failure> {
    let refused = |reason: &str| Err(Failure::Start(format!("the data folder {} {reason}", folder.display())));
    match folder.join(UNFINISHED).try_exists() {
        Ok(false) => Ok(()),
        Ok(true) => refused("is half restored; wait for `cantata restore`, or empty the folder and restore again"),
        Err(error) => refused(&format!("cannot be used: {error}; DATA_DIR names the data folder")),
    }
}

/// Makes the folder to work in, in a data folder that must be empty.
fn begin(folder: &Path) -> Result<PathBuf, String> {
    fs_err::create_dir_all(folder).map_err(|error| error.to_string())?;
    let unfinished = folder.join(UNFINISHED);
    let entries = fs_err::read_dir(folder).map_err(|error| error.to_string())?;
    for entry in entries {
        let name = entry.map_err(|error| error.to_string())?.file_name();
        if name == UNFINISHED {
            return Err("another restore is under way or was cut off; if nobody is at it, empty the folder".to_owned());
        }
        if name != OF_THE_FILE_SYSTEM {
            return Err(format!("it is not empty, it has {name:?}; DATA_DIR names another one"));
        }
    }
    match fs_err::create_dir(&unfinished) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err("another restore is under way".to_owned()),
        made => made.map(|()| unfinished).map_err(|error| error.to_string()),
    }
}

async fn unpack(file: &Path, folder: &Path) -> Result<Manifest, Failure> {
    let manifest = BackupReader::at(file).extract(folder).map_err(|error| refused(file, &error))?;
    let damaged = |problem| Failure::Start(format!("{} was made of something damaged: {problem}", file.display()));
    examine(folder, &manifest).await.map_err(damaged)?;
    Ok(manifest)
}

/// Opens and reads everything that was unpacked; returns the first thing that is wrong.
pub(crate) async fn examine(folder: &Path, manifest: &Manifest) -> Result<(), String> {
    if folder.join(DATABASE).is_file() {
        let problems = check_database(folder).map_err(|error| error.to_string())?;
        if !problems.is_empty() {
            return Err(format!("the metadata: {}", problems.join("; ")));
        }
        // Opening it makes the look-up anew, which the first start would have to wait for.
        SqliteStore::open(folder).map_err(|error| error.to_string())?;
    }
    // An index is a folder; what stands beside the folders is about all of them.
    let of_an_index = |path: &str| {
        let (index, _file) = path.strip_prefix(SEARCH_FOLDER)?.strip_prefix('/')?.split_once('/')?;
        Some(index.to_owned())
    };
    let indexes: BTreeSet<String> = manifest.files.iter().filter_map(|file| of_an_index(&file.path)).collect();
    let engine = EmbeddedEngine::open(&folder.join(SEARCH_FOLDER)).map_err(|error| error.to_string())?;
    for index in indexes {
        let problems = engine.verify(&index).await.map_err(|error| error.to_string())?;
        if !problems.is_empty() {
            return Err(format!("index `{index}`: {}", problems.join("; ")));
        }
    }
    Ok(())
}

/// Moves everything to its place; the data folder counts when the last step is done.
fn finish(folder: &Path, unfinished: &Path) -> io::Result<()> {
    for entry in fs_err::read_dir(unfinished)? {
        let entry = entry?;
        fs_err::rename(entry.path(), folder.join(entry.file_name()))?;
    }
    durable_file::sync_folder(folder)?;
    fs_err::remove_dir(unfinished)?;
    durable_file::sync_folder(folder)
}
