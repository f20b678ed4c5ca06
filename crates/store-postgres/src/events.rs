//! Reading events from PostgreSQL: the table of revisions in its own order.
//!
//! Numbers become visible in their order (see `group_commit`), so a reader that has read up to a number has missed none
//! below it.

use cantata_core::{AnalysisId, Event};
use cantata_store::Result;
use cantata_store::codes::{action_from_code, state_from_code};
use deadpool_postgres::Object;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::query::{from_bigint, query, query_one, to_bigint};

const READING: &str = "reading events";

/// Selects the number of the latest event.
pub(crate) const SELECT_LATEST: &str = "SELECT last FROM event_counter";

pub(crate) async fn after(client: &Object, after: u64, limit: usize) -> Result<Vec<Event>> {
    let sql = "SELECT seq, analysis_id, study_id, state, action, event.document FROM event JOIN study USING (study_key)
             WHERE seq > $1 ORDER BY seq LIMIT $2";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    query(client, READING, sql, &[&to_bigint(after), &limit]).await?.iter().map(read_event).collect()
}

pub(crate) async fn latest(client: &Object) -> Result<u64> {
    from_bigint(query_one(client, READING, SELECT_LATEST, &[]).await?.get(0))
}

fn read_event(row: &Row) -> Result<Event> {
    Ok(Event {
        seq: from_bigint(row.get(0))?,
        analysis_id: AnalysisId::from_bytes(row.get::<_, Uuid>(1).into_bytes()),
        study_id: row.get(2),
        state: state_from_code(row.get(3))?,
        action: action_from_code(row.get(4))?,
        document: row.get(5),
    })
}
