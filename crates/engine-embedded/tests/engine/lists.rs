//! Which fields have several values in a document.

use cantata_engine::{IndexMaintenance, IndexReader, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::{Value, json};

fn put(id: &str, document: &Value) -> WriteOperation {
    WriteOperation::Put { id: id.to_owned(), source: document.to_string().into_bytes() }
}

async fn lists(engine: &EmbeddedEngine) -> Vec<String> {
    engine.list_fields("things").await.unwrap().unwrap().into_iter().collect()
}

#[tokio::test]
async fn a_field_has_lists_once_a_document_has_several_values() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let mapping = json!({"properties": {
        "colour": {"type": "keyword"}, "size": {"type": "long"}, "box": {"properties": {"x": {"type": "keyword"}}},
        "all": {"type": "keyword"}, "first": {"type": "keyword", "copy_to": "all"},
        "donors": {"type": "nested", "properties": {"id": {"type": "keyword"}, "tags": {"type": "keyword"}}},
    }});
    engine.create("things", Some(&mapping)).unwrap();
    assert_eq!(lists(&engine).await, [""; 0]);
    let single = json!({"colour": ["white"], "size": 1, "box": [{"x": "a"}], "donors": [{"id": "1"}, {"id": "2"}]});
    engine.write("things", vec![put("1", &single)]).await.unwrap();
    assert_eq!(lists(&engine).await, [""; 0]);
    let several = json!({
        "colour": ["white", "yellow"], "size": [3, 3], "box": [{"x": "a"}, {"x": "b"}], "first": "p", "all": "q",
        "donors": [{"tags": ["a", "b"]}],
    });
    engine.write("things", vec![put("2", &several)]).await.unwrap();
    let expected = ["all", "box.x", "colour", "donors.tags", "size"];
    assert_eq!(lists(&engine).await, expected);
    // Also after everything was written to a file and merged.
    engine.compact("things").await.unwrap();
    assert_eq!(lists(&engine).await, expected);
}
