//! Reading analyses in PostgreSQL; `group` writes them.

use std::collections::HashMap;

use cantata_core::AnalysisId;
use cantata_store::codes::state_bits;
use cantata_store::{AnalysisQuery, Result, Revision, StateSet, StoreError, StoredAnalysis};
use deadpool_postgres::Object;
use uuid::Uuid;

use crate::failure::reading;

const READING: &str = "reading analyses";

/// How many documents are asked for at once.
const DOCUMENTS_AT_ONCE: usize = 1_000;

/// Returns an id as the database has it.
pub(crate) fn uuid(id: AnalysisId) -> Uuid {
    Uuid::from_bytes(*id.as_bytes())
}

/// Returns a number of rows or of a revision as the database has it; it has none as large as those that do not fit.
pub(crate) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the number of a revision or an event that was read.
pub(crate) fn number(stored: i64) -> Result<u64> {
    u64::try_from(stored).map_err(|error| StoreError::corrupt("an event number", error))
}

pub(crate) async fn find(client: &Object, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
    let select = client
        .prepare_cached(
            "SELECT revision, study_id, event.document FROM analysis
             JOIN event ON event.seq = analysis.revision
             JOIN study ON study.study_key = analysis.study_key
             WHERE analysis.analysis_id = $1",
        )
        .await
        .map_err(reading(READING))?;
    let row = client.query_opt(&select, &[&uuid(id)]).await.map_err(reading(READING))?;
    row.map(|row| {
        Ok(StoredAnalysis { revision: Revision(number(row.get(0))?), study_id: row.get(1), document: row.get(2) })
    })
    .transpose()
}

pub(crate) async fn list(client: &Object, study_key: i32, query: &AnalysisQuery) -> Result<Vec<Revision>> {
    let select = client
        .prepare_cached(
            "SELECT revision FROM analysis WHERE study_key = $1 AND ($2::int >> state) & 1 = 1
             ORDER BY analysis_id LIMIT $3 OFFSET $4",
        )
        .await
        .map_err(reading(READING))?;
    let (states, limit) = (i32::from(state_bits(query.states)), whole(query.limit.unwrap_or(u64::MAX)));
    let rows =
        client.query(&select, &[&study_key, &states, &limit, &whole(query.offset)]).await.map_err(reading(READING))?;
    rows.iter().map(|row| Ok(Revision(number(row.get(0))?))).collect()
}

pub(crate) async fn count(client: &Object, study_key: i32, states: StateSet) -> Result<u64> {
    let select = client
        .prepare_cached(
            "SELECT coalesce(sum(analyses), 0)::bigint FROM analysis_count
             WHERE study_key = $1 AND ($2::int >> state) & 1 = 1",
        )
        .await
        .map_err(reading(READING))?;
    let states = i32::from(state_bits(states));
    let row = client.query_one(&select, &[&study_key, &states]).await.map_err(reading(READING))?;
    number(row.get(0))
}

pub(crate) async fn documents(client: &Object, revisions: &[Revision]) -> Result<Vec<String>> {
    let select = client
        .prepare_cached("SELECT seq, document FROM event WHERE seq = ANY ($1)")
        .await
        .map_err(reading(READING))?;
    let mut wanted: Vec<i64> = revisions.iter().map(|revision| whole(revision.0)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut found: HashMap<u64, String> = HashMap::with_capacity(wanted.len());
    for some in wanted.chunks(DOCUMENTS_AT_ONCE) {
        for row in client.query(&select, &[&some]).await.map_err(reading(READING))? {
            found.insert(number(row.get(0))?, row.get(1));
        }
    }
    let missing = |revision: &Revision| StoreError::corrupt(format!("revision {}", revision.0), "it is missing");
    let document = |revision: &Revision| found.get(&revision.0).cloned().ok_or_else(|| missing(revision));
    revisions.iter().map(document).collect()
}
