//! Reading one document by its id.

use cantata_engine::{Document, EngineError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::calls;
use crate::connection::Connection;
use crate::failures::{accepted, nonsense};

#[derive(Deserialize)]
struct One {
    #[serde(rename = "_source")]
    source: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Several {
    hits: Hits,
}

#[derive(Deserialize)]
struct Hits {
    hits: Vec<One>,
}

/// Returns the document of an id.
pub(crate) async fn document(connection: &Connection, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
    let path = calls::index_path(index)?;
    // These are no names in a path, however they are written; and some that begin with `_` are something else there.
    if matches!(id, "" | "." | "..") || id.starts_with('_') {
        return by_search(connection, index, id).await;
    }
    let reply = connection.send(calls::get(format!("{path}/_doc/{}", calls::segment(id)))).await?;
    match reply.status {
        404 => {
            let one: One = serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, index))?;
            if one.error.is_some() { accepted(reply, index).map(|_| None) } else { Ok(None) }
        }
        // An alias of several indexes.
        400 => by_search(connection, index, id).await,
        _ => {
            let reply = accepted(reply, index)?;
            let one: One = serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, index))?;
            Ok(one.source.map(Document::from))
        }
    }
}

async fn by_search(connection: &Connection, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
    let body = json!({"size": 1, "track_total_hits": false, "query": {"ids": {"values": [id]}}});
    let path = format!("{}/_search?{}", calls::index_path(index)?, crate::search::WHOLE_ANSWERS);
    let reply = accepted(connection.send(calls::ask(path, &body)).await?, index)?;
    let found: Several = serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, index))?;
    Ok(found.hits.hits.into_iter().next().and_then(|one| one.source).map(Document::from))
}
