//! A change that fails leaves nothing behind, searches go on meanwhile, and writes go on once they can.

use cantata_engine::{EngineError, IndexMaintenance, IndexReader, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::json;

/// A document of so many bytes becomes a segment file at once, without the log.
const LARGE: usize = 17 << 20;

fn put(id: &str, bytes: usize) -> Vec<WriteOperation> {
    vec![WriteOperation::Put { id: id.to_owned(), source: json!({"_text": "x".repeat(bytes)}).to_string().into() }]
}

async fn found(engine: &EmbeddedEngine) -> Vec<&'static str> {
    let ids = ["before", "large", "small", "after"];
    let found = engine.has_documents("things", &ids).await.unwrap();
    ids.into_iter().zip(found).filter_map(|(id, is_there)| is_there.then_some(id)).collect()
}

#[tokio::test]
async fn a_failed_batch_does_not_appear_with_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    engine.write_with_position("things", put("before", 10), "1").await.unwrap();
    // A folder stands where the next manifest would be written.
    let obstacle = folder.path().join("things/manifest.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    let failed = engine.write_with_position("things", put("large", LARGE), "2").await;
    assert!(matches!(&failed, Err(EngineError::Failed(text)) if text.contains("`things`")), "{failed:?}");
    for _ in 0..3 {
        let refused = engine.write_with_position("things", put("small", 10), "3").await;
        assert!(matches!(&refused, Err(EngineError::Failed(text)) if text.contains("`things`")), "{refused:?}");
    }
    assert!(engine.check_health().await.is_err());
    assert!(engine.position("things").await.is_err(), "the position of a failed batch is not told");
    assert_eq!(found(&engine).await, ["before"], "searches go on");

    std::fs::remove_dir(&obstacle).unwrap();
    assert_eq!(engine.check_health().await, Ok(()), "no write is needed to find out that it works again");
    assert_eq!(engine.position("things").await.unwrap().as_deref(), Some("1"));
    engine.write("things", put("after", 10)).await.unwrap();
    assert_eq!(found(&engine).await, ["before", "after"]);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
    engine.wait_until_idle().await;
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(found(&engine).await, ["before", "after"]);
    assert_eq!(engine.position("things").await.unwrap().as_deref(), Some("1"));
}

#[tokio::test]
async fn a_failed_compaction_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    engine.write("things", put("before", 10)).await.unwrap();
    let obstacle = folder.path().join("things/manifest.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    assert!(engine.compact("things").await.is_err());
    std::fs::remove_dir(&obstacle).unwrap();
    engine.compact("things").await.unwrap();
    engine.write("things", put("after", 10)).await.unwrap();
    assert_eq!(found(&engine).await, ["before", "after"]);
    let stats = engine.stats("things").await.unwrap();
    assert_eq!((stats.documents, stats.deleted), (2, 0));
}

#[tokio::test]
async fn an_index_that_can_only_be_read_is_searched() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    engine.write("things", put("before", 10)).await.unwrap();
    engine.compact("things").await.unwrap();
    engine.write("things", put("small", 10)).await.unwrap();
    drop(engine);
    let obstacle = folder.path().join("things/manifest.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    for _ in 0..2 {
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        assert_eq!(found(&engine).await, ["before", "small"]);
        assert!(engine.write("things", put("after", 10)).await.is_err());
        assert!(engine.check_health().await.is_err());
    }
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    std::fs::remove_dir(&obstacle).unwrap();
    engine.write("things", put("after", 10)).await.unwrap();
    assert_eq!(found(&engine).await, ["before", "small", "after"]);
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(found(&engine).await, ["before", "small", "after"]);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
}
