//! Text fields that have no keyword beside them.

use serde_json::json;

use super::{TestIndex, key};
use crate::{SearchEngine, SortOrder};

async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let mut mapping = json!({"properties": {"note": {"type": "text"}}});
    mapping["properties"]["parts"] = json!({"type": "nested", "properties": {"note": {"type": "text"}}});
    let documents = [
        json!({"note": "The quick Fox", "parts": [{"note": "The quick Fox"}, {}]}),
        json!({"note": "the quick fox"}),
        json!({"note": "A The quick Fox", "parts": {"note": "quick"}}),
        json!({}),
    ];
    TestIndex::new(engine, mapping, &documents).await
}

/// A text is found as a whole, in its own case, and by patterns that match all of it.
pub async fn texts_are_found_as_a_whole(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let cases = [
        ("in", "note", json!("The quick Fox"), "a"),
        ("in", "note", json!("quick"), "abc"),
        ("in", "note", json!("The*x"), "a"),
        ("in", "note", json!("qu*"), "abc"),
        ("in", "parts.note", json!("The quick*"), "a"),
        ("wildcard", "note", json!("the*fox"), "ab"),
        ("wildcard", "parts.note", json!("fo?"), "a"),
        ("fuzzy", "note", json!("The quikc Fox"), "a"),
        ("fuzzy", "note", json!("quikc"), "abc"),
    ];
    bench.expect(&cases).await;
}

/// Texts are sorted and counted as a whole.
pub async fn texts_are_sorted_as_a_whole(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    assert_eq!(bench.sorted(&[key("note", SortOrder::Ascending)]).await, "cabd");
    let facet = bench.facet("note", &json!(null), |_| {}).await;
    assert_eq!((facet.distinct, facet.missing), (3, 1));
}
