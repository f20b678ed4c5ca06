//! Writing batches with the bulk API.
//!
//! A batch becomes one bulk request, or several if it is large. The cluster rejects operations one by one; those that
//! it is too busy for (429) are retried. When a write that refreshes returns, the batch is visible; another one is after the
//! next refresh. A reader may see a part of it before that, as clusters have no transactions.

use std::time::Duration;

use cantata_engine::{BatchReport, EngineError, WriteOperation};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::client::ClusterClient;
use crate::error::{engine_error, error_reason};
use crate::request;

/// How many bytes a bulk request has at most, unless a single document is larger.
const MAX_BULK_BYTES: usize = 10 * 1024 * 1024;

/// The greatest length of a document id.
const MAX_ID_BYTES: usize = 512;

/// How often operations are sent that the cluster is too busy for.
const MAX_ATTEMPTS: u32 = 6;

const MIN_BACKOFF: Duration = Duration::from_millis(100);

/// Writes a batch, and makes it visible if it is to refresh.
pub(crate) async fn write(
    client: &ClusterClient,
    index: &str,
    batch: &[WriteOperation],
    refreshes: bool,
) -> Result<BatchReport, EngineError> {
    let path = request::index_path(index)?;
    // A bulk request would create the index.
    let reply = client.send(request::head(path.as_str())).await?;
    if reply.status == 404 {
        return Err(EngineError::IndexNotFound(index.to_owned()));
    }
    let mut report = BatchReport::default();
    let mut lines = Vec::with_capacity(batch.len());
    for (batch_index, operation) in batch.iter().enumerate() {
        match encode(operation) {
            Ok(bytes) => lines.push(BulkItem { batch_index, bytes }),
            Err(reason) => report.reject(batch_index, operation.id(), &reason),
        }
    }
    let requests = split(lines);
    let several = requests.len() > 1;
    let path = format!("{path}/_bulk?refresh={}", refreshes && !several);
    let mut writing = BulkWriter { client, index, path, batch, report };
    for request in requests {
        writing.send(request).await?;
    }
    // A request refreshes only its own shards, so after several the whole index is refreshed.
    if refreshes && several {
        refresh(client, index).await?;
    }
    writing.report.rejected.sort_by_key(|rejected| rejected.batch_index);
    Ok(writing.report)
}

/// Refreshes all shards of an index.
pub(crate) async fn refresh(client: &ClusterClient, index: &str) -> Result<(), EngineError> {
    let path = format!("{}/_refresh", request::index_path(index)?);
    let reply = client.send(request::refresh(path)).await?.ensure_success(index)?;
    let response: RefreshResponse = reply.parse(index)?;
    match response.shards.failed {
        0 => Ok(()),
        _ => Err(EngineError::Failed("parts of the index cannot be refreshed".to_owned())),
    }
}

#[derive(Deserialize)]
struct RefreshResponse {
    #[serde(rename = "_shards")]
    shards: RefreshedShards,
}

#[derive(Deserialize)]
struct RefreshedShards {
    failed: u64,
}

/// An operation, encoded for a bulk request.
struct BulkItem {
    batch_index: usize,
    bytes: Vec<u8>,
}

/// Encodes an operation as NDJSON.
fn encode(operation: &WriteOperation) -> Result<Vec<u8>, String> {
    let id = operation.id();
    if id.is_empty() || id.len() > MAX_ID_BYTES {
        return Err(format!("the id: found {} bytes, expected 1 to {MAX_ID_BYTES}", id.len()));
    }
    match operation {
        WriteOperation::Delete { .. } => Ok(format!("{}\n", json!({"delete": {"_id": id}})).into_bytes()),
        WriteOperation::Put { source, .. } => {
            check_document(source)?;
            let mut bytes = format!("{}\n", json!({"index": {"_id": id}})).into_bytes();
            // In JSON, line breaks only occur between values, where a space does as well.
            bytes.extend(source.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
            bytes.push(b'\n');
            Ok(bytes)
        }
    }
}

/// Checks that a document is a JSON object; another value would make the whole request invalid.
fn check_document(source: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(source).map_err(|error| format!("the document is not UTF-8: {error}"))?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| format!("the document is not JSON: {error}"))?;
    match text.trim_start().starts_with('{') {
        true => Ok(()),
        false => Err("the document: found another value, expected an object".to_owned()),
    }
}

/// Splits operations into requests.
fn split(lines: Vec<BulkItem>) -> Vec<Vec<BulkItem>> {
    let mut requests: Vec<Vec<BulkItem>> = Vec::new();
    let mut size = 0;
    for line in lines {
        match requests.last_mut() {
            Some(request) if size + line.bytes.len() <= MAX_BULK_BYTES => {
                size += line.bytes.len();
                request.push(line);
            }
            _ => {
                size = line.bytes.len();
                requests.push(vec![line]);
            }
        }
    }
    requests
}

#[derive(Deserialize)]
struct BulkResponse {
    items: Vec<BulkResponseItem>,
}

#[derive(Deserialize)]
struct BulkResponseItem {
    #[serde(alias = "delete")]
    index: BulkOutcome,
}

#[derive(Deserialize)]
struct BulkOutcome {
    status: u16,
    #[serde(default)]
    result: String,
    error: Option<Value>,
}

struct BulkWriter<'a> {
    client: &'a ClusterClient,
    index: &'a str,
    path: String,
    batch: &'a [WriteOperation],
    report: BatchReport,
}

impl BulkWriter<'_> {
    /// Sends operations until the cluster has accepted or rejected each of them.
    async fn send(&mut self, mut lines: Vec<BulkItem>) -> Result<(), EngineError> {
        let mut backoff = MIN_BACKOFF;
        for attempt in 1..=MAX_ATTEMPTS {
            let body = lines.iter().flat_map(|line| line.bytes.iter().copied()).collect();
            let reply = self.client.send(request::bulk(self.path.as_str(), body)).await?.ensure_success(self.index)?;
            let bulk: BulkResponse = reply.parse(self.index)?;
            if bulk.items.len() != lines.len() {
                return Err(EngineError::Failed("it did not answer for each document".to_owned()));
            }
            let mut retried = Vec::new();
            for (line, item) in lines.into_iter().zip(bulk.items) {
                if item.index.status == 429 {
                    retried.push(line);
                } else {
                    self.record(line.batch_index, item.index)?;
                }
            }
            lines = retried;
            if lines.is_empty() {
                return Ok(());
            }
            if attempt < MAX_ATTEMPTS {
                tokio::time::sleep(backoff).await;
                backoff *= 2;
            }
        }
        Err(EngineError::Busy)
    }

    fn record(&mut self, batch_index: usize, outcome: BulkOutcome) -> Result<(), EngineError> {
        let Some(operation) = self.batch.get(batch_index) else { return Ok(()) };
        match outcome.error {
            None => match operation {
                WriteOperation::Put { .. } => self.report.written += 1,
                WriteOperation::Delete { .. } => self.report.deleted += usize::from(outcome.result == "deleted"),
            },
            Some(error) if (400..500).contains(&outcome.status) && error["type"] != "index_not_found_exception" => {
                self.report.reject(batch_index, operation.id(), &error_reason(&error));
            }
            Some(error) => return Err(engine_error(outcome.status, &error, self.index)),
        }
        Ok(())
    }
}
