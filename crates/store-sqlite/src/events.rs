//! Events in SQLite: reading the table of revisions in its own order.

use cantata_core::{AnalysisId, Event};
use cantata_store::codes::{action_from_code, state_from_code};
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, Row};

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::failed("reading events", error)
}

pub(crate) fn after(connection: &Connection, after: u64, limit: usize) -> Result<Vec<Event>> {
    let mut select = connection
        .prepare_cached(
            "SELECT seq, analysis_id, study_id, state, action, event.document FROM event JOIN study USING (study_key)
             WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        )
        .map_err(failed)?;
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = select.query_map((after, limit), |row| Ok(read(row))).map_err(failed)?;
    rows.map(|row| row.map_err(failed)?).collect()
}

pub(crate) fn latest(connection: &Connection) -> Result<u64> {
    connection.query_row("SELECT coalesce(max(seq), 0) FROM event", [], |row| row.get(0)).map_err(failed)
}

fn read(row: &Row<'_>) -> Result<Event> {
    Ok(Event {
        seq: row.get(0).map_err(failed)?,
        analysis_id: AnalysisId::from_bytes(row.get(1).map_err(failed)?),
        study_id: row.get(2).map_err(failed)?,
        state: state_from_code(row.get(3).map_err(failed)?)?,
        action: action_from_code(row.get(4).map_err(failed)?)?,
        document: row.get(5).map_err(failed)?,
    })
}
