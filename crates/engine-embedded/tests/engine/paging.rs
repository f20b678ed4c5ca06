//! Pages of a long order: whichever way the engine finds them, they are those of the whole order.

use std::sync::Arc;

use cantata_engine::{
    ExportRequest, Filter, HitsRequest, IndexReader, IndexWriter, MissingOrder, SearchPlan, SortKey, SortMode,
    SortOrder, ValueRange, WriteOperation,
};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_mapping::TypedValue;
use serde_json::json;

const DOCUMENTS: u64 = 4_000;

/// Returns the value of a document; some have none, some share theirs.
fn value(document: u64) -> Option<i64> {
    let scattered = document.wrapping_mul(2_654_435_761) % 3_000;
    (document % 50 != 7).then(|| i64::try_from(scattered).unwrap() - 500)
}

fn id(document: u64) -> String {
    format!("{:04}", document.wrapping_mul(7_919) % 10_000)
}

/// Returns the ids in the order that is expected.
fn expected(order: SortOrder, missing: MissingOrder, least: i64) -> Vec<String> {
    let mut all: Vec<(u64, Option<i64>)> = (0..DOCUMENTS).map(|document| (document, value(document))).collect();
    all.retain(|(_, value)| value.is_none_or(|value| value >= least));
    all.sort_by(|one, two| {
        let by_value = match (one.1, two.1) {
            (Some(one), Some(two)) if order == SortOrder::Ascending => one.cmp(&two),
            (Some(one), Some(two)) => two.cmp(&one),
            (one, two) if missing == MissingOrder::First => one.is_some().cmp(&two.is_some()),
            (one, two) => two.is_some().cmp(&one.is_some()),
        };
        by_value.then_with(|| id(one.0).cmp(&id(two.0)))
    });
    all.into_iter().map(|(document, _)| id(document)).collect()
}

async fn paged(
    engine: &EmbeddedEngine,
    order: SortOrder,
    missing: MissingOrder,
    least: i64,
    size: usize,
) -> Vec<String> {
    let mode = if order == SortOrder::Ascending { SortMode::Min } else { SortMode::Max };
    let sort = vec![SortKey { field: Some("n".to_owned()), order, mode, missing }];
    let range = ValueRange { from: Some((TypedValue::Integer(least), true)), to: None };
    let filter = Filter::or([
        Filter::Range { field: "n".to_owned(), range },
        Filter::Exists { field: "n".to_owned() }.negated(),
    ]);
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let hits = HitsRequest { size, sort: sort.clone(), after, ..HitsRequest::default() };
        let plan = SearchPlan { filters: vec![filter.clone()], hits: vec![hits], facets: vec![] };
        let answer = engine.search("things", Arc::new(plan)).await.unwrap();
        after = answer.hits[0].hits.last().map(|hit| hit.cursor.clone());
        found.extend(answer.hits[0].hits.iter().map(|hit| hit.cursor.id.clone()));
        if after.is_none() {
            return found;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_those_of_the_whole_order() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", Some(&json!({"properties": {"n": {"type": "integer"}}}))).unwrap();
    for start in (0..DOCUMENTS).step_by(500) {
        let put = |document: u64| WriteOperation::Put {
            id: id(document),
            source: json!({"n": value(document)}).to_string().into_bytes(),
        };
        engine.write("things", (start..start + 500).map(put).collect()).await.unwrap();
    }
    for least in [-1_000, 0, 2_400] {
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            for missing in [MissingOrder::First, MissingOrder::Last] {
                let wanted = expected(order, missing, least);
                for size in [7, 100] {
                    let found = paged(&engine, order, missing, least, size).await;
                    assert_eq!(found, wanted, "least {least}, {order:?}, missing {missing:?}, pages of {size}");
                }
            }
        }
    }
}

/// However many records a page of an export may have, it holds no more than about a megabyte of documents.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_an_export_are_bounded_in_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", Some(&json!({"properties": {"text": {"type": "keyword"}}}))).unwrap();
    let put = |document: u64| WriteOperation::Put {
        id: format!("{document:04}"),
        source: json!({"text": format!("{document} {}", "x".repeat(20_000))}).to_string().into_bytes(),
    };
    engine.write("things", (0..300).map(put).collect()).await.unwrap();
    let everything = ExportRequest { filter: Filter::All, sort: vec![], limit: None, page_size: 10_000 };
    let mut export = engine.export("things", everything).await.unwrap();
    let mut ids = Vec::new();
    while let Some(page) = export.next().await.unwrap() {
        assert!(page.hits.len() * 20_000 < 2 << 20, "{} documents of 20 kB in one page", page.hits.len());
        ids.extend(page.hits.into_iter().map(|hit| hit.cursor.id));
    }
    assert_eq!(ids, (0..300).map(|document| format!("{document:04}")).collect::<Vec<_>>());
}
