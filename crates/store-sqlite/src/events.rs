//! Events in SQLite: reading the table of revisions in its own order.

use cantata_core::Event;
use cantata_store::codes::{action_from_code, state_from_code, to_bigint};
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, Row};

use crate::checksum::RevisionRow;
use crate::database::with_statement;

const READING: &str = "reading events";

/// The columns of an event: number, study, if there is one with its key, and revision.
type EventRow = (u64, Option<String>, RevisionRow);

pub(crate) fn after(connection: &Connection, after: u64, limit: usize) -> Result<Vec<Event>> {
    let sql = "SELECT seq, study_id, analysis_id, state, action, event.document, event.checksum
             FROM event LEFT JOIN study USING (study_key) WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    let params = (to_bigint(after), to_bigint(limit as u64));
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, RevisionRow::read(row, 2)?));
    let rows: Vec<EventRow> =
        with_statement(connection, READING, sql, |select| select.query_map(params, read)?.collect())?;
    rows.into_iter().map(read_event).collect()
}

pub(crate) fn latest(connection: &Connection) -> Result<u64> {
    let sql = "SELECT coalesce(max(seq), 0) FROM event";
    with_statement(connection, READING, sql, |select| select.query_row([], |row| row.get(0)))
}

fn read_event((seq, study_id, row): EventRow) -> Result<Event> {
    let (analysis_id, state, action) = (row.analysis_id, row.state, row.action);
    // Left out, it would be an event that never happened for all who follow the events.
    let study_id = study_id.ok_or_else(|| {
        StoreError::corrupt(format!("revision {seq} of analysis {analysis_id}"), "it belongs to no study")
    })?;
    let document = row.into_document(seq, analysis_id)?;
    let (state, action) = (state_from_code(state)?, action_from_code(action)?);
    Ok(Event { seq, analysis_id, study_id, state, action, document })
}
