//! Checks the lookup database against the metadata that it is derived from, and removes it so that it is rebuilt.

use std::path::Path;

use cantata_store::{Result, StoreError};
use rusqlite::Connection;

use super::database::{LookupDatabase, remove};
use super::run::RunLookup;
use crate::database::{StorePaths, open_reader, sqlite_error, with_statement};
use crate::file_block::decode;

const CHECKING: &str = "checking the lookup database";

/// Checks the lookup database of a store that is not in use, and returns the problems found; one that is missing has none.
pub fn check_lookup(folder: &Path) -> Result<Vec<String>> {
    let paths = StorePaths::within(folder);
    if !paths.lookup.try_exists().map_err(|error| StoreError::failed(CHECKING, error))? {
        return Ok(Vec::new());
    }
    let connection = open_reader(&paths.lookup)?;
    let mut problems: Vec<String> = with_statement(&connection, CHECKING, "PRAGMA integrity_check", |check| {
        check.query_map([], |row| row.get(0))?.collect()
    })?;
    problems.retain(|line| line != "ok");
    if !problems.is_empty() {
        return Ok(problems);
    }
    let Some(lookup) = LookupDatabase::open_existing(&paths.lookup)? else { return Ok(Vec::new()) };
    let runs = lookup.runs();
    let metadata = open_reader(&paths.metadata)?;
    let mut select = metadata
        .prepare("SELECT block_key, files FROM file_block WHERE block_key <= ?1")
        .map_err(|error| sqlite_error(CHECKING, error))?;
    let mut rows = select.query([lookup.applied()]).map_err(|error| sqlite_error(CHECKING, error))?;
    while let Some(row) = rows.next().map_err(|error| sqlite_error(CHECKING, error))? {
        let (block_key, encoded) = <(i64, Vec<u8>)>::try_from(row).map_err(|error| sqlite_error(CHECKING, error))?;
        for file in decode(&encoded)? {
            for hash in lookup.key().hashes_of(&file) {
                let mut is_block = |found: i64| Ok((found == block_key).then_some(()));
                let is_found = runs
                    .iter()
                    .any(|run| matches!(run.find(&connection, hash, &mut is_block), Ok(RunLookup::Found(()))));
                if !is_found {
                    return Ok(vec![format!("it does not find file {}", file.object_id)]);
                }
            }
        }
    }
    Ok(Vec::new())
}

/// Fails if there is a lookup database that has more than the metadata, which then has lost something.
pub(crate) fn check_not_ahead(paths: &StorePaths, metadata: &Connection) -> Result<()> {
    if !paths.lookup.try_exists().map_err(|error| StoreError::failed(CHECKING, error))? {
        return Ok(());
    }
    match LookupDatabase::open_existing(&paths.lookup) {
        Ok(Some(lookup)) => lookup.ensure_not_ahead(metadata),
        // It is rebuilt.
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Removes the lookup database of a store that is not in use; the next start rebuilds it.
pub fn remove_lookup(folder: &Path) -> Result<()> {
    remove(&StorePaths::within(folder).lookup)
}
