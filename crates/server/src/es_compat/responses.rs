//! Parts that several answers have.

use serde_json::{Value, json};

/// Says that something was done.
pub(super) fn acknowledged() -> Value {
    json!({"acknowledged": true})
}

/// Says that all parts of so many indexes did what was asked.
pub(super) fn shards(indexes: usize) -> Value {
    json!({"total": indexes, "successful": indexes, "skipped": 0, "failed": 0})
}
