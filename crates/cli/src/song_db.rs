//! `cantata import song-db`: the database of a SONG server, taken over into the store that `serve` would use.

mod progress;

use std::io::{self, Write};
use std::process::ExitCode;

use cantata_catalogue::Secret;
use cantata_song_import as song;
use cantata_store_postgres::DatabaseAddress;
use clap::Args;
use serde_json::json;

use self::progress::Progress;
use crate::command::ConfigArgument;
use crate::failure::Failure;
use crate::restore::refuse_half;
use crate::settings::{DatabaseSettings, LoggingSettings, StoreSettings, secret};
use crate::stores::open_store;

/// What `cantata import song-db` is told.
#[derive(Debug, Args)]
pub(crate) struct SongDbArguments {
    /// The database of the SONG server, such as postgres://user:password@host:5432/song; as an argument, everybody on
    /// the machine could read the password
    #[arg(value_name = "URL", env = "SONG_DATABASE_URL", hide_env_values = true, value_parser = secret)]
    url: Secret,
    /// Writes the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    store: StoreSettings,
    #[command(flatten)]
    database: DatabaseSettings,
    #[command(flatten)]
    pub(crate) logging: LoggingSettings,
}

/// Takes over a database; the exit code says whether everything in it was taken.
pub(crate) async fn import(arguments: &SongDbArguments) -> Result<ExitCode, Failure> {
    let address = DatabaseAddress::parse(arguments.url.reveal())
        .map_err(|error| Failure::setting(format!("the database of SONG: {error}")))?;
    let mut client = address
        .connect()
        .await
        .map_err(|error| Failure::Start(format!("the database of SONG at {address} cannot be read: {error}")))?;
    refuse_half(&arguments.store.data_dir)?;
    let store = open_store(&arguments.database, &arguments.store.data_dir).await?;
    let mut progress = Progress::default();
    let imported = song::import(&mut client, &*store, &mut |done, total| progress.advance(done, total)).await;
    progress.finish();
    let report = imported
        .map_err(|error| Failure::Start(format!("{error}; the same command goes on with what is not here yet")))?;
    let mut stdout = io::stdout().lock();
    // Nobody needs to read it; a closed pipe is no failure of the import.
    let _ = if arguments.json {
        let mut shown = json!(report);
        shown["isComplete"] = json!(report.is_complete());
        writeln!(stdout, "{shown:#}")
    } else {
        writeln!(stdout, "{report}")
    };
    Ok(if report.is_complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
