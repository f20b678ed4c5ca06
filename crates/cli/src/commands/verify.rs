//! `cantata verify`: reads a whole data folder and reports what is damaged; `--repair` removes what is derived and damaged, so
//! that it is built again.
//!
//! Metadata and keys are the only copies of what they hold, so nothing is ever done to them.

mod parts;

use std::process::ExitCode;

use cantata_engine_embedded::{EmbeddedEngine, OpenError};
use clap::Args;
use serde_json::json;

use self::parts::{
    CheckedPart, check_aliases, check_indexes, check_indexing, check_keys, check_leftovers, check_lookup_database,
    check_metadata, last_event,
};
use crate::backends::StoreAccessArguments;
use crate::data_dir::{SEARCH_FOLDER, ensure_not_restoring, unusable};
use crate::error::CliError;
use crate::terminal::print_line;

/// The arguments of `cantata verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Removes damaged parts that are derived from others; the next start builds them again
    #[arg(long)]
    repair: bool,
    /// Writes JSON instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) access: StoreAccessArguments,
}

/// Verifies a data folder; the exit code is 1 if something is damaged and was not repaired.
pub(crate) async fn verify(arguments: &VerifyArguments) -> Result<ExitCode, CliError> {
    let folder = &arguments.access.store.data_dir;
    if !folder.is_dir() {
        return Err(CliError::failed(format!(
            "there is no data folder {}; DATA_DIR names the data folder",
            folder.display()
        )));
    }
    ensure_not_restoring(folder)?;
    // Its lock keeps servers away.
    let engine = EmbeddedEngine::open(&folder.join(SEARCH_FOLDER)).map_err(|error| match error {
        OpenError::InUse(_) => CliError::failed(format!(
            "the data folder {} is in use; stop its server first, or verify its indexes with `cantata index verify`",
            folder.display()
        )),
        OpenError::Io(error) => unusable(folder, error),
    })?;
    let mut parts: Vec<CheckedPart> = Vec::new();
    let mut latest = None;
    if arguments.access.database.address()?.is_none() {
        let metadata = check_metadata(folder);
        if metadata.is_sound() {
            latest = last_event(folder)?;
            parts.push(check_lookup_database(folder, arguments.repair));
        }
        parts.insert(0, metadata);
    }
    parts.extend(check_indexes(&engine, latest, arguments.repair).await?);
    parts.push(check_aliases(folder));
    parts.push(check_keys(folder));
    parts.extend(check_indexing(folder, arguments.repair)?);
    parts.extend(check_leftovers(folder, arguments.repair)?);
    let is_sound = parts.iter().all(|part| part.is_sound() || part.is_repaired);
    print_line(&match arguments.json {
        true => format!("{:#}", json!({"sound": is_sound, "parts": parts})),
        false => parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    });
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
