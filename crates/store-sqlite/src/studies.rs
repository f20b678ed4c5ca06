//! Studies in SQLite.

use cantata_core::Study;
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::checksum::{check, checksum_of};
use crate::database::with_statement;

const READING: &str = "reading a study";

pub(crate) fn create(connection: &Connection, study: &Study) -> Result<bool> {
    let document =
        serde_json::to_string(study).map_err(|error| StoreError::failed("writing a study as JSON", error))?;
    let checksum = checksum_of(&[study.study_id.as_bytes(), document.as_bytes()]);
    let sql = "INSERT INTO study (study_id, document, checksum) VALUES (?1, ?2, ?3) ON CONFLICT (study_id) DO NOTHING";
    let params = (&study.study_id, document, checksum);
    Ok(with_statement(connection, "storing a study", sql, |insert| insert.execute(params))? == 1)
}

pub(crate) fn find(connection: &Connection, study_id: &str) -> Result<Option<Study>> {
    let sql = "SELECT document, checksum FROM study WHERE study_id = ?1";
    let read = |row: &Row<'_>| Ok((row.get_ref(0)?.as_bytes()?.to_vec(), row.get(1)?));
    let found: Option<(Vec<u8>, Option<u32>)> =
        with_statement(connection, READING, sql, |select| select.query_row([study_id], read).optional())?;
    let location = || format!("study {study_id}");
    let study = found.map(|(document, checksum)| {
        check(checksum, &[study_id.as_bytes(), &document], location)?;
        serde_json::from_slice(&document).map_err(|error| StoreError::corrupt(location(), error))
    });
    study.transpose()
}

pub(crate) fn ids(connection: &Connection) -> Result<Vec<String>> {
    let sql = "SELECT study_id FROM study ORDER BY study_id";
    with_statement(connection, "listing studies", sql, |select| select.query_map([], |row| row.get(0))?.collect())
}

/// Returns the key by which other tables name a study.
pub(crate) fn key(connection: &Connection, study_id: &str) -> Result<Option<i64>> {
    let sql = "SELECT study_key FROM study WHERE study_id = ?1";
    with_statement(connection, READING, sql, |select| select.query_row([study_id], |row| row.get(0)).optional())
}

/// Returns the id of the study that a block of files belongs to.
pub(crate) fn id_of_block(connection: &Connection, block_key: i64) -> Result<String> {
    let operation = "reading the study of a file";
    // No study has the key of a block that is damaged; then the id is NULL, which is reported as damage.
    let sql = "SELECT study_id FROM file_block LEFT JOIN study USING (study_key) WHERE block_key = ?1";
    with_statement(connection, operation, sql, |select| select.query_row([block_key], |row| row.get(0)))
}
