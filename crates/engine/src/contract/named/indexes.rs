//! Indexes: made, listed, removed; and how documents bring fields.

use std::sync::Arc;

use cantata_mapping::FieldKind;
use serde_json::json;

use super::{INDEX, TestIndex, delete, leaf, put};
use crate::{EngineError, ExportRequest, Filter, SearchEngine, SearchPlan};

/// A new index is there, empty, and has the mapping that it was given.
pub async fn a_created_index_is_listed_and_empty(engine: &dyn SearchEngine) {
    assert_eq!(engine.indexes().await.unwrap(), []);
    engine.create_index("zebra", Some(&json!({"properties": {"name": {"type": "keyword"}}}))).await.unwrap();
    engine.create_index("ant", None).await.unwrap();
    let indexes = engine.indexes().await.unwrap();
    let names: Vec<(&str, u64)> = indexes.iter().map(|index| (index.name.as_str(), index.documents)).collect();
    assert_eq!(names, [("ant", 0), ("zebra", 0)]);
    let mapping = engine.mapping("zebra").await.unwrap();
    assert_eq!(mapping.field("name").unwrap().kind, FieldKind::Keyword);
    assert!(engine.mapping("ant").await.unwrap().is_empty());
    assert!(engine.document("ant", "any").await.unwrap().is_none());
}

/// The number of documents follows what is written.
pub async fn the_summary_counts_documents(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, json!({"properties": {}}), &[json!({}), json!({}), json!({})]).await;
    assert_eq!(engine.indexes().await.unwrap()[0].documents, 3);
    bench.write(vec![delete("b"), put("a", &json!({"again": 1})), delete("never there")]).await;
    assert_eq!(engine.indexes().await.unwrap()[0].documents, 2);
}

/// A name that is taken is rejected, and what is there stays.
pub async fn an_index_cannot_be_made_twice(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, json!({"properties": {"x": {"type": "long"}}}), &[json!({"x": 1})]).await;
    let again = engine.create_index(INDEX, None).await;
    assert_eq!(again, Err(EngineError::IndexExists(INDEX.to_owned())));
    assert_eq!(bench.ids(&leaf("in", "x", 1)).await, "a");
}

/// Everything that is asked of an index that is not there says so.
pub async fn an_unknown_index_is_not_found(engine: &dyn SearchEngine) {
    let expected = || EngineError::IndexNotFound("nowhere".to_owned());
    let export = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 10 };
    assert_eq!(engine.mapping("nowhere").await.map(|_| ()), Err(expected()));
    assert_eq!(engine.search("nowhere", Arc::new(SearchPlan::default())).await.map(|_| ()), Err(expected()));
    assert_eq!(engine.export("nowhere", export).await.map(|_| ()), Err(expected()));
    assert_eq!(engine.document("nowhere", "a").await.map(|_| ()), Err(expected()));
    assert_eq!(engine.write("nowhere", vec![put("a", &json!({}))]).await, Err(expected()));
    assert_eq!(engine.delete_index("nowhere").await, Err(expected()));
}

/// A removed index is gone with its documents and its mapping, and its name is free.
pub async fn a_removed_index_is_gone(engine: &dyn SearchEngine) {
    TestIndex::new(engine, json!({"properties": {"x": {"type": "long"}}}), &[json!({"x": 1})]).await;
    engine.delete_index(INDEX).await.unwrap();
    assert_eq!(engine.indexes().await.unwrap(), []);
    assert_eq!(engine.document(INDEX, "a").await.map(|_| ()), Err(EngineError::IndexNotFound(INDEX.to_owned())));
    let bench = TestIndex::new(engine, json!({"properties": {"x": {"type": "keyword"}}}), &[]).await;
    assert_eq!(bench.ids(&json!(null)).await, "");
    assert_eq!(bench.mapping().await.field("x").unwrap().kind, FieldKind::Keyword);
}

/// A mapping that cannot be read makes no index.
pub async fn a_wrong_mapping_is_refused(engine: &dyn SearchEngine) {
    for mapping in [json!([]), json!({"properties": {"x": {"type": "alias", "path": "nowhere"}}})] {
        let rejected = engine.create_index(INDEX, Some(&mapping)).await;
        assert!(matches!(rejected, Err(EngineError::Rejected(_))), "{rejected:?}");
    }
    assert_eq!(engine.indexes().await.unwrap(), []);
}

/// Documents bring fields where the mapping allows it, and these can be searched at once.
pub async fn documents_bring_fields(engine: &dyn SearchEngine) {
    let bench = TestIndex::create(engine, None).await;
    let document = json!({"name": "Red Fox", "size": 7, "at": "2024-05-01", "in": {"flag": [true]}});
    bench.write(vec![put("a", &document), put("b", &json!({"size": 8, "later": 1.5}))]).await;
    let mapping = bench.mapping().await;
    let kind = |path: &str| mapping.field(path).unwrap().kind.clone();
    let kinds = ["name", "name.keyword", "size", "in", "in.flag"].map(kind);
    let expected = [FieldKind::Text, FieldKind::Keyword, FieldKind::Long, FieldKind::Object, FieldKind::Boolean];
    assert_eq!(kinds, expected);
    assert!(kind("at").is_date());
    // How exact a fraction is kept is left to the engine.
    assert!(matches!(kind("later"), FieldKind::Double | FieldKind::Float));
    for (field, value) in [
        ("name.keyword", json!("Red Fox")),
        ("name", json!("fox")),
        ("size", json!(7)),
        ("at", json!("2024-05-01")),
        ("in.flag", json!(true)),
    ] {
        assert_eq!(bench.ids(&leaf("in", field, value)).await, "a", "{field}");
    }
    assert_eq!(bench.ids(&leaf("gt", "later", 1)).await, "b");
}

/// A document that contradicts a field which another one brought is rejected, and brings nothing.
pub async fn a_refused_document_brings_no_fields(engine: &dyn SearchEngine) {
    let bench = TestIndex::create(engine, None).await;
    bench.write(vec![put("a", &json!({"size": 7}))]).await;
    let report = bench.write(vec![put("b", &json!({"brought": true, "size": "large"}))]).await;
    assert_eq!(report.rejected.len(), 1);
    assert!(bench.mapping().await.field("brought").is_none());
}

/// Names that a strict mapping does not have are rejected; with `false` they are kept, but cannot be searched.
pub async fn the_mapping_says_what_happens_to_unknown_names(engine: &dyn SearchEngine) {
    let mapping = json!({"dynamic": "strict", "properties": {
        "x": {"type": "long"},
        "open": {"type": "object", "dynamic": true},
        "kept": {"type": "object", "dynamic": false},
    }});
    let bench = TestIndex::new(engine, mapping, &[]).await;
    let batch = vec![
        put("a", &json!({"x": 1, "y": 2})),
        put("b", &json!({"x": 1, "open": {"new": "red"}})),
        put("c", &json!({"x": 1, "kept": {"new": "red"}})),
    ];
    let report = bench.write(batch).await;
    assert_eq!((report.written, report.rejected.len(), report.rejected[0].batch_index), (2, 1, 0));
    assert!(report.rejected[0].reason.contains('y'), "{}", report.rejected[0].reason);
    assert_eq!(bench.ids(&leaf("in", "open.new.keyword", "red")).await, "b");
    assert_eq!(bench.ids(&leaf("in", "kept.new", "red")).await, "");
    assert!(bench.mapping().await.field("kept.new").is_none());
}
