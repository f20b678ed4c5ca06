//! Reading events in PostgreSQL: the table of revisions in its own order.
//!
//! Numbers become visible in their order (`group` sees to it), so whoever reads up to a number has missed none below it.

use cantata_core::{AnalysisId, Event};
use cantata_store::Result;
use cantata_store::codes::{action_of, state_of};
use deadpool_postgres::Object;
use tokio_postgres::Row;
use uuid::Uuid;

use crate::analyses::{number, whole};
use crate::failure::reading;

const READING: &str = "reading events";

/// Returns the number of the latest event.
pub(crate) const LATEST: &str = "SELECT last FROM event_counter";

pub(crate) async fn after(client: &Object, after: u64, limit: usize) -> Result<Vec<Event>> {
    let select = client
        .prepare_cached(
            "SELECT seq, analysis_id, study_id, state, action, event.document FROM event JOIN study USING (study_key)
             WHERE seq > $1 ORDER BY seq LIMIT $2",
        )
        .await
        .map_err(reading(READING))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = client.query(&select, &[&whole(after), &limit]).await.map_err(reading(READING))?;
    rows.iter().map(read).collect()
}

pub(crate) async fn latest(client: &Object) -> Result<u64> {
    let select = client.prepare_cached(LATEST).await.map_err(reading(READING))?;
    number(client.query_one(&select, &[]).await.map_err(reading(READING))?.get(0))
}

fn read(row: &Row) -> Result<Event> {
    Ok(Event {
        seq: number(row.get(0))?,
        analysis_id: AnalysisId::from_bytes(row.get::<_, Uuid>(1).into_bytes()),
        study_id: row.get(2),
        state: state_of(row.get(3))?,
        action: action_of(row.get(4))?,
        document: row.get(5),
    })
}
