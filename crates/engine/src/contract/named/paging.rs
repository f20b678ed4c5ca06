//! Pages: a total order, cursors that stay valid, and exact totals.

use serde_json::json;

use super::{TestIndex, delete, ids, key, leaf, put};
use crate::{Cursor, HitsRequest, MissingOrder, SearchEngine, SortKey, SortMode, SortOrder};

async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let name = json!({"type": "text", "fields": {"whole": {"type": "keyword"}}});
    let fields = json!({"size": {"type": "long"}, "name": name});
    let mut mapping = json!({"properties": fields});
    mapping["properties"]["parts"] = json!({"type": "nested", "properties": fields});
    let documents = [
        json!({"size": 2, "name": "b", "parts": [{"size": 1}, {"size": 9}]}),
        json!({"size": [1, 5], "name": "B"}),
        json!({"parts": [{"size": [4, 4]}, {}]}),
        json!({"size": 2, "name": "a c", "parts": {"size": 5}}),
        json!({"size": null, "name": "a b"}),
    ];
    TestIndex::new(engine, mapping, &documents).await
}

fn by(field: &str, order: SortOrder, mode: SortMode, missing: MissingOrder) -> Vec<SortKey> {
    vec![SortKey { field: Some(field.to_owned()), order, mode, missing }]
}

/// Without a sort, records come by the bytes of their ids, however they were written.
pub async fn unsorted_records_come_by_id(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, json!({"properties": {}}), &[]).await;
    for batch in [["é", "10"], ["9", "a"], ["B", "aa"]] {
        bench.write(batch.iter().map(|id| put(id, &json!({}))).collect()).await;
    }
    let page = bench.page(&json!(null), |_| {}).await;
    let ids: Vec<&str> = page.hits.iter().map(|hit| hit.cursor.id.as_str()).collect();
    assert_eq!(ids, ["10", "9", "B", "a", "aa", "é"]);
}

/// Records equal in all keys come by id in both directions.
pub async fn equal_records_come_by_id(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    for (order, expected) in [(SortOrder::Ascending, "badce"), (SortOrder::Descending, "adbce")] {
        assert_eq!(bench.sorted(&[key("size", order)]).await, expected, "{order:?}");
    }
    let by_id = SortKey { field: None, ..key("size", SortOrder::Descending) };
    assert_eq!(bench.sorted(&[by_id]).await, "edcba");
    let two_keys = [key("size", SortOrder::Descending), key("name", SortOrder::Ascending)];
    assert_eq!(bench.sorted(&two_keys).await, "dabec");
}

/// The mode says which of several values counts, also over nested elements; records without one stand where asked.
pub async fn sorts_choose_among_values(engine: &dyn SearchEngine) {
    use MissingOrder::{First, Last};
    use SortMode::{Avg, Max, Min, Sum};
    use SortOrder::{Ascending, Descending};
    let bench = bench(engine).await;
    for (sort, expected) in [
        (by("size", Ascending, Max, Last), "adbce"),
        (by("size", Descending, Max, First), "cebad"),
        (by("size", Ascending, Min, First), "cebad"),
        (by("size", Descending, Sum, Last), "badce"),
        (by("size", Ascending, Avg, Last), "adbce"),
        (by("parts.size", Ascending, Min, Last), "acdbe"),
        (by("parts.size", Ascending, Max, Last), "cdabe"),
        (by("parts.size", Descending, Sum, Last), "acdbe"),
        (by("parts.size", Descending, Avg, First), "beadc"),
        (by("name", Ascending, Min, Last), "bedac"),
    ] {
        assert_eq!(bench.sorted(&sort).await, expected, "{sort:?}");
    }
}

/// Pages by offset, and totals that are those of all matching records.
pub async fn offsets_and_totals(engine: &dyn SearchEngine) {
    type Case = (fn(&mut HitsRequest), &'static str, Option<u64>);
    let bench = bench(engine).await;
    let cases: [Case; 4] = [
        (|page| (page.size, page.offset) = (2, 2), "cd", Some(5)),
        (|page| page.offset = 100, "", Some(5)),
        (|page| page.size = 0, "", Some(5)),
        (|page| page.total = false, "abcde", None),
    ];
    for (change, expected, total) in cases {
        let page = bench.page(&json!(null), change).await;
        assert_eq!((ids(&page.hits).as_str(), page.total), (expected, total));
    }
    let with_documents = bench.page(&json!(null), |page| page.documents = true).await;
    assert!(with_documents.hits.iter().all(|hit| hit.document.is_some()));
}

/// Page by page with cursors, every record comes once and in order, however small the pages are.
pub async fn cursors_lead_through_everything(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let mapping = bench.mapping().await;
    for sort in [
        Vec::new(),
        vec![key("size", SortOrder::Ascending)],
        vec![key("name", SortOrder::Descending), key("parts.size", SortOrder::Ascending)],
        by("size", SortOrder::Descending, SortMode::Avg, MissingOrder::First),
    ] {
        let whole = bench.sorted(&sort).await;
        for size in [1, 2, 4] {
            let (mut found, mut after) = (String::new(), None);
            loop {
                let page = bench
                    .page(&json!(null), |page| {
                        (page.size, page.sort, page.after) = (size, sort.clone(), after.clone());
                    })
                    .await;
                assert_eq!(page.total, Some(5));
                let Some(last) = page.hits.last() else { break };
                after = Some(Cursor::parse(&last.cursor.to_json(), &sort, &mapping).unwrap());
                found += &ids(&page.hits);
            }
            assert_eq!(found, whole, "{sort:?} by {size}");
        }
    }
}

/// A cursor holds when its record is gone, and others have come in between.
pub async fn a_cursor_outlives_its_record(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let sort = vec![key("size", SortOrder::Ascending)];
    let first = bench.page(&json!(null), |page| (page.size, page.sort) = (2, sort.clone())).await;
    assert_eq!(ids(&first.hits), "ba");
    let after = first.hits[1].cursor.clone();
    let batch = vec![delete("a"), put("aa", &json!({"size": 2})), put("x", &json!({"size": 1}))];
    bench.write(batch).await;
    let next = bench.page(&json!(null), |page| (page.sort, page.after) = (sort.clone(), Some(after))).await;
    let found: Vec<&str> = next.hits.iter().map(|hit| hit.cursor.id.as_str()).collect();
    assert_eq!(found, ["aa", "d", "c", "e"]);
}

/// A cursor without an id, as clients make them, stands after all records with its values.
pub async fn a_cursor_without_id_passes_equal_records(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let mapping = bench.mapping().await;
    let sort = vec![key("size", SortOrder::Ascending)];
    for (cursor, expected) in [(json!([0]), "badce"), (json!([1]), "adce"), (json!([2]), "ce"), (json!([null]), "")] {
        let after = Some(Cursor::parse(&cursor, &sort, &mapping).unwrap());
        let page = bench.page(&json!(null), |page| (page.sort, page.after) = (sort.clone(), after)).await;
        assert_eq!(ids(&page.hits), expected, "{cursor}");
    }
}

/// The order holds over records written at different times, replaced and filtered.
pub async fn the_order_spans_all_writes(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    bench.write(vec![put("f", &json!({"size": 0})), put("a", &json!({"size": 7}))]).await;
    bench.write(vec![put("g", &json!({"size": 3})), delete("d")]).await;
    let filter = leaf("gte", "size", 0);
    let page = bench.page(&filter, |page| page.sort = vec![key("size", SortOrder::Ascending)]).await;
    assert_eq!((ids(&page.hits).as_str(), page.total), ("fbga", Some(4)));
}
