//! Integers of 64 bits without a sign.

use serde_json::json;

use super::{TestIndex, key, leaf};
use crate::{SearchEngine, SortOrder};

/// They are told apart where doubles and integers with a sign are not, and are found, counted and sorted as such.
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
    for (op, value, expected) in [
        ("in", json!(u64::MAX), "a"),
        ("gte", json!(9_223_372_036_854_775_808_u64), "abd"),
        ("lt", json!(-1), ""),
        ("gt", json!(-1), "abcde"),
    ] {
        assert_eq!(bench.ids(&leaf(op, "unsigned", value.clone())).await, expected, "{op} {value}");
    }
    let facet = bench.facet("unsigned", &json!(null), |_| {}).await;
    assert_eq!((facet.distinct, facet.buckets.len()), (5, 5));
    let page = bench.page(&json!(null), |page| page.sort = vec![key("unsigned", SortOrder::Descending)]).await;
    assert_eq!(page.hits.iter().map(|hit| hit.cursor.id.as_str()).collect::<String>(), "abdec");
}
