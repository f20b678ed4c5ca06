//! The index that a search or export reads.

use std::sync::Arc;

use cantata_engine::{Cursor, EngineError, SortKey};
use cantata_mapping::{FieldKind, IndexMapping};
use serde_json::{Value, json};

use crate::client::{ClusterClient, ClusterInfo, ClusterResponse};
use crate::settings::Product;
use crate::sort::{ClusterSort, TieBreaker, cannot_sort};
use crate::{request, response};

/// The default of `index.max_result_window`: how many records a search can return, skipped ones included.
pub(crate) const MAX_RESULT_WINDOW: usize = 10_000;

/// The parameter that makes a search fail instead of returning a partial result.
pub(crate) const NO_PARTIAL_RESULTS: &str = "allow_partial_search_results=false";

/// The search type that makes scores of several shards comparable: frequencies are those of all of them.
pub(crate) const GLOBAL_STATISTICS: &str = "dfs_query_then_fetch";

/// An index with all that a search of it needs.
#[derive(Clone)]
pub(crate) struct SearchTarget {
    pub(crate) client: Arc<ClusterClient>,
    pub(crate) index: String,
    /// The path of the index.
    pub(crate) path: String,
    pub(crate) mapping: Arc<IndexMapping>,
    pub(crate) cluster: Arc<ClusterInfo>,
    pub(crate) tie: TieBreaker,
}

impl SearchTarget {
    /// Sends one search of the index.
    pub(crate) async fn search(&self, body: &Value) -> Result<ClusterResponse, EngineError> {
        let request = request::post(format!("{}/_search?{NO_PARTIAL_RESULTS}", self.path), body);
        self.client.send(request).await?.ensure_success(&self.index)
    }

    /// Sends one search of the index whose records are scored.
    pub(crate) async fn search_scored(&self, body: &Value) -> Result<ClusterResponse, EngineError> {
        let path = format!("{}/_search?{NO_PARTIAL_RESULTS}&search_type={GLOBAL_STATISTICS}", self.path);
        self.client.send(request::post(path, body)).await?.ensure_success(&self.index)
    }

    /// Returns the order of a sort.
    ///
    /// # Errors
    ///
    /// If the cluster cannot sort by a field.
    pub(crate) fn order(&self, sort: &[SortKey]) -> Result<ClusterSort, EngineError> {
        let is_wildcard =
            |field: &String| self.mapping.field(field).is_some_and(|field| field.kind == FieldKind::Wildcard);
        let wildcard = sort.iter().filter_map(|key| key.field.as_ref()).find(|field| is_wildcard(field));
        match wildcard {
            // It answers, but in the wrong order.
            Some(field) if self.cluster.product == Product::OpenSearch && self.cluster.version.0 >= 3 => {
                Err(cannot_sort(field, "its type is wildcard"))
            }
            _ => ClusterSort::new(sort, &self.mapping, self.tie),
        }
    }

    /// Returns the `search_after` values of a cursor. Where the sequence number breaks ties, that of the cursor's record is
    /// looked up.
    pub(crate) async fn search_after(&self, order: &ClusterSort, cursor: &Cursor) -> Result<Value, EngineError> {
        if self.tie == TieBreaker::Id {
            return Ok(order.after(cursor, json!(cursor.id)));
        }
        if cursor.id == Cursor::LAST_ID {
            return Ok(order.after(cursor, json!(i64::MAX)));
        }
        let body = json!({
            "query": {"ids": {"values": [cursor.id]}},
            "sort": [{"_seq_no": "asc"}],
            "size": 1,
            "_source": false,
            "track_total_hits": false,
        });
        let reply = self.search(&body).await?;
        let found = response::parse_search(&reply, &self.index)?;
        let number = found.hits.hits.first().and_then(|hit| hit.sort.first()).cloned();
        let number = number.ok_or_else(|| {
            EngineError::Rejected("searchAfter: its record is gone; ask for the records from the first one".to_owned())
        })?;
        Ok(order.after(cursor, number))
    }
}
