//! What belongs together in a data folder: the metadata, and what is derived from it.
//!
//! Without its metadata a server would start healthy and empty, and follow the empty store with its indexes. So a folder that
//! has lost it, or has an older one than its indexes were built from, is rejected with what to do.

use std::io::{self, ErrorKind};
use std::path::Path;

use cantata_engine::{EngineError, IndexAdmin, IndexWriter};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_store::Store;
use cantata_store_sqlite::METADATA_FILE;

use super::{INDEXING_FOLDER, unusable};
use crate::error::CliError;

/// What only a server that has metadata leaves in its folder.
const COMPANIONS: [&str; 3] = ["metadata.db-wal", "lookup.db", INDEXING_FOLDER];

/// Rejects a folder without metadata that has what belongs to it.
pub(crate) fn ensure_metadata_is_not_lost(folder: &Path) -> Result<(), CliError> {
    let failed = |error: io::Error| unusable(folder, error);
    // To SQLite an empty file is a new database.
    let is_there = match fs_err::metadata(folder.join(METADATA_FILE)) {
        Ok(file) => file.len() > 0,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(failed(error)),
    };
    if is_there {
        return Ok(());
    }
    let mut companions = Vec::new();
    for name in COMPANIONS {
        if folder.join(name).try_exists().map_err(failed)? {
            companions.push(name);
        }
    }
    if companions.is_empty() {
        return Ok(());
    }
    let companions = companions.join(", ");
    Err(CliError::failed(format!(
        "the data folder {} has lost its metadata: {METADATA_FILE} is missing or empty, but what belongs to it is there \
         ({companions}); put {METADATA_FILE} back, or restore the whole folder from a backup with `cantata restore`; if the \
         metadata is in PostgreSQL, set DATABASE_URL; to start with no studies and no analyses, remove {companions} first",
        folder.display()
    )))
}

/// Rejects metadata that is behind an index that was built from it.
pub(crate) async fn ensure_metadata_is_not_behind(
    folder: &Path,
    store: &dyn Store,
    engine: &EmbeddedEngine,
) -> Result<(), CliError> {
    let latest = *store.latest_event().borrow();
    let ahead = index_positions(engine).await?.into_iter().find(|index| index.event > latest);
    let Some(IndexPosition { name, event }) = ahead else { return Ok(()) };
    Err(CliError::failed(format!(
        "the metadata in the data folder {} is behind index `{name}`, which was built from it: {METADATA_FILE} ends with event \
         {latest}, and the index has event {event}; restore the folder from a backup with `cantata restore`, or, if this \
         {METADATA_FILE} is the right one, remove the index with `cantata index delete {name} --yes`, and it is built again",
        folder.display()
    )))
}

/// How far an index has followed the events of the store.
struct IndexPosition {
    name: String,
    /// The number of the event.
    event: u64,
}

/// Returns the positions of the indexes that follow the store; those of other sources are no numbers.
async fn index_positions(engine: &EmbeddedEngine) -> Result<Vec<IndexPosition>, EngineError> {
    let mut positions = Vec::new();
    for index in engine.indexes().await?.into_iter().filter(|index| index.problem.is_none()) {
        // One that cannot be written now is searched all the same, and says so by itself.
        let Ok(position) = engine.position(&index.name).await else { continue };
        let event = position.and_then(|position| position.parse().ok());
        positions.extend(event.map(|event| IndexPosition { name: index.name, event }));
    }
    Ok(positions)
}
