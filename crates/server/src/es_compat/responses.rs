//! Parts that several answers have.

use axum::response::Response;
use serde_json::{Value, json};

use crate::response;

/// Answers that a change was made.
pub(super) fn acknowledged() -> Response {
    response::json(&json!({"acknowledged": true}))
}

/// Returns the counts of shards where each of this many indexes succeeded.
pub(super) fn shards(indexes: usize) -> Value {
    json!({"total": indexes, "successful": indexes, "skipped": 0, "failed": 0})
}
