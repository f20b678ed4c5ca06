//! Gives checksums to the rows that an older version has written, once, at the first start of a version that has them.
//!
//! The rows are done in steps, each a transaction: a start that was interrupted goes on where it was, and the write-ahead
//! log of a large database stays small. `PRAGMA user_version` says that all rows have one.

use cantata_core::AnalysisId;
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, Row};

use crate::checksum::{checksum_of, of_revision};
use crate::database::{sqlite_error, with_statement};

const OPERATION: &str = "giving checksums to stored rows";

/// The `user_version` of a database whose rows all have checksums.
const COMPLETE: i64 = 1;

/// How many rows are done in one transaction.
const STEP_ROWS: i64 = 1_000;

const IS_MISSING: &str = "SELECT EXISTS (SELECT 1 FROM study WHERE checksum IS NULL)
                             OR EXISTS (SELECT 1 FROM analysis_type WHERE checksum IS NULL)
                             OR EXISTS (SELECT 1 FROM event WHERE checksum IS NULL)
                             OR EXISTS (SELECT 1 FROM file_block WHERE checksum IS NULL)";

/// A table whose rows have checksums.
struct Table {
    /// Selects rows without a checksum after a key, in order: the key, and the columns of the checksum.
    select: &'static str,
    update: &'static str,
    checksum: fn(&Row<'_>) -> rusqlite::Result<u32>,
}

const TABLES: [Table; 4] = [
    Table {
        select: "SELECT study_key, study_id, document FROM study
                 WHERE study_key > ?1 AND checksum IS NULL ORDER BY study_key LIMIT ?2",
        update: "UPDATE study SET checksum = ?2 WHERE study_key = ?1",
        checksum: |row| Ok(checksum_of(&[row.get_ref(1)?.as_bytes()?, row.get_ref(2)?.as_bytes()?])),
    },
    Table {
        select: "SELECT registration, name, version, options, schema FROM analysis_type
                 WHERE registration > ?1 AND checksum IS NULL ORDER BY registration LIMIT ?2",
        update: "UPDATE analysis_type SET checksum = ?2 WHERE registration = ?1",
        checksum: |row| {
            let version = row.get::<_, u32>(2)?.to_le_bytes();
            let text = |column: usize| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_bytes()?);
            Ok(checksum_of(&[text(1)?, &version, text(3)?, text(4)?]))
        },
    },
    Table {
        select: "SELECT seq, analysis_id, state, action, document FROM event
                 WHERE seq > ?1 AND checksum IS NULL ORDER BY seq LIMIT ?2",
        update: "UPDATE event SET checksum = ?2 WHERE seq = ?1",
        checksum: |row| {
            let analysis_id = AnalysisId::from_bytes(row.get(1)?);
            Ok(of_revision(analysis_id, row.get(2)?, row.get(3)?, row.get_ref(4)?.as_bytes()?))
        },
    },
    Table {
        select: "SELECT block_key, analysis_id, files FROM file_block
                 WHERE block_key > ?1 AND checksum IS NULL ORDER BY block_key LIMIT ?2",
        update: "UPDATE file_block SET checksum = ?2 WHERE block_key = ?1",
        checksum: |row| Ok(checksum_of(&[row.get_ref(1)?.as_bytes()?, row.get_ref(2)?.as_bytes()?])),
    },
];

/// Gives checksums to all rows that have none, unless that was done.
///
/// # Errors
///
/// If the database cannot be written, or its pages are damaged: a checksum would say that damage was written.
pub(crate) fn fill(connection: &mut Connection) -> Result<()> {
    let sql = "PRAGMA user_version";
    let version: i64 = with_statement(connection, OPERATION, sql, |select| select.query_row([], |row| row.get(0)))?;
    if version >= COMPLETE {
        return Ok(());
    }
    let is_missing: bool =
        with_statement(connection, OPERATION, IS_MISSING, |select| select.query_row([], |row| row.get(0)))?;
    if is_missing {
        tracing::info!("rows that an older version has written get checksums; this happens once");
        ensure_intact(connection)?;
        for table in &TABLES {
            fill_table(connection, table)?;
        }
        tracing::info!("all rows have checksums");
    }
    connection.pragma_update(None, "user_version", COMPLETE).map_err(|error| sqlite_error(OPERATION, error))
}

fn ensure_intact(connection: &Connection) -> Result<()> {
    let sql = "PRAGMA integrity_check(1)";
    let found: String = with_statement(connection, OPERATION, sql, |check| check.query_row([], |row| row.get(0)))?;
    match found.as_str() {
        "ok" => Ok(()),
        _ => Err(StoreError::corrupt("metadata.db", format!("{found}; restore the data folder from a backup"))),
    }
}

fn fill_table(connection: &mut Connection, table: &Table) -> Result<()> {
    let mut last = i64::MIN;
    loop {
        let rows: Vec<(i64, u32)> = with_statement(connection, OPERATION, table.select, |select| {
            let read = |row: &Row<'_>| Ok((row.get(0)?, (table.checksum)(row)?));
            select.query_map((last, STEP_ROWS), read)?.collect()
        })?;
        let Some((newest, _)) = rows.last() else { return Ok(()) };
        last = *newest;
        let transaction = connection.transaction().map_err(|error| sqlite_error(OPERATION, error))?;
        for (key, checksum) in rows {
            with_statement(&transaction, OPERATION, table.update, |update| update.execute((key, checksum)))?;
        }
        transaction.commit().map_err(|error| sqlite_error(OPERATION, error))?;
    }
}
