//! Writing batches.
//!
//! A batch becomes one bulk request, or several if it is large. What the cluster refuses is refused one by one; what
//! it has no room for at the moment is sent again. When a batch returns, everything in it can be searched. A reader may
//! see a part of a batch before that, as clusters have no transactions.

use std::time::Duration;

use cantata_engine::{BatchReport, EngineError, Operation, Refusal};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::calls;
use crate::connection::Connection;
use crate::failures::{accepted, failure, nonsense, reason};

/// How many bytes one request has, but for a document that is larger.
const LARGEST_REQUEST: usize = 10 * 1024 * 1024;

/// The longest id of a document, in bytes.
const LONGEST_ID: usize = 512;

/// How often operations are sent that the cluster has no room for.
const ATTEMPTS: u32 = 6;

const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// Writes a batch.
pub(crate) async fn write(
    connection: &Connection,
    index: &str,
    batch: &[Operation],
    refresh_at_once: bool,
) -> Result<BatchReport, EngineError> {
    let path = calls::index_path(index)?;
    // A cluster would make the index.
    let reply = connection.send(calls::head(path.as_str())).await?;
    if reply.status == 404 {
        return Err(EngineError::IndexNotFound(index.to_owned()));
    }
    let mut report = BatchReport::default();
    let mut lines = Vec::with_capacity(batch.len());
    for (place, operation) in batch.iter().enumerate() {
        match line(operation) {
            Ok(bytes) => lines.push(Line { place, bytes }),
            Err(reason) => report.refused.push(Refusal { place, id: id_of(operation).to_owned(), reason }),
        }
    }
    let requests = split(lines);
    let refresh = match (requests.len(), refresh_at_once) {
        (1, true) => "true",
        (1, false) => "wait_for",
        // Each request waits for parts of the index only, so all of it is refreshed at the end.
        _ => "false",
    };
    let several = requests.len() > 1;
    let mut writing = Writing { connection, index, path: format!("{path}/_bulk?refresh={refresh}"), batch, report };
    for request in requests {
        writing.send(request).await?;
    }
    if several {
        accepted(connection.send(calls::ask(format!("{path}/_refresh"), &json!({}))).await?, index)?;
    }
    writing.report.refused.sort_by_key(|refusal| refusal.place);
    Ok(writing.report)
}

/// An operation as a cluster reads it.
struct Line {
    place: usize,
    bytes: Vec<u8>,
}

fn id_of(operation: &Operation) -> &str {
    match operation {
        Operation::Put { id, .. } | Operation::Delete { id } => id,
    }
}

/// Returns the lines of an operation.
fn line(operation: &Operation) -> Result<Vec<u8>, String> {
    let id = id_of(operation);
    if id.is_empty() || id.len() > LONGEST_ID {
        return Err(format!("the id: found {} bytes, expected 1 to {LONGEST_ID}", id.len()));
    }
    match operation {
        Operation::Delete { .. } => Ok(format!("{}\n", json!({"delete": {"_id": id}})).into_bytes()),
        Operation::Put { source, .. } => {
            check(source)?;
            let mut bytes = format!("{}\n", json!({"index": {"_id": id}})).into_bytes();
            // In JSON, line breaks are only between values, where a space serves as well.
            bytes.extend(source.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
            bytes.push(b'\n');
            Ok(bytes)
        }
    }
}

/// Refuses what is no JSON object, which would spoil the request for all others.
fn check(source: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(source).map_err(|error| format!("the document is not UTF-8: {error}"))?;
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| format!("the document is not JSON: {error}"))?;
    match text.trim_start().starts_with('{') {
        true => Ok(()),
        false => Err("the document: found another value, expected an object".to_owned()),
    }
}

/// Divides lines into requests.
fn split(lines: Vec<Line>) -> Vec<Vec<Line>> {
    let mut requests: Vec<Vec<Line>> = Vec::new();
    let mut size = 0;
    for line in lines {
        match requests.last_mut() {
            Some(request) if size + line.bytes.len() <= LARGEST_REQUEST => {
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
struct Bulk {
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(alias = "delete")]
    index: Outcome,
}

#[derive(Deserialize)]
struct Outcome {
    status: u16,
    #[serde(default)]
    result: String,
    error: Option<Value>,
}

struct Writing<'a> {
    connection: &'a Connection,
    index: &'a str,
    path: String,
    batch: &'a [Operation],
    report: BatchReport,
}

impl Writing<'_> {
    /// Sends lines until the cluster has taken or refused each of them.
    async fn send(&mut self, mut lines: Vec<Line>) -> Result<(), EngineError> {
        let mut pause = FIRST_PAUSE;
        for attempt in 1..=ATTEMPTS {
            let body = lines.iter().flat_map(|line| line.bytes.iter().copied()).collect();
            let reply = accepted(self.connection.send(calls::write(self.path.as_str(), body)).await?, self.index)?;
            let bulk: Bulk = serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, self.index))?;
            if bulk.items.len() != lines.len() {
                return Err(EngineError::Failed("it did not answer for each document".to_owned()));
            }
            let mut left = Vec::new();
            for (line, item) in lines.into_iter().zip(bulk.items) {
                if item.index.status == 429 {
                    left.push(line);
                } else {
                    self.note(line.place, item.index)?;
                }
            }
            lines = left;
            if lines.is_empty() {
                return Ok(());
            }
            if attempt < ATTEMPTS {
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
        }
        Err(EngineError::Busy)
    }

    fn note(&mut self, place: usize, outcome: Outcome) -> Result<(), EngineError> {
        let Some(operation) = self.batch.get(place) else { return Ok(()) };
        match outcome.error {
            None => match operation {
                Operation::Put { .. } => self.report.written += 1,
                Operation::Delete { .. } => self.report.deleted += usize::from(outcome.result == "deleted"),
            },
            Some(error) if (400..500).contains(&outcome.status) && error["type"] != "index_not_found_exception" => {
                let refusal = Refusal { place, id: id_of(operation).to_owned(), reason: reason(&error) };
                self.report.refused.push(refusal);
            }
            Some(error) => return Err(failure(outcome.status, &error, self.index)),
        }
        Ok(())
    }
}
