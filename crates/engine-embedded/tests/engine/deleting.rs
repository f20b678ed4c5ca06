//! An index that is deleted while it is written to is not found, and its name is free at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cantata_engine::{EngineError, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::json;

/// How many tasks write.
const WRITERS: usize = 4;

/// How often the index is deleted.
const DELETIONS: usize = 40;

fn put(id: &str) -> Vec<WriteOperation> {
    vec![WriteOperation::Put { id: id.to_owned(), source: json!({"n": 1}).to_string().into() }]
}

/// Changes the index in every way, over and over.
async fn change(engine: EmbeddedEngine, writer: usize, is_over: Arc<AtomicBool>) {
    let mapping = json!({"properties": {"added": {"type": "keyword"}}});
    for n in 0.. {
        if is_over.load(Ordering::Relaxed) {
            return;
        }
        let batch = put(&format!("{writer}-{n}"));
        let outcome = match n % 5 {
            0 => engine.compact("things").await,
            1 => engine.bulk_load("things", batch).await.map(drop),
            2 => engine.extend_mapping("things", &mapping).await,
            3 => engine.write_with_position("things", batch, "1").await.map(drop),
            _ => engine.write("things", batch).await.map(drop),
        };
        assert!(matches!(outcome, Ok(()) | Err(EngineError::IndexNotFound(_))), "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_index_is_deleted_and_created_while_it_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> =
        (0..WRITERS).map(|writer| tokio::spawn(change(engine.clone(), writer, Arc::clone(&is_over)))).collect();
    for deletion in 0..DELETIONS {
        let id = format!("of {deletion}");
        engine.write("things", put(&id)).await.unwrap();
        engine.delete("things").unwrap();
        engine.create("things", None).unwrap();
        assert_eq!(engine.has_documents("things", &[id.as_str()]).await.unwrap(), [false]);
    }
    is_over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    engine.write("things", put("last")).await.unwrap();
    engine.wait_until_idle().await;
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
    let documents = engine.stats("things").await.unwrap().documents;
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(engine.stats("things").await.unwrap().documents, documents);
    assert_eq!(engine.has_documents("things", &["last"]).await.unwrap(), [true]);
}
