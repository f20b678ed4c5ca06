//! Reading analyses from PostgreSQL; `group_commit` writes them.

use std::collections::HashMap;

use cantata_core::AnalysisId;
use cantata_store::codes::state_bits;
use cantata_store::{AnalysisQuery, Result, Revision, StateSet, StoreError, StoredAnalysis};
use deadpool_postgres::Object;

use crate::query::{from_bigint, query, query_one, query_opt, read_revision, to_bigint, to_uuid};

const READING: &str = "reading analyses";

/// How many documents one query returns.
const MAX_DOCUMENTS_PER_QUERY: usize = 1_000;

pub(crate) async fn find(client: &Object, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
    let sql = "SELECT revision, study_id, event.document FROM analysis
             JOIN event ON event.seq = analysis.revision
             JOIN study ON study.study_key = analysis.study_key
             WHERE analysis.analysis_id = $1";
    let row = query_opt(client, READING, sql, &[&to_uuid(id)]).await?;
    row.map(|row| Ok(StoredAnalysis { revision: read_revision(&row)?, study_id: row.get(1), document: row.get(2) }))
        .transpose()
}

pub(crate) async fn list(client: &Object, study_key: i32, wanted: &AnalysisQuery) -> Result<Vec<Revision>> {
    let states = i32::from(state_bits(wanted.states));
    let (limit, offset) = (to_bigint(wanted.limit.unwrap_or(u64::MAX)), to_bigint(wanted.offset));
    let rows = match wanted.after.map(to_uuid) {
        None => {
            let sql = "SELECT revision FROM analysis WHERE study_key = $1 AND ($2::int >> state) & 1 = 1
                     ORDER BY analysis_id LIMIT $3 OFFSET $4";
            query(client, READING, sql, &[&study_key, &states, &limit, &offset]).await?
        }
        Some(after) => {
            let sql = "SELECT revision FROM analysis WHERE study_key = $1 AND ($2::int >> state) & 1 = 1
                     AND analysis_id > $5 ORDER BY analysis_id LIMIT $3 OFFSET $4";
            query(client, READING, sql, &[&study_key, &states, &limit, &offset, &after]).await?
        }
    };
    rows.iter().map(read_revision).collect()
}

pub(crate) async fn count(client: &Object, study_key: i32, states: StateSet) -> Result<u64> {
    let sql = "SELECT coalesce(sum(analyses), 0)::bigint FROM analysis_count
             WHERE study_key = $1 AND ($2::int >> state) & 1 = 1";
    let row = query_one(client, READING, sql, &[&study_key, &i32::from(state_bits(states))]).await?;
    from_bigint(row.get(0))
}

pub(crate) async fn documents(client: &Object, revisions: &[Revision]) -> Result<Vec<String>> {
    let mut numbers: Vec<i64> = revisions.iter().map(|revision| to_bigint(revision.0)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut documents: HashMap<u64, String> = HashMap::with_capacity(numbers.len());
    for numbers in numbers.chunks(MAX_DOCUMENTS_PER_QUERY) {
        let sql = "SELECT seq, document FROM event WHERE seq = ANY ($1)";
        for row in query(client, READING, sql, &[&numbers]).await? {
            documents.insert(from_bigint(row.get(0))?, row.get(1));
        }
    }
    let missing = |revision: &Revision| StoreError::corrupt(format!("revision {}", revision.0), "it is missing");
    let document = |revision: &Revision| documents.get(&revision.0).cloned().ok_or_else(|| missing(revision));
    revisions.iter().map(document).collect()
}
