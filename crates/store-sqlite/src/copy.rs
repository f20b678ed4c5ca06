//! Copying the database while it is written to, and checking a copy.

use std::path::Path;

use cantata_store::{Result, StoreError};

use crate::database::{Files, open_reader};

/// Copies the database of a store into a file that is not there or empty, while the store is in use. The copy has
/// everything that was answered with success before the call, and nobody waits for it.
pub fn copy_database(folder: &Path, target: &Path) -> Result<()> {
    let target = target
        .to_str()
        .ok_or_else(|| StoreError::failed("copying the metadata database", "the name of the copy is no text"))?;
    open_reader(&Files::within(folder).metadata)?
        .execute("VACUUM INTO ?1", [target])
        .map(|_| ())
        .map_err(|error| StoreError::failed("copying the metadata database", error))
}

/// Reads the database of a store that is not in use as a whole, and returns what is wrong with it.
pub fn check_database(folder: &Path) -> Result<Vec<String>> {
    let failed = |error: rusqlite::Error| StoreError::failed("checking the metadata database", error);
    let connection = open_reader(&Files::within(folder).metadata)?;
    let mut check = connection.prepare("PRAGMA integrity_check").map_err(failed)?;
    let found: rusqlite::Result<Vec<String>> = check.query_map([], |row| row.get(0)).map_err(failed)?.collect();
    let mut problems = found.map_err(failed)?;
    problems.retain(|line| line != "ok");
    Ok(problems)
}
