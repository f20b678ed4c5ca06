//! How far the source of an index has been read, noted with what was written.

use serde_json::json;

use super::{INDEX, TestIndex, delete, leaf, put};
use crate::{EngineError, SearchEngine};

/// A position is noted with its batch, the last one holds, and other writes leave it alone.
pub async fn the_last_position_holds(engine: &dyn SearchEngine) {
    let bench = TestIndex::new(engine, json!({"properties": {"n": {"type": "long"}}}), &[]).await;
    let position = async || engine.position(INDEX).await.unwrap();
    assert_eq!(position().await, None);
    let report =
        engine.write_with_position(INDEX, vec![put("a", &json!({"n": 1})), delete("b")], "event 1").await.unwrap();
    assert_eq!((report.written, report.deleted, report.rejected.len()), (1, 0, 0));
    assert_eq!(position().await.as_deref(), Some("event 1"));
    assert!(engine.document(INDEX, "a").await.unwrap().is_some());
    let report =
        engine.write_with_position(INDEX, vec![put("c", &json!({"n": "no number"}))], "event 2").await.unwrap();
    assert_eq!((report.written, report.rejected.len(), report.rejected[0].batch_index), (0, 1, 0));
    assert_eq!(position().await.as_deref(), Some("event 2"), "a document that is rejected stops nothing");
    bench.write(vec![put("d", &json!({"n": 2}))]).await;
    assert_eq!(position().await.as_deref(), Some("event 2"));
    engine.write_with_position(INDEX, Vec::new(), "{\"ünïcode\": [1]}").await.unwrap();
    assert_eq!(position().await.as_deref(), Some("{\"ünïcode\": [1]}"));
    assert_eq!(engine.indexes().await.unwrap().iter().map(|index| index.documents).sum::<u64>(), 2);
}

/// Each index has its own position, which goes with it.
pub async fn a_position_belongs_to_its_index(engine: &dyn SearchEngine) {
    engine.create_index("one", None).await.unwrap();
    engine.create_index("two", None).await.unwrap();
    engine.write_with_position("one", vec![put("a", &json!({}))], "1").await.unwrap();
    assert_eq!(engine.position("two").await.unwrap(), None);
    engine.write_with_position("two", Vec::new(), "2").await.unwrap();
    assert_eq!(engine.position("one").await.unwrap().as_deref(), Some("1"));
    engine.delete_index("one").await.unwrap();
    let gone = || EngineError::IndexNotFound("one".to_owned());
    assert_eq!(engine.position("one").await, Err(gone()));
    assert_eq!(engine.write_with_position("one", Vec::new(), "3").await, Err(gone()));
    engine.create_index("one", None).await.unwrap();
    assert_eq!(engine.position("one").await.unwrap(), None, "it is another index of the same name");
    assert_eq!(engine.position("two").await.unwrap().as_deref(), Some("2"));
}

/// Batches that were written without a refresh are visible after one, deletions and replacements among them.
pub async fn a_refresh_shows_what_was_written_before(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"n": {"type": "long"}}});
    let bench = TestIndex::new(engine, mapping, &[json!({"n": 1}), json!({"n": 2}), json!({"n": 3})]).await;
    let batches = [
        vec![delete("a"), put("d", &json!({"n": 4}))],
        vec![put("b", &json!({"n": 20})), put("e", &json!({"n": 5}))],
        vec![delete("e"), put("d", &json!({"n": 40}))],
    ];
    for (number, batch) in batches.into_iter().enumerate() {
        bench.model.borrow_mut().write(&batch);
        let report = engine.write_unrefreshed(INDEX, batch, &format!("event {number}")).await.unwrap();
        assert_eq!(report.rejected, []);
    }
    engine.refresh(INDEX).await.unwrap();
    assert_eq!(engine.position(INDEX).await.unwrap().as_deref(), Some("event 2"));
    assert_eq!(bench.ids(&json!(null)).await, "bcd");
    assert_eq!(bench.ids(&leaf("in", "n", json!([2, 4, 40]))).await, "d");
}
