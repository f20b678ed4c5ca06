//! Adding fields to a mapping.

use serde_json::{Value, json};

use super::{INDEX, TestIndex, leaf, put};
use crate::{EngineError, SearchEngine};

/// New fields can be searched in what is written from then on; what is there stays.
pub async fn new_fields_are_added(engine: &dyn SearchEngine) {
    let mapping = json!({"dynamic": "strict", "properties": {
        "name": {"type": "keyword"},
        "donors": {"type": "nested", "properties": {"id": {"type": "keyword"}}},
    }});
    let bench = TestIndex::new(engine, mapping, &[json!({"name": "red", "donors": [{"id": "d1"}]})]).await;
    let more = json!({"properties": {
        "size": {"type": "long"},
        "donors": {"type": "nested", "properties": {"age": {"type": "integer"}}},
        "samples": {"type": "nested", "properties": {"kind": {"type": "keyword"}}},
    }});
    bench.extend(&more).await.unwrap();
    bench.extend(&more).await.unwrap();
    let batch = vec![put(
        "b",
        &json!({"name": "red", "size": 7, "donors": [{"id": "d2", "age": 30}], "samples": [{"kind": "dna"}]}),
    )];
    assert_eq!(bench.write(batch).await.written, 1);
    assert_eq!(bench.ids(&leaf("in", "name", "red")).await, "ab");
    assert_eq!(bench.ids(&leaf("in", "donors.id", json!(["d1", "d2"]))).await, "ab");
    for (field, value) in [("size", json!(7)), ("donors.age", json!(30)), ("samples.kind", json!("dna"))] {
        assert_eq!(bench.ids(&leaf("in", field, value)).await, "b", "{field}");
    }
    let mapping = bench.mapping().await;
    let fields = ["name", "donors", "donors.id", "donors.age", "size", "samples.kind"];
    assert!(fields.iter().all(|field| mapping.field(field).is_some()), "{:?}", mapping.raw());
}

/// A field that is there with another type is rejected by its path, and nothing else is added either.
pub async fn another_type_is_refused(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {
        "name": {"type": "keyword"},
        "donors": {"type": "nested", "properties": {"age": {"type": "integer"}}},
    }});
    let bench = TestIndex::new(engine, mapping, &[]).await;
    let wrong = [
        ("name", json!({"name": {"type": "long"}})),
        ("donors.age", json!({"donors": {"type": "nested", "properties": {"age": {"type": "keyword"}}}})),
        ("donors", json!({"donors": {"type": "keyword"}})),
    ];
    for (path, mut properties) in wrong {
        properties["brought"] = json!({"type": "keyword"});
        let rejected = bench.extend(&json!({"properties": properties})).await;
        assert!(matches!(&rejected, Err(EngineError::Rejected(text)) if text.contains(path)), "{path}: {rejected:?}");
        assert!(bench.mapping().await.field("brought").is_none(), "{path}");
    }
    let nowhere = engine.extend_mapping("nowhere", &json!({"properties": {}})).await;
    assert_eq!(nowhere, Err(EngineError::IndexNotFound("nowhere".to_owned())));
    let nonsense = engine.extend_mapping(INDEX, &json!([])).await;
    assert!(matches!(nonsense, Err(EngineError::Rejected(_))), "{nonsense:?}");
}

/// What is kept with a mapping is replaced as a whole, and stays where nothing is said of it.
pub async fn meta_is_replaced_as_a_whole(engine: &dyn SearchEngine) {
    let mapping = json!({"_meta": {"one": 1, "two": {"deep": []}}, "properties": {}});
    let bench = TestIndex::new(engine, mapping, &[json!({})]).await;
    let meta = async || Value::Object(bench.mapping().await.meta().clone());
    assert_eq!(meta().await, json!({"one": 1, "two": {"deep": []}}));
    bench.extend(&json!({"properties": {"x": {"type": "long"}}})).await.unwrap();
    assert_eq!(meta().await, json!({"one": 1, "two": {"deep": []}}));
    bench.extend(&json!({"_meta": {"three": "3"}})).await.unwrap();
    assert_eq!(meta().await, json!({"three": "3"}));
    bench.write(vec![put("b", &json!({"x": 5}))]).await;
    assert_eq!(meta().await, json!({"three": "3"}));
    assert_eq!(bench.ids(&leaf("in", "x", 5)).await, "b");
}
