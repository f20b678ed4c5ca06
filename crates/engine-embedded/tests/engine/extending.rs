//! Fields that are added to a mapping, over documents that were there before.

use std::sync::Arc;

use cantata_engine::{
    Filter, HitsRequest, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter, SearchPlan, WriteOperation,
};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::{Value, json};

fn put(id: &str, document: &Value) -> WriteOperation {
    WriteOperation::Put { id: id.to_owned(), source: document.to_string().into_bytes() }
}

async fn count(engine: &EmbeddedEngine, filter: Filter) -> u64 {
    let hits = HitsRequest { total: true, ..HitsRequest::default() };
    let plan = SearchPlan { filters: vec![filter], hits: vec![hits], facets: vec![] };
    engine.search("things", Arc::new(plan)).await.unwrap().hits[0].total.unwrap()
}

/// Values that were kept without being searched may be anything; they spoil neither merging nor the documents.
#[tokio::test]
async fn values_of_any_form_may_stand_where_a_field_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", Some(&json!({"dynamic": false, "properties": {}}))).unwrap();
    let odd = [
        json!({"x": "text", "y": 1}),
        json!({"x": {"deep": 1}, "y": "text"}),
        json!({"x": [1, [2, {"a": 3}]], "y": [1, {"z": "k"}, [{"z": 5}]]}),
        json!({"x": null, "y": {"z": {"deeper": true}}}),
        json!({"x": 5, "y": [{"z": "k"}]}),
    ];
    for (number, document) in odd.iter().enumerate() {
        engine.write("things", vec![put(&number.to_string(), document)]).await.unwrap();
    }
    let more = json!({"properties": {
        "x": {"type": "long"}, "y": {"type": "nested", "properties": {"z": {"type": "keyword"}}},
    }});
    engine.extend_mapping("things", &more).await.unwrap();
    engine.write("things", vec![put("new", &json!({"x": 5, "y": [{"z": "k"}]}))]).await.unwrap();
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert!(engine.mapping("things").await.unwrap().field("y.z").is_some());
    engine.compact("things").await.unwrap();
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
    assert_eq!(count(&engine, Filter::All).await, 6);
    for (number, document) in odd.iter().enumerate() {
        let found = engine.document("things", &number.to_string()).await.unwrap().unwrap();
        assert_eq!(serde_json::to_value(found.root()).unwrap(), *document);
    }
}

#[tokio::test]
async fn what_a_mapping_says_beside_its_fields_is_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", Some(&json!({"dynamic": "strict", "properties": {}}))).unwrap();
    let refused = engine.write("things", vec![put("a", &json!({"brought": 1}))]).await.unwrap();
    assert_eq!(refused.rejected.len(), 1);
    engine.extend_mapping("things", &json!({"dynamic": true, "_meta": {"kept": [1]}})).await.unwrap();
    for _ in 0..2 {
        let mapping = engine.mapping("things").await.unwrap();
        assert_eq!(Value::Object(mapping.meta().clone()), json!({"kept": [1]}));
    }
    assert_eq!(engine.write("things", vec![put("a", &json!({"brought": 1}))]).await.unwrap().written, 1);
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(engine.mapping("things").await.unwrap().meta()["kept"], json!([1]));
    assert_eq!(engine.write("things", vec![put("b", &json!({"another": 1}))]).await.unwrap().written, 1);
}
