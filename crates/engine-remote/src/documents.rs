//! Reading a document by its id.

use cantata_engine::{Document, EngineError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::ClusterClient;
use crate::target::NO_PARTIAL_RESULTS;
use crate::{request, response};

#[derive(Deserialize)]
struct GetResponse {
    #[serde(rename = "_source")]
    source: Option<Value>,
    error: Option<Value>,
}

/// Returns the document of an id.
pub(crate) async fn document(client: &ClusterClient, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
    let path = request::index_path(index)?;
    // These cannot be path segments, however they are encoded, and some that begin with `_` mean something else there.
    if matches!(id, "" | "." | "..") || id.starts_with('_') {
        return by_search(client, index, id).await;
    }
    let reply = client.send(request::get(format!("{path}/_doc/{}", request::path_segment(id)))).await?;
    match reply.status {
        404 => {
            let response: GetResponse = reply.parse(index)?;
            if response.error.is_some() { reply.ensure_success(index).map(|_| None) } else { Ok(None) }
        }
        // An alias of several indexes.
        400 => by_search(client, index, id).await,
        _ => {
            let reply = reply.ensure_success(index)?;
            let response: GetResponse = reply.parse(index)?;
            Ok(response.source.map(Document::from))
        }
    }
}

async fn by_search(client: &ClusterClient, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
    let body = json!({"size": 1, "track_total_hits": false, "query": {"ids": {"values": [id]}}});
    let path = format!("{}/_search?{NO_PARTIAL_RESULTS}", request::index_path(index)?);
    let reply = client.send(request::post(path, &body)).await?.ensure_success(index)?;
    let found = response::parse_search(&reply, index)?;
    Ok(found.hits.hits.into_iter().next().and_then(|hit| hit.source).map(Document::from))
}
