//! Creating, extending, deleting and listing indexes.

use std::collections::HashMap;

use cantata_engine::{EngineError, IndexSummary};
use cantata_mapping::IndexMapping;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{ClusterClient, ClusterResponse};
use crate::error::error_reason;
use crate::request;

/// The first character of the names of system indexes.
const SYSTEM_INDEX_PREFIX: char = '.';

/// Returns whether an index is a system index of the cluster.
pub(crate) fn is_system_index(index: &str) -> bool {
    index.starts_with(SYSTEM_INDEX_PREFIX)
}

/// Creates an index. Beside the mapping, `settings` and `aliases` are passed on to the cluster.
pub(crate) async fn create(client: &ClusterClient, index: &str, given: Option<&Value>) -> Result<(), EngineError> {
    let path = request::index_path(index)?;
    let body = match given {
        None => json!({}),
        Some(given) => create_body(given)?,
    };
    let reply = client.send(request::create(path, &body)).await?;
    check_accepted(&reply, "the search engine refused the index")?;
    reply.ensure_success(index).map(|_| ())
}

/// Returns the body that creates an index, for a mapping in any of its forms.
fn create_body(given: &Value) -> Result<Value, EngineError> {
    check_mapping(given)?;
    let has = |key: &str| given.get(key).is_some_and(Value::is_object);
    if has("properties") || !has("mappings") {
        return Ok(json!({"mappings": given}));
    }
    let kept = ["settings", "aliases", "mappings"];
    let members = given.as_object().into_iter().flatten().filter(|(key, _)| kept.contains(&key.as_str()));
    Ok(Value::Object(members.map(|(key, value)| (key.clone(), value.clone())).collect()))
}

fn check_mapping(given: &Value) -> Result<(), EngineError> {
    Ok(IndexMapping::parse(given).map(|_| ())?)
}

/// Adds fields to the mapping of an index.
pub(crate) async fn extend(client: &ClusterClient, index: &str, given: &Value) -> Result<(), EngineError> {
    check_mapping(given)?;
    let mapping = if given.get("properties").is_some() { given } else { given.get("mappings").unwrap_or(given) };
    let reply = client.send(request::replace(format!("{}/_mapping", request::index_path(index)?), mapping)).await?;
    check_accepted(&reply, "the search engine refused the fields")?;
    reply.ensure_success(index).map(|_| ())
}

/// Deletes an index.
pub(crate) async fn delete(client: &ClusterClient, index: &str) -> Result<(), EngineError> {
    let reply = client.send(request::delete(request::index_path(index)?, None)).await?;
    check_accepted(&reply, "the search engine does not remove this")?;
    reply.ensure_success(index).map(|_| ())
}

/// Returns an error if the cluster rejected the request as invalid.
fn check_accepted(reply: &ClusterResponse, said: &str) -> Result<(), EngineError> {
    if reply.status != 400 {
        return Ok(());
    }
    let answer: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    match answer.get("error").filter(|error| error["type"] != "resource_already_exists_exception") {
        Some(error) => Err(EngineError::Rejected(format!("{said}: {}", error_reason(error)))),
        None => Ok(()),
    }
}

/// A row of the cluster's list of indexes; its numbers are strings.
#[derive(Deserialize)]
struct IndexRow {
    index: String,
    #[serde(rename = "store.size")]
    bytes: Option<String>,
}

/// Returns the open indexes by name, without system indexes.
///
/// The list of the cluster counts nested elements as documents, so the records are counted by a search over all.
pub(crate) async fn list(client: &ClusterClient) -> Result<Vec<IndexSummary>, EngineError> {
    let path = "/_cat/indices?format=json&bytes=b&h=index,store.size&expand_wildcards=open";
    let reply = client.send(request::get(path)).await?.ensure_success("")?;
    let mut rows: Vec<IndexRow> = reply.parse("")?;
    rows.retain(|row| !is_system_index(&row.index));
    rows.sort_by(|one, two| one.index.cmp(&two.index));
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let counts = count_all(client, rows.len()).await?;
    let summaries = rows.into_iter().map(|row| IndexSummary {
        documents: counts.get(&row.index).copied().unwrap_or(0),
        bytes: row.bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0),
        name: row.index,
        problem: None,
    });
    Ok(summaries.collect())
}

/// Returns the number of records of each index that has any. An index that cannot be searched at the moment is left
/// out: the list is there to look at.
async fn count_all(client: &ClusterClient, indexes: usize) -> Result<HashMap<String, u64>, EngineError> {
    // Indexes may be created in between.
    let terms = json!({"field": "_index", "size": indexes + 100});
    let body = json!({"size": 0, "track_total_hits": false, "aggs": {"by_index": {"terms": terms}}});
    let path = "/*,-.*/_search?expand_wildcards=open&ignore_unavailable=true&allow_no_indices=true";
    let reply = client.send(request::post(path, &body)).await?.ensure_success("")?;
    let response: Value = reply.parse("")?;
    let buckets = response["aggregations"]["by_index"]["buckets"].as_array().into_iter().flatten();
    let count = |bucket: &Value| Some((bucket["key"].as_str()?.to_owned(), bucket["doc_count"].as_u64()?));
    Ok(buckets.filter_map(count).collect())
}
