//! Copies the database while it is in use.

use std::path::Path;

use cantata_store::{Result, StoreError};

use crate::check::damaged_rows;
use crate::database::{StorePaths, open_reader, with_statement};

/// Copies the database of a store into a new or empty file while the store is in use. The copy has everything that was
/// committed before the call, and blocks neither readers nor the writer.
///
/// # Errors
///
/// If the database cannot be read, or a row of it is damaged; a copy of damage would replace older, sound ones.
pub fn copy_database(folder: &Path, target: &Path) -> Result<()> {
    const OPERATION: &str = "copying the metadata database";
    let name = target.to_str().ok_or_else(|| StoreError::failed(OPERATION, "the name of the copy is no text"))?;
    let connection = open_reader(&StorePaths::within(folder).metadata)?;
    with_statement(&connection, OPERATION, "VACUUM INTO ?1", |copy| copy.execute([name]))?;
    match damaged_rows(&open_reader(target)?)?.first() {
        None => Ok(()),
        Some(problem) => Err(StoreError::corrupt("the metadata database", problem.clone())),
    }
}
