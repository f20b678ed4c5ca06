//! Studies in SQLite.

use cantata_core::Study;
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, OptionalExtension};

pub(crate) fn create(connection: &Connection, study: &Study) -> Result<bool> {
    let failed = |error: rusqlite::Error| StoreError::failed("storing a study", error);
    let document =
        serde_json::to_string(study).map_err(|error| StoreError::failed("writing a study as JSON", error))?;
    let rows = connection
        .prepare_cached("INSERT INTO study (study_id, document) VALUES (?1, ?2) ON CONFLICT (study_id) DO NOTHING")
        .and_then(|mut insert| insert.execute((&study.study_id, document)))
        .map_err(failed)?;
    Ok(rows == 1)
}

pub(crate) fn find(connection: &Connection, study_id: &str) -> Result<Option<Study>> {
    let document: Option<String> = connection
        .prepare_cached("SELECT document FROM study WHERE study_id = ?1")
        .and_then(|mut select| select.query_row([study_id], |row| row.get(0)).optional())
        .map_err(|error| StoreError::failed("reading a study", error))?;
    document
        .map(|document| serde_json::from_str(&document))
        .transpose()
        .map_err(|error| StoreError::corrupt(format!("study {study_id}"), error))
}

pub(crate) fn ids(connection: &Connection) -> Result<Vec<String>> {
    connection
        .prepare_cached("SELECT study_id FROM study ORDER BY study_id")
        .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect())
        .map_err(|error| StoreError::failed("listing studies", error))
}

/// Returns the key by which other tables name a study.
pub(crate) fn key(connection: &Connection, study_id: &str) -> Result<Option<i64>> {
    connection
        .prepare_cached("SELECT study_key FROM study WHERE study_id = ?1")
        .and_then(|mut select| select.query_row([study_id], |row| row.get(0)).optional())
        .map_err(|error| StoreError::failed("reading a study", error))
}

/// Returns the id of the study that a block of files belongs to.
pub(crate) fn id_of_block(connection: &Connection, block_key: i64) -> Result<String> {
    connection
        .prepare_cached("SELECT study_id FROM file_block JOIN study USING (study_key) WHERE block_key = ?1")
        .and_then(|mut select| select.query_row([block_key], |row| row.get(0)))
        .map_err(|error| StoreError::failed("reading the study of a file", error))
}
