//! Text fields that have no keyword beside them.

use serde_json::json;

use super::{TestIndex, key, leaf};
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

/// A text is found as a whole, in its own case, and by patterns that stand for all of it.
pub async fn texts_are_found_as_a_whole(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    for (op, field, value, expected) in [
        ("in", "note", "The quick Fox", "a"),
        ("in", "note", "quick", "abc"),
        ("in", "note", "The*x", "a"),
        ("in", "note", "qu*", "abc"),
        ("in", "parts.note", "The quick*", "a"),
        ("wildcard", "note", "the*fox", "ab"),
        ("wildcard", "parts.note", "fo?", "a"),
        ("fuzzy", "note", "The quikc Fox", "a"),
        ("fuzzy", "note", "quikc", "abc"),
    ] {
        let filter = match op {
            "in" => leaf(op, field, value),
            _ => json!({"op": op, "content": {"fieldNames": [field], "value": value}}),
        };
        assert_eq!(bench.ids(&filter).await, expected, "{filter}");
    }
}

/// Texts are sorted and counted as a whole.
pub async fn texts_are_sorted_as_a_whole(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let page = bench.page(&json!(null), |page| page.sort = vec![key("note", SortOrder::Ascending)]).await;
    assert_eq!(page.hits.iter().map(|hit| hit.cursor.id.as_str()).collect::<String>(), "cabd");
    let facet = bench.facet("note", &json!(null), |_| {}).await;
    assert_eq!((facet.distinct, facet.missing), (3, 1));
}
