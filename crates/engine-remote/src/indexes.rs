//! Making, extending, removing and listing indexes.

use std::collections::HashMap;

use cantata_engine::{EngineError, IndexSummary};
use cantata_mapping::IndexMapping;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::calls;
use crate::connection::{Connection, Reply};
use crate::failures::{accepted, nonsense, reason};

/// What the names of indexes begin with that clusters keep for themselves.
const OWN: char = '.';

/// Returns whether a cluster keeps an index for itself.
pub(crate) fn is_own(index: &str) -> bool {
    index.starts_with(OWN)
}

/// Makes an index. Beside its mapping, `settings` and `aliases` may be given, as the cluster takes them.
pub(crate) async fn create(connection: &Connection, index: &str, given: Option<&Value>) -> Result<(), EngineError> {
    let path = calls::index_path(index)?;
    let body = match given {
        None => json!({}),
        Some(given) => body(given)?,
    };
    let reply = connection.send(calls::put(path, &body)).await?;
    refusal(&reply, "the search engine refused the index")?;
    accepted(reply, index).map(|_| ())
}

/// Returns the body that makes an index, of a mapping in any of its forms.
fn body(given: &Value) -> Result<Value, EngineError> {
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
    IndexMapping::parse(given).map(|_| ()).map_err(|errors| {
        let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
        EngineError::Refused(problems.join("; "))
    })
}

/// Adds fields to the mapping of an index.
pub(crate) async fn extend(connection: &Connection, index: &str, given: &Value) -> Result<(), EngineError> {
    check_mapping(given)?;
    let mapping = if given.get("properties").is_some() { given } else { given.get("mappings").unwrap_or(given) };
    let reply = connection.send(calls::replace(format!("{}/_mapping", calls::index_path(index)?), mapping)).await?;
    refusal(&reply, "the search engine refused the fields")?;
    accepted(reply, index).map(|_| ())
}

/// Removes an index with everything in it.
pub(crate) async fn delete(connection: &Connection, index: &str) -> Result<(), EngineError> {
    let reply = connection.send(calls::delete(calls::index_path(index)?, None)).await?;
    refusal(&reply, "the search engine does not remove this")?;
    accepted(reply, index).map(|_| ())
}

/// Returns an error if a cluster says that it was asked for something wrong.
fn refusal(reply: &Reply, said: &str) -> Result<(), EngineError> {
    if reply.status != 400 {
        return Ok(());
    }
    let answer: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    match answer.get("error").filter(|error| error["type"] != "resource_already_exists_exception") {
        Some(error) => Err(EngineError::Refused(format!("{said}: {}", reason(error)))),
        None => Ok(()),
    }
}

/// A line of the cluster's list of indexes; its figures are texts.
#[derive(Deserialize)]
struct Line {
    index: String,
    #[serde(rename = "store.size")]
    bytes: Option<String>,
}

/// Returns the open indexes by name, without those that the cluster keeps for itself.
///
/// The list of the cluster counts nested elements as documents, so the records are counted by a search over all.
pub(crate) async fn list(connection: &Connection) -> Result<Vec<IndexSummary>, EngineError> {
    let path = "/_cat/indices?format=json&bytes=b&h=index,store.size&expand_wildcards=open";
    let reply = accepted(connection.send(calls::get(path)).await?, "")?;
    let mut lines: Vec<Line> = serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, ""))?;
    lines.retain(|line| !is_own(&line.index));
    lines.sort_by(|one, two| one.index.cmp(&two.index));
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let counts = count_all(connection, lines.len()).await?;
    let summaries = lines.into_iter().map(|line| IndexSummary {
        documents: counts.get(&line.index).copied().unwrap_or(0),
        bytes: line.bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0),
        name: line.index,
    });
    Ok(summaries.collect())
}

#[derive(Deserialize)]
struct Counted {
    aggregations: Option<ByIndex>,
}

#[derive(Deserialize)]
struct ByIndex {
    by_index: Buckets,
}

#[derive(Deserialize)]
struct Buckets {
    buckets: Vec<Bucket>,
}

#[derive(Deserialize)]
struct Bucket {
    key: String,
    doc_count: u64,
}

/// Returns the number of records of each index that has any. An index that cannot be searched at the moment is left
/// out: the list is there to look at.
async fn count_all(connection: &Connection, indexes: usize) -> Result<HashMap<String, u64>, EngineError> {
    // Indexes may come in between.
    let terms = json!({"field": "_index", "size": indexes + 100});
    let body = json!({"size": 0, "track_total_hits": false, "aggs": {"by_index": {"terms": terms}}});
    let path = "/*,-.*/_search?expand_wildcards=open&ignore_unavailable=true&allow_no_indices=true";
    let reply = accepted(connection.send(calls::ask(path, &body)).await?, "")?;
    let counted: Counted = serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, ""))?;
    let buckets = counted.aggregations.map(|by| by.by_index.buckets).unwrap_or_default();
    Ok(buckets.into_iter().map(|bucket| (bucket.key, bucket.doc_count)).collect())
}
