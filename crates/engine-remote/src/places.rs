//! Where a cursor leads, as a cluster wants to be told.

use cantata_engine::{Cursor, EngineError};
use serde_json::{Value, json};

use crate::answer;
use crate::calls;
use crate::failures::accepted;
use crate::search::{Searched, WHOLE_ANSWERS};
use crate::sort::{Order, Tie};

/// Returns the place of a cursor in an order. Where records are ordered by the number of their writing, that of the
/// cursor's record is looked up.
pub(crate) async fn place_after(searched: &Searched, order: &Order, cursor: &Cursor) -> Result<Value, EngineError> {
    if searched.tie == Tie::Id {
        return Ok(order.after(cursor, json!(cursor.id)));
    }
    let body = json!({
        "query": {"ids": {"values": [cursor.id]}},
        "sort": [{"_seq_no": "asc"}],
        "size": 1,
        "_source": false,
        "track_total_hits": false,
    });
    let call = calls::ask(format!("{}/_search?{WHOLE_ANSWERS}", searched.path), &body);
    let reply = accepted(searched.connection.send(call).await?, &searched.index)?;
    let found = answer::read(&reply.body, &searched.index)?;
    let number = found.hits.hits.first().and_then(|hit| hit.sort.first()).cloned();
    let number = number.ok_or_else(|| {
        EngineError::Refused("searchAfter: its record is gone; ask for the records from the first one".to_owned())
    })?;
    Ok(order.after(cursor, number))
}
