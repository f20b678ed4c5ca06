//! Reading all records of one snapshot of an index, page by page.
//!
//! The snapshot is a point in time, or a scroll where the cluster has none. Both take resources of the cluster, so they
//! are closed when the scan is dropped, and expire when they are not used.

use cantata_engine::{EngineError, Hit};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::request::{self, ClusterRequest};
use crate::response;
use crate::settings::Product;
use crate::sort::ClusterSort;
use crate::target::{NO_PARTIAL_RESULTS, SearchTarget};

/// How long a cluster keeps an unused snapshot.
const KEEP_ALIVE: &str = "5m";

/// A scan of all matching records.
pub(crate) struct ResultScan {
    target: SearchTarget,
    query: Value,
    order: ClusterSort,
    /// The sort values of the last record read.
    after: Option<Value>,
    /// Whether the records are scored.
    tracks_scores: bool,
    state: ScanState,
    total: Option<u64>,
    /// The mean size of a record in the last response, in bytes; 0 before the first.
    record_bytes: usize,
}

/// What keeps the snapshot.
enum ScanState {
    PointInTime {
        id: String,
        product: Product,
    },
    Scroll {
        id: Option<String>,
    },
    /// Nothing: a scroll cannot start after a record, so each page shows the current records.
    Live,
}

#[derive(Deserialize)]
struct PointInTimeResponse {
    #[serde(alias = "pit_id")]
    id: String,
}

impl ResultScan {
    /// Starts a scan at the first record, or after the given sort values.
    pub(crate) async fn begin(
        target: SearchTarget,
        query: Value,
        order: ClusterSort,
        after: Option<Value>,
    ) -> Result<Self, EngineError> {
        let product = target.cluster.product;
        let path = match product {
            Product::OpenSearch => format!("{}/_search/point_in_time?keep_alive={KEEP_ALIVE}", target.path),
            Product::Elasticsearch => format!("{}/_pit?keep_alive={KEEP_ALIVE}", target.path),
        };
        let reply = target.client.send(request::open(path)).await?;
        let state = match reply.status {
            400 | 405 if after.is_none() => ScanState::Scroll { id: None },
            400 | 405 => ScanState::Live,
            _ => {
                let reply = reply.ensure_success(&target.index)?;
                let point: PointInTimeResponse = reply.parse(&target.index)?;
                ScanState::PointInTime { id: point.id, product }
            }
        };
        Ok(Self { target, query, order, after, tracks_scores: false, state, total: None, record_bytes: 0 })
    }

    /// Returns the scan with the scores of records, if they are wanted.
    pub(crate) fn tracking_scores(mut self, is_wanted: bool) -> Self {
        self.tracks_scores = is_wanted;
        self
    }

    /// Returns how many records to read at once, at most `size`, so that a response has about `bytes` bytes.
    pub(crate) fn size_within(&self, size: usize, bytes: usize) -> usize {
        fitting_size(size, bytes, self.record_bytes)
    }

    /// Returns the total number of matching records; known after the first page.
    pub(crate) fn total(&self) -> u64 {
        self.total.unwrap_or(0)
    }

    /// Returns the next records, fewer than `size` only at the end. Pages of a scroll all have the size of the first.
    pub(crate) async fn next(&mut self, size: usize, documents: bool) -> Result<Vec<Hit>, EngineError> {
        let reply = self.target.client.send(self.call(size, documents)).await?;
        let reply = reply.ensure_success(&self.target.index)?;
        let mut found = response::parse_search(&reply, &self.target.index)?;
        if self.total.is_none() {
            self.total = found.total();
        }
        match &mut self.state {
            ScanState::PointInTime { id, .. } => id.clone_from(&found.pit_id.take().unwrap_or_else(|| id.clone())),
            ScanState::Scroll { id } => *id = found.scroll_id.take().or(id.take()),
            ScanState::Live => {}
        }
        self.record_bytes = reply.body.len().checked_div(found.hits.hits.len()).unwrap_or_default();
        if let Some(last) = found.hits.hits.last() {
            self.after = Some(Value::Array(last.sort.clone()));
        }
        found.hits.hits.into_iter().map(|hit| hit.hit(&self.order)).collect()
    }

    fn call(&self, size: usize, documents: bool) -> ClusterRequest {
        if let ScanState::Scroll { id: Some(id) } = &self.state {
            return request::scroll("/_search/scroll", &json!({"scroll": KEEP_ALIVE, "scroll_id": id}));
        }
        let mut body = json!({
            "query": self.query,
            "sort": self.order.to_json(),
            "size": size,
            "_source": documents,
            "track_total_hits": self.total.is_none() || self.order.needs_all(),
            "track_scores": self.tracks_scores,
        });
        if let Some(after) = &self.after {
            body["search_after"] = after.clone();
        }
        let path = &self.target.path;
        let path = match &self.state {
            ScanState::PointInTime { id, .. } => {
                body["pit"] = json!({"id": id, "keep_alive": KEEP_ALIVE});
                format!("/_search?{NO_PARTIAL_RESULTS}")
            }
            ScanState::Scroll { .. } => format!("{path}/_search?{NO_PARTIAL_RESULTS}&scroll={KEEP_ALIVE}"),
            ScanState::Live => format!("{path}/_search?{NO_PARTIAL_RESULTS}"),
        };
        request::post(path, &body)
    }
}

impl Drop for ResultScan {
    fn drop(&mut self) {
        let end = match &self.state {
            ScanState::PointInTime { id, product: Product::OpenSearch } => {
                request::delete("/_search/point_in_time", Some(&json!({"pit_id": [id]})))
            }
            ScanState::PointInTime { id, product: Product::Elasticsearch } => {
                request::delete("/_pit", Some(&json!({"id": id})))
            }
            ScanState::Scroll { id: Some(id) } => request::delete("/_search/scroll", Some(&json!({"scroll_id": [id]}))),
            ScanState::Scroll { id: None } | ScanState::Live => return,
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let client = self.target.client.clone();
            runtime.spawn(async move {
                if let Err(error) = client.send(end).await {
                    tracing::debug!(%error, "the state of an export was not ended; it ends by itself");
                }
            });
        }
    }
}

/// Returns how many records of a mean size, at most `size`, have about `bytes` bytes; `size` if their size is not known.
fn fitting_size(size: usize, bytes: usize, record_bytes: usize) -> usize {
    bytes.checked_div(record_bytes).map_or(size, |fitting| size.min(fitting.max(1)))
}

#[cfg(test)]
mod tests {
    use super::fitting_size;

    #[test]
    fn pages_of_large_records_are_small() {
        assert_eq!(fitting_size(2000, 4 << 20, 0), 2000);
        assert_eq!(fitting_size(2000, 4 << 20, 100), 2000);
        assert_eq!(fitting_size(2000, 4 << 20, 1 << 20), 4);
        assert_eq!(fitting_size(2000, 4 << 20, 100 << 20), 1);
    }
}
