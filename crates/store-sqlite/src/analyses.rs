//! Reading analyses from SQLite; `revisions` writes them.

use cantata_core::AnalysisId;
use cantata_store::codes::state_bits;
use cantata_store::{AnalysisQuery, Result, Revision, StateSet, StoreError, StoredAnalysis};
use rusqlite::{Connection, OptionalExtension};

fn read_error(error: rusqlite::Error) -> StoreError {
    StoreError::failed("reading analyses", error)
}

pub(crate) fn find(connection: &Connection, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
    connection
        .prepare_cached(
            "SELECT revision, study_id, event.document FROM analysis
             JOIN event ON event.seq = analysis.revision
             JOIN study ON study.study_key = analysis.study_key
             WHERE analysis.analysis_id = ?1",
        )
        .and_then(|mut select| {
            let read = |row: &rusqlite::Row<'_>| {
                Ok(StoredAnalysis { revision: Revision(row.get(0)?), study_id: row.get(1)?, document: row.get(2)? })
            };
            select.query_row([id.as_bytes()], read).optional()
        })
        .map_err(read_error)
}

/// Returns the revision an analysis is at.
pub(crate) fn revision_of(connection: &Connection, id: AnalysisId) -> Result<Option<Revision>> {
    connection
        .prepare_cached("SELECT revision FROM analysis WHERE analysis_id = ?1")
        .and_then(|mut select| select.query_row([id.as_bytes()], |row| row.get(0)).optional())
        .map(|revision| revision.map(Revision))
        .map_err(read_error)
}

pub(crate) fn list(connection: &Connection, query: &AnalysisQuery) -> Result<Vec<Revision>> {
    let limit = query.limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
    let offset = i64::try_from(query.offset).unwrap_or(i64::MAX);
    let mut select = connection
        .prepare_cached(
            "SELECT revision FROM analysis
             WHERE study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND (?2 & (1 << state)) != 0
             ORDER BY analysis_id LIMIT ?3 OFFSET ?4",
        )
        .map_err(read_error)?;
    let revisions = select
        .query_map((&query.study_id, state_bits(query.states), limit, offset), |row| Ok(Revision(row.get(0)?)))
        .map_err(read_error)?;
    revisions.collect::<rusqlite::Result<_>>().map_err(read_error)
}

pub(crate) fn count_in_states(connection: &Connection, study_id: &str, states: StateSet) -> Result<u64> {
    connection
        .prepare_cached(
            "SELECT coalesce(sum(analyses), 0) FROM analysis_count
             WHERE study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND (?2 & (1 << state)) != 0",
        )
        .and_then(|mut select| select.query_row((study_id, state_bits(states)), |row| row.get(0)))
        .map_err(read_error)
}

pub(crate) fn documents(connection: &Connection, revisions: &[Revision]) -> Result<Vec<String>> {
    let mut select = connection.prepare_cached("SELECT document FROM event WHERE seq = ?1").map_err(read_error)?;
    revisions
        .iter()
        .map(|revision| {
            select
                .query_row([to_sql(*revision)], |row| row.get(0))
                .optional()
                .map_err(read_error)?
                .ok_or_else(|| StoreError::corrupt(format!("revision {}", revision.0), "it is missing"))
        })
        .collect()
}

/// Converts a revision to its SQL type.
pub(crate) fn to_sql(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}
