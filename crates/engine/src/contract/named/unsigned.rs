//! Integers of 64 bits without a sign.

use serde_json::json;

use super::{TestIndex, key};
use crate::{SearchEngine, SortOrder};

/// They are distinguished where doubles and signed integers are not, and are found, counted and sorted exactly.
pub async fn unsigned_integers_are_exact(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"unsigned": {"type": "unsigned_long"}}});
    let documents = [
        json!({"unsigned": u64::MAX}),
        json!({"unsigned": u64::MAX - 1}),
        json!({"unsigned": 0}),
        json!({"unsigned": 9_223_372_036_854_775_808_u64}),
        json!({"unsigned": 9_223_372_036_854_775_807_u64}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    let cases = [
        ("in", "unsigned", json!(u64::MAX), "a"),
        ("gte", "unsigned", json!(9_223_372_036_854_775_808_u64), "abd"),
        ("lt", "unsigned", json!(-1), ""),
        ("gt", "unsigned", json!(-1), "abcde"),
    ];
    bench.expect(&cases).await;
    let facet = bench.facet("unsigned", &json!(null), |_| {}).await;
    assert_eq!((facet.distinct, facet.buckets.len()), (5, 5));
    assert_eq!(bench.sorted(&[key("unsigned", SortOrder::Descending)]).await, "abdec");
}
