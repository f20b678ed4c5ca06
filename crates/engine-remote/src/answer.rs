//! Reading what a cluster found.

use std::borrow::Cow;

use cantata_engine::{Document, EngineError, Hit};
use serde::Deserialize;
use serde_json::Value;

use crate::failures::{failure, nonsense};
use crate::sort::Order;

/// The answer to one search.
#[derive(Deserialize)]
pub(crate) struct Found<'a> {
    #[serde(default)]
    timed_out: bool,
    #[serde(rename = "_shards", default)]
    shards: Shards,
    #[serde(borrow, default)]
    pub(crate) hits: FoundHits<'a>,
    /// What was counted.
    #[serde(default)]
    pub(crate) aggregations: Value,
    /// The newest name of the state of the index that was searched.
    pub(crate) pit_id: Option<String>,
    /// The name under which the search goes on.
    #[serde(rename = "_scroll_id")]
    pub(crate) scroll_id: Option<String>,
    error: Option<Value>,
    status: Option<u16>,
}

#[derive(Deserialize, Default)]
struct Shards {
    failed: u64,
    #[serde(default)]
    failures: Vec<Value>,
}

/// The records of an answer.
#[derive(Deserialize, Default)]
pub(crate) struct FoundHits<'a> {
    total: Option<Total>,
    #[serde(borrow, default)]
    pub(crate) hits: Vec<FoundHit<'a>>,
}

#[derive(Deserialize)]
struct Total {
    value: u64,
}

/// A record of an answer.
#[derive(Deserialize)]
pub(crate) struct FoundHit<'a> {
    #[serde(rename = "_id", borrow)]
    id: Cow<'a, str>,
    #[serde(rename = "_source")]
    source: Option<Value>,
    /// What it is sorted by.
    #[serde(default)]
    pub(crate) sort: Vec<Value>,
}

/// The answers to several searches.
#[derive(Deserialize)]
struct Several<'a> {
    #[serde(borrow)]
    responses: Vec<Found<'a>>,
}

/// Reads the answer to one search.
pub(crate) fn read<'a>(body: &'a [u8], index: &str) -> Result<Found<'a>, EngineError> {
    let found: Found<'a> = serde_json::from_slice(body).map_err(|error| nonsense(&error, index))?;
    found.complete(index)
}

/// Reads the answers to several searches.
pub(crate) fn read_several<'a>(body: &'a [u8], index: &str) -> Result<Vec<Found<'a>>, EngineError> {
    let several: Several<'a> = serde_json::from_slice(body).map_err(|error| nonsense(&error, index))?;
    several.responses.into_iter().map(|found| found.complete(index)).collect()
}

impl Found<'_> {
    /// Refuses an answer that is none, or only a part of one.
    fn complete(self, index: &str) -> Result<Self, EngineError> {
        if let Some(error) = &self.error {
            return Err(failure(self.status.unwrap_or(500), error, index));
        }
        if self.shards.failed > 0 {
            return Err(failure(503, &Value::Array(self.shards.failures), index));
        }
        if self.timed_out {
            return Err(EngineError::TimedOut);
        }
        Ok(self)
    }

    /// Returns the number of all matching records.
    pub(crate) fn total(&self) -> Option<u64> {
        self.hits.total.as_ref().map(|total| total.value)
    }
}

impl FoundHit<'_> {
    /// Returns the record, with its place in the order that was asked for.
    pub(crate) fn hit(self, order: &Order) -> Result<Hit, EngineError> {
        let cursor = order
            .read(&self.sort, &self.id)
            .ok_or_else(|| EngineError::Failed("it gave an answer that cannot be read".to_owned()))?;
        Ok(Hit { cursor, document: self.source.map(Document::from) })
    }
}
