//! Exports: everything once, in order, from one state of the index.

use serde_json::{Value, json};

use super::{INDEX, TestIndex, delete, key, leaf, put};
use crate::{ExportRequest, ExportStream, Filter, SearchEngine, SortOrder};

async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let documents: Vec<Value> = (0..20).map(|index| json!({"size": index % 7})).collect();
    TestIndex::new(engine, json!({"properties": {"size": {"type": "long"}}}), &documents).await
}

fn everything() -> ExportRequest {
    ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 6 }
}

async fn rest(export: &mut dyn ExportStream) -> (String, Vec<usize>) {
    let (mut ids, mut sizes) = (String::new(), Vec::new());
    while let Some(page) = export.next().await.unwrap() {
        sizes.push(page.hits.len());
        for hit in page.hits {
            assert!(hit.document.is_some());
            ids += &hit.cursor.id;
        }
    }
    (ids, sizes)
}

/// An export brings all records page by page, by id where no order is asked.
pub async fn an_export_brings_everything(engine: &dyn SearchEngine) {
    bench(engine).await;
    let mut export = engine.export(INDEX, everything()).await.unwrap();
    assert_eq!(export.total(), 20);
    let (ids, sizes) = rest(&mut *export).await;
    assert_eq!(ids, "abcdefghijklmnopqrst");
    assert!(sizes.iter().all(|size| (1..=6).contains(size)), "{sizes:?}");
    assert!(export.next().await.unwrap().is_none());
}

/// An export is filtered, sorted and capped exactly.
pub async fn an_export_keeps_to_its_request(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let request = ExportRequest {
        filter: bench.filter(&leaf("gte", "size", 5)).await,
        sort: vec![key("size", SortOrder::Descending)],
        ..everything()
    };
    for (limit, expected) in [(None, "gnfmt"), (Some(3), "gnf"), (Some(0), "")] {
        let mut export = engine.export(INDEX, ExportRequest { limit, ..request.clone() }).await.unwrap();
        assert_eq!(export.total(), expected.len() as u64);
        let (ids, _) = rest(&mut *export).await;
        assert_eq!(ids, expected, "{limit:?}");
    }
}

/// What is written while an export runs does not show in it.
pub async fn an_export_shows_one_state(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let mut export = engine.export(INDEX, everything()).await.unwrap();
    let first = export.next().await.unwrap().unwrap();
    bench.write(vec![delete("t"), put("s", &json!({"size": 100})), put("zz", &json!({"size": 1}))]).await;
    let mut documents = Vec::new();
    let mut ids = super::ids(&first.hits);
    while let Some(page) = export.next().await.unwrap() {
        for hit in page.hits {
            ids += &hit.cursor.id;
            documents.push(serde_json::to_value(hit.document.unwrap().root()).unwrap());
        }
    }
    assert_eq!(ids, "abcdefghijklmnopqrst");
    assert_eq!(documents[documents.len() - 2..], [json!({"size": 4}), json!({"size": 5})]);
    let mut again = engine.export(INDEX, everything()).await.unwrap();
    assert_eq!(rest(&mut *again).await.0, "abcdefghijklmnopqrszz");
}

/// An export that nobody reads to its end harms nothing, nor does one of an empty index.
pub async fn exports_may_be_left(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    for _ in 0..5 {
        let mut export = engine.export(INDEX, everything()).await.unwrap();
        export.next().await.unwrap();
    }
    let none = ExportRequest { filter: Filter::None, ..everything() };
    let mut export = engine.export(INDEX, none).await.unwrap();
    assert_eq!((export.total(), rest(&mut *export).await), (0, (String::new(), Vec::new())));
    assert_eq!(bench.ids(&leaf("in", "size", 0)).await, "aho");
}
