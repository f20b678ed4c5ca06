//! `cantata import song-db`: imports the database of a SONG server into the store that `serve` would use.

use std::process::ExitCode;

use cantata_core::Secret;
use cantata_song_import as song;
use cantata_store_postgres::DatabaseUrl;
use clap::Args;
use serde_json::json;

use crate::backends::{StoreAccessArguments, open_store};
use crate::data_dir::ensure_not_restoring;
use crate::error::CliError;
use crate::settings::secret;
use crate::terminal::{Progress, print_line};

/// The arguments of `cantata import song-db`.
#[derive(Debug, Args)]
pub(crate) struct SongDbArguments {
    /// The database of the SONG server, such as postgres://user:password@host:5432/song; other users of the machine can
    /// read arguments, so prefer the variable
    #[arg(value_name = "URL", env = "SONG_DATABASE_URL", hide_env_values = true, value_parser = secret)]
    url: Secret,
    /// Writes the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) access: StoreAccessArguments,
}

/// Imports a database; the exit code says whether everything was imported.
pub(crate) async fn import_song_db(arguments: &SongDbArguments) -> Result<ExitCode, CliError> {
    let address = DatabaseUrl::parse(arguments.url.reveal())
        .map_err(|error| CliError::setting(format!("the database of SONG: {error}")))?;
    let mut client = address
        .connect()
        .await
        .map_err(|error| CliError::caused(format!("the database of SONG at {address} cannot be read"), error))?;
    let folder = &arguments.access.store.data_dir;
    ensure_not_restoring(folder)?;
    let store = open_store(&arguments.access.database, folder).await?;
    let mut progress: Option<Progress> = None;
    let mut report = |done, total| {
        let progress = progress.get_or_insert_with(|| Progress::of_items(total));
        progress.advance(done, "analyses".to_owned());
        progress.log(|| format!("{done} of {total} analyses"));
    };
    let imported = song::import(&mut client, &*store, &mut report).await;
    drop(progress);
    let report = imported
        .map_err(|error| CliError::caused("the import failed", error).with_hint("the same command resumes it"))?;
    let mut json = json!(report);
    json["isComplete"] = json!(report.is_complete());
    print_line(&if arguments.json { format!("{json:#}") } else { report.to_string() });
    Ok(if report.is_complete() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
