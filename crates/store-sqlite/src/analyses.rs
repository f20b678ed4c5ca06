//! Reading analyses from SQLite; `revisions` writes them.

use cantata_core::AnalysisId;
use cantata_store::codes::{state_bits, to_bigint};
use cantata_store::{AnalysisQuery, Result, Revision, StateSet, StoreError, StoredAnalysis};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::checksum::RevisionRow;
use crate::database::with_statement;

const READING: &str = "reading analyses";

pub(crate) fn find(connection: &Connection, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
    // An analysis whose study or revision is not there is damaged, not missing: its columns are NULL then.
    let sql = "SELECT revision, study_id, event.analysis_id, event.state, action, event.document, event.checksum
             FROM analysis
             LEFT JOIN event ON event.seq = analysis.revision
             LEFT JOIN study ON study.study_key = analysis.study_key
             WHERE analysis.analysis_id = ?1";
    let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, RevisionRow::read(row, 2)?));
    let found: Option<(u64, String, RevisionRow)> =
        with_statement(connection, READING, sql, |select| select.query_row([id.as_bytes()], read).optional())?;
    let stored = found.map(|(revision, study_id, row)| {
        let document = row.into_document(revision, id)?;
        Ok(StoredAnalysis { revision: Revision(revision), study_id, document })
    });
    stored.transpose()
}

/// Returns the revision an analysis is at.
pub(crate) fn revision_of(connection: &Connection, id: AnalysisId) -> Result<Option<Revision>> {
    let sql = "SELECT revision FROM analysis WHERE analysis_id = ?1";
    let read = |row: &Row<'_>| row.get(0).map(Revision);
    with_statement(connection, READING, sql, |select| select.query_row([id.as_bytes()], read).optional())
}

pub(crate) fn list(connection: &Connection, query: &AnalysisQuery) -> Result<Vec<Revision>> {
    let read = |row: &Row<'_>| row.get(0).map(Revision);
    let states = state_bits(query.states);
    let (limit, offset) = (to_bigint(query.limit.unwrap_or(u64::MAX)), to_bigint(query.offset));
    let Some(after) = query.after else {
        let sql = "SELECT revision FROM analysis
                 WHERE study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND (?2 & (1 << state)) != 0
                 ORDER BY analysis_id LIMIT ?3 OFFSET ?4";
        let params = (&query.study_id, states, limit, offset);
        return with_statement(connection, READING, sql, |select| select.query_map(params, read)?.collect());
    };
    let sql = "SELECT revision FROM analysis
             WHERE study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND (?2 & (1 << state)) != 0
             AND analysis_id > ?5 ORDER BY analysis_id LIMIT ?3 OFFSET ?4";
    let params = (&query.study_id, states, limit, offset, after.as_bytes());
    with_statement(connection, READING, sql, |select| select.query_map(params, read)?.collect())
}

pub(crate) fn count_in_states(connection: &Connection, study_id: &str, states: StateSet) -> Result<u64> {
    let sql = "SELECT coalesce(sum(analyses), 0) FROM analysis_count
             WHERE study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND (?2 & (1 << state)) != 0";
    let params = (study_id, state_bits(states));
    with_statement(connection, READING, sql, |select| select.query_row(params, |row| row.get(0)))
}

pub(crate) fn documents(connection: &Connection, revisions: &[Revision]) -> Result<Vec<String>> {
    let sql = "SELECT analysis_id, state, action, document, checksum FROM event WHERE seq = ?1";
    let found: Vec<Option<RevisionRow>> = with_statement(connection, READING, sql, |select| {
        let numbers = revisions.iter().map(|revision| to_bigint(revision.0));
        numbers.map(|number| select.query_row([number], |row| RevisionRow::read(row, 0)).optional()).collect()
    })?;
    let missing = |revision: &Revision| StoreError::corrupt(format!("revision {}", revision.0), "it is missing");
    let document = |(row, revision): (Option<RevisionRow>, &Revision)| {
        let row = row.ok_or_else(|| missing(revision))?;
        let analysis_id = row.analysis_id;
        row.into_document(revision.0, analysis_id)
    };
    found.into_iter().zip(revisions).map(document).collect()
}
