//! Walking through the records of one state of an index, some at a time.
//!
//! A cluster keeps a state as a point in time; where it has none, as a scroll. Both take space on the cluster, so they
//! are ended when the walk is dropped, and end by themselves when nobody has asked for a while.

use cantata_engine::{EngineError, Hit};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer;
use crate::calls;
use crate::connection::Call;
use crate::failures::{accepted, nonsense};
use crate::search::{Searched, WHOLE_ANSWERS};
use crate::settings::Product;
use crate::sort::Order;

/// How long a cluster keeps a state after it was last asked.
const KEPT: &str = "5m";

/// A walk.
pub(crate) struct Walk {
    searched: Searched,
    query: Value,
    order: Order,
    /// The place after which to go on.
    after: Option<Value>,
    state: State,
    total: Option<u64>,
}

/// What a cluster keeps a state as.
enum State {
    Point {
        id: String,
        product: Product,
    },
    Scroll {
        id: Option<String>,
    },
    /// Nothing: a scroll cannot begin at a place, so the records are those of the moment.
    Present,
}

#[derive(Deserialize)]
struct Point {
    #[serde(alias = "pit_id")]
    id: String,
}

impl Walk {
    /// Begins a walk at the first record, or after a place.
    pub(crate) async fn begin(
        searched: Searched,
        query: Value,
        order: Order,
        after: Option<Value>,
    ) -> Result<Self, EngineError> {
        let product = searched.cluster.product;
        let path = match product {
            Product::OpenSearch => format!("{}/_search/point_in_time?keep_alive={KEPT}", searched.path),
            Product::Elasticsearch => format!("{}/_pit?keep_alive={KEPT}", searched.path),
        };
        let reply = searched.connection.send(calls::begin(path)).await?;
        let state = match reply.status {
            400 | 405 if after.is_none() => State::Scroll { id: None },
            400 | 405 => State::Present,
            _ => {
                let reply = accepted(reply, &searched.index)?;
                let point: Point =
                    serde_json::from_slice(&reply.body).map_err(|error| nonsense(&error, &searched.index))?;
                State::Point { id: point.id, product }
            }
        };
        Ok(Self { searched, query, order, after, state, total: None })
    }

    /// Returns how many records match in all; known after the first step.
    pub(crate) fn total(&self) -> u64 {
        self.total.unwrap_or(0)
    }

    /// Returns the next records, fewer than asked for only at the end. A walk that is a scroll takes steps of one
    /// size.
    pub(crate) async fn next(&mut self, size: usize, documents: bool) -> Result<Vec<Hit>, EngineError> {
        let reply = self.searched.connection.send(self.call(size, documents)).await?;
        let reply = accepted(reply, &self.searched.index)?;
        let mut found = answer::read(&reply.body, &self.searched.index)?;
        if self.total.is_none() {
            self.total = found.total();
        }
        match &mut self.state {
            State::Point { id, .. } => id.clone_from(&found.pit_id.take().unwrap_or_else(|| id.clone())),
            State::Scroll { id } => *id = found.scroll_id.take().or(id.take()),
            State::Present => {}
        }
        if let Some(last) = found.hits.hits.last() {
            self.after = Some(Value::Array(last.sort.clone()));
        }
        found.hits.hits.into_iter().map(|hit| hit.hit(&self.order)).collect()
    }

    fn call(&self, size: usize, documents: bool) -> Call {
        if let State::Scroll { id: Some(id) } = &self.state {
            return calls::ask_more("/_search/scroll", &json!({"scroll": KEPT, "scroll_id": id}));
        }
        let mut body = json!({
            "query": self.query,
            "sort": self.order.to_json(),
            "size": size,
            "_source": documents,
            "track_total_hits": self.total.is_none() || self.order.needs_all(),
        });
        if let Some(after) = &self.after {
            body["search_after"] = after.clone();
        }
        let path = &self.searched.path;
        let path = match &self.state {
            State::Point { id, .. } => {
                body["pit"] = json!({"id": id, "keep_alive": KEPT});
                format!("/_search?{WHOLE_ANSWERS}")
            }
            State::Scroll { .. } => format!("{path}/_search?{WHOLE_ANSWERS}&scroll={KEPT}"),
            State::Present => format!("{path}/_search?{WHOLE_ANSWERS}"),
        };
        calls::ask(path, &body)
    }
}

impl Drop for Walk {
    fn drop(&mut self) {
        let end = match &self.state {
            State::Point { id, product: Product::OpenSearch } => {
                calls::delete("/_search/point_in_time", Some(&json!({"pit_id": [id]})))
            }
            State::Point { id, product: Product::Elasticsearch } => calls::delete("/_pit", Some(&json!({"id": id}))),
            State::Scroll { id: Some(id) } => calls::delete("/_search/scroll", Some(&json!({"scroll_id": [id]}))),
            State::Scroll { id: None } | State::Present => return,
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let connection = self.searched.connection.clone();
            runtime.spawn(async move {
                if let Err(error) = connection.send(end).await {
                    tracing::debug!(%error, "the state of an export was not ended; it ends by itself");
                }
            });
        }
    }
}
