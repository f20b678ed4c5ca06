//! Copies the database while it is in use, and checks a copy.

use std::path::Path;

use cantata_store::{Result, StoreError};

use crate::database::{StorePaths, open_reader, with_statement};

/// Copies the database of a store into a new or empty file while the store is in use. The copy has everything that was
/// committed before the call, and blocks neither readers nor the writer.
pub fn copy_database(folder: &Path, target: &Path) -> Result<()> {
    const OPERATION: &str = "copying the metadata database";
    let target = target.to_str().ok_or_else(|| StoreError::failed(OPERATION, "the name of the copy is no text"))?;
    let connection = open_reader(&StorePaths::within(folder).metadata)?;
    with_statement(&connection, OPERATION, "VACUUM INTO ?1", |copy| copy.execute([target])).map(|_| ())
}

/// Checks the integrity of the database of a store that is not in use, and returns the problems found.
pub fn check_database(folder: &Path) -> Result<Vec<String>> {
    let connection = open_reader(&StorePaths::within(folder).metadata)?;
    let (operation, sql) = ("checking the metadata database", "PRAGMA integrity_check");
    let mut problems: Vec<String> =
        with_statement(&connection, operation, sql, |check| check.query_map([], |row| row.get(0))?.collect())?;
    problems.retain(|line| line != "ok");
    Ok(problems)
}
