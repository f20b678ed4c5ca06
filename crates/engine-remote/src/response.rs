//! Parsing search responses.

use std::borrow::Cow;

use cantata_engine::{Document, EngineError, Hit};
use serde::Deserialize;
use serde_json::Value;

use crate::client::ClusterResponse;
use crate::error::{engine_error, unreadable_response};
use crate::sort::ClusterSort;

/// The response of one search.
#[derive(Deserialize)]
pub(crate) struct RawSearchResponse<'a> {
    #[serde(default)]
    timed_out: bool,
    #[serde(rename = "_shards", default)]
    shards: ShardStatus,
    #[serde(borrow, default)]
    pub(crate) hits: RawHits<'a>,
    /// The aggregations.
    #[serde(default)]
    pub(crate) aggregations: Value,
    /// The latest id of the point in time.
    pub(crate) pit_id: Option<String>,
    /// The id of the next page of a scroll.
    #[serde(rename = "_scroll_id")]
    pub(crate) scroll_id: Option<String>,
    error: Option<Value>,
    status: Option<u16>,
}

#[derive(Deserialize, Default)]
struct ShardStatus {
    failed: u64,
    #[serde(default)]
    failures: Vec<Value>,
}

/// The hits of a response.
#[derive(Deserialize, Default)]
pub(crate) struct RawHits<'a> {
    total: Option<TotalHits>,
    #[serde(borrow, default)]
    pub(crate) hits: Vec<RawHit<'a>>,
}

#[derive(Deserialize)]
struct TotalHits {
    value: u64,
}

/// A hit of a response.
#[derive(Deserialize)]
pub(crate) struct RawHit<'a> {
    #[serde(rename = "_id", borrow)]
    id: Cow<'a, str>,
    #[serde(rename = "_source")]
    pub(crate) source: Option<Value>,
    /// Its relevance, if it was computed.
    #[serde(rename = "_score", default)]
    score: Option<f32>,
    /// Its sort values.
    #[serde(default)]
    pub(crate) sort: Vec<Value>,
}

/// The responses of a multi search.
#[derive(Deserialize)]
struct MultiSearchResponse<'a> {
    #[serde(borrow)]
    responses: Vec<RawSearchResponse<'a>>,
}

impl ClusterResponse {
    /// Returns the response if its status is 2xx.
    ///
    /// # Errors
    ///
    /// For any other status, the error of the response.
    pub(crate) fn ensure_success(self, index: &str) -> Result<Self, EngineError> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let body: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        Err(engine_error(self.status, body.get("error").unwrap_or(&Value::Null), index))
    }

    /// Parses the body.
    pub(crate) fn parse<'a, T: Deserialize<'a>>(&'a self, index: &str) -> Result<T, EngineError> {
        serde_json::from_slice(&self.body).map_err(|error| unreadable_response(&error, index))
    }
}

/// Parses the response of one search.
pub(crate) fn parse_search<'a>(reply: &'a ClusterResponse, index: &str) -> Result<RawSearchResponse<'a>, EngineError> {
    reply.parse::<RawSearchResponse<'a>>(index)?.complete(index)
}

/// Parses the responses of a multi search.
pub(crate) fn parse_multi_search<'a>(
    reply: &'a ClusterResponse,
    index: &str,
) -> Result<Vec<RawSearchResponse<'a>>, EngineError> {
    let multi: MultiSearchResponse<'a> = reply.parse(index)?;
    multi.responses.into_iter().map(|response| response.complete(index)).collect()
}

impl RawSearchResponse<'_> {
    /// Returns an error for a failed or partial response.
    fn complete(self, index: &str) -> Result<Self, EngineError> {
        if let Some(error) = &self.error {
            return Err(engine_error(self.status.unwrap_or(500), error, index));
        }
        if self.shards.failed > 0 {
            return Err(engine_error(503, &Value::Array(self.shards.failures), index));
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

impl RawHit<'_> {
    /// Returns the record with its cursor in the sort order of the request.
    pub(crate) fn hit(self, order: &ClusterSort) -> Result<Hit, EngineError> {
        let cursor = order
            .read(&self.sort, &self.id)
            .ok_or_else(|| EngineError::Failed("it gave an answer that cannot be read".to_owned()))?;
        Ok(Hit { cursor, document: self.source.map(Document::from), score: self.score })
    }
}
