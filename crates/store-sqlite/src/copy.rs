//! Copies the database while it is in use, and checks a copy.

use std::path::Path;

use cantata_store::{Result, StoreError};

use crate::database::{StorePaths, open_reader};

/// Copies the database of a store into a new or empty file while the store is in use. The copy has everything that was
/// committed before the call, and blocks neither readers nor the writer.
pub fn copy_database(folder: &Path, target: &Path) -> Result<()> {
    let target = target
        .to_str()
        .ok_or_else(|| StoreError::failed("copying the metadata database", "the name of the copy is no text"))?;
    open_reader(&StorePaths::within(folder).metadata)?
        .execute("VACUUM INTO ?1", [target])
        .map(|_| ())
        .map_err(|error| StoreError::failed("copying the metadata database", error))
}

/// Checks the integrity of the database of a store that is not in use, and returns the problems found.
pub fn check_database(folder: &Path) -> Result<Vec<String>> {
    let failed = |error: rusqlite::Error| StoreError::failed("checking the metadata database", error);
    let connection = open_reader(&StorePaths::within(folder).metadata)?;
    let mut check = connection.prepare("PRAGMA integrity_check").map_err(failed)?;
    let found: rusqlite::Result<Vec<String>> = check.query_map([], |row| row.get(0)).map_err(failed)?.collect();
    let mut problems = found.map_err(failed)?;
    problems.retain(|line| line != "ok");
    Ok(problems)
}
