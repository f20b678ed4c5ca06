//! A change that fails leaves nothing behind, searches go on meanwhile, and writes go on once they can; an index that could
//! not be opened is opened once it can be.

use std::path::Path;
use std::time::Duration;

use cantata_engine::{EngineError, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::json;

/// A document of this many bytes becomes a segment file at once, without the log.
const LARGE_TEXT_BYTES: usize = 17 << 20;

fn put(id: &str, bytes: usize) -> Vec<WriteOperation> {
    vec![WriteOperation::Put { id: id.to_owned(), source: json!({"_text": "x".repeat(bytes)}).to_string().into() }]
}

/// Opens an engine that tries a failed index again at each request.
fn open(folder: &Path) -> EmbeddedEngine {
    EmbeddedEngine::open_with_retry_interval(folder, Duration::ZERO).unwrap()
}

async fn found(engine: &EmbeddedEngine) -> Vec<&'static str> {
    let ids = ["before", "large", "small", "after"];
    let found = engine.has_documents("things", &ids).await.unwrap();
    ids.into_iter().zip(found).filter_map(|(id, is_there)| is_there.then_some(id)).collect()
}

#[tokio::test]
async fn a_failed_batch_does_not_appear_with_the_next_write() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    engine.create("things", None).unwrap();
    engine.write_with_position("things", put("before", 10), "1").await.unwrap();
    // A folder stands where the next manifest would be written.
    let obstacle = folder.path().join("things/manifest.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    let failed = engine.write_with_position("things", put("large", LARGE_TEXT_BYTES), "2").await;
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
    let engine = open(folder.path());
    assert_eq!(found(&engine).await, ["before", "after"]);
    assert_eq!(engine.position("things").await.unwrap().as_deref(), Some("1"));
}

#[tokio::test]
async fn a_failed_compaction_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
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
    let engine = open(folder.path());
    engine.create("things", None).unwrap();
    engine.write("things", put("before", 10)).await.unwrap();
    engine.compact("things").await.unwrap();
    engine.write("things", put("small", 10)).await.unwrap();
    drop(engine);
    let obstacle = folder.path().join("things/manifest.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    for _ in 0..2 {
        let engine = open(folder.path());
        assert_eq!(found(&engine).await, ["before", "small"]);
        assert!(engine.write("things", put("after", 10)).await.is_err());
        assert!(engine.check_health().await.is_err());
    }
    let engine = open(folder.path());
    std::fs::remove_dir(&obstacle).unwrap();
    engine.write("things", put("after", 10)).await.unwrap();
    assert_eq!(found(&engine).await, ["before", "small", "after"]);
    drop(engine);
    let engine = open(folder.path());
    assert_eq!(found(&engine).await, ["before", "small", "after"]);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
}

/// Makes the manifest of an index unreadable for the moment: a folder has its name.
fn hide_manifest(index: &Path) {
    std::fs::rename(index.join("manifest.json"), index.with_extension("hidden")).unwrap();
    std::fs::create_dir(index.join("manifest.json")).unwrap();
}

fn show_manifest(index: &Path) {
    std::fs::remove_dir(index.join("manifest.json")).unwrap();
    std::fs::rename(index.with_extension("hidden"), index.join("manifest.json")).unwrap();
}

#[tokio::test]
async fn an_index_that_cannot_be_opened_for_the_moment_is_opened_later() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("things");
    let engine = open(folder.path());
    for name in ["things", "others"] {
        engine.create(name, None).unwrap();
        engine.write(name, put("before", 10)).await.unwrap();
    }
    drop(engine);
    for asks_for_health in [true, false] {
        hide_manifest(&index);
        let engine = open(folder.path());
        for _ in 0..3 {
            for refused in [engine.check_health().await, engine.mapping("things").await.map(drop)] {
                let error = refused.unwrap_err();
                assert!(matches!(&error, EngineError::IndexUnavailable { index, .. } if index == "things"), "{error}");
                assert!(error.client_message().contains("`things`"), "{error}");
            }
        }
        assert_eq!(engine.has_documents("others", &["before"]).await, Ok(vec![true]), "the others are searched");
        let listed = engine.indexes().await.unwrap();
        assert!(listed.iter().any(|index| index.name == "things" && index.problem.is_some()), "{listed:?}");
        assert!(matches!(engine.create("things", None), Err(EngineError::IndexExists(_))));
        engine.wait_until_idle().await;

        show_manifest(&index);
        if asks_for_health {
            assert_eq!(engine.check_health().await, Ok(()));
        } else {
            // The first request begins to open it.
            while engine.mapping("things").await.is_err() {
                engine.wait_until_idle().await;
            }
        }
        assert_eq!(found(&engine).await, ["before"]);
        assert!(engine.indexes().await.unwrap().iter().all(|index| index.problem.is_none()));
        engine.wait_until_idle().await;
    }
}

#[tokio::test]
async fn an_index_that_could_not_be_opened_is_left_alone_for_an_interval_and_can_be_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("things");
    open(folder.path()).create("things", None).unwrap();
    hide_manifest(&index);
    let engine = EmbeddedEngine::open_with_retry_interval(folder.path(), Duration::MAX).unwrap();
    show_manifest(&index);
    for _ in 0..3 {
        assert!(engine.check_health().await.is_err());
        assert!(engine.mapping("things").await.is_err());
        engine.wait_until_idle().await;
    }
    engine.delete("things").unwrap();
    assert_eq!(engine.check_health().await, Ok(()));
    engine.create("things", None).unwrap();
    assert_eq!(engine.has_documents("things", &["before"]).await, Ok(vec![false]));
}

#[tokio::test]
async fn a_damaged_index_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("things/manifest.json");
    open(folder.path()).create("things", None).unwrap();
    let sound = std::fs::read(&manifest).unwrap();
    std::fs::write(&manifest, "{").unwrap();
    let engine = open(folder.path());
    std::fs::write(&manifest, sound).unwrap();
    assert_eq!(engine.check_health().await, Ok(()));
    let refused = engine.mapping("things").await.unwrap_err();
    assert!(matches!(refused, EngineError::IndexDamaged { .. }), "{refused}");
}

#[tokio::test]
async fn damage_that_is_found_after_a_failed_change_stops_searches_too() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("things");
    let engine = open(folder.path());
    engine.create("things", None).unwrap();
    engine.write("things", put("before", 10)).await.unwrap();
    engine.write("things", put("small", 10)).await.unwrap();
    let obstacle = index.join("manifest.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    assert!(engine.write("things", put("large", LARGE_TEXT_BYTES)).await.is_err());
    assert_eq!(found(&engine).await, ["before", "small"], "searches go on");

    let files = std::fs::read_dir(&index).unwrap().map(|entry| entry.unwrap().path());
    let logs: Vec<_> = files.filter(|path| path.extension().is_some_and(|extension| extension == "log")).collect();
    assert_eq!(logs.len(), 1, "{logs:?}");
    let mut bytes = std::fs::read(&logs[0]).unwrap();
    // In the first entry, behind the header of the file and its own.
    bytes[16 + 8] ^= 1;
    std::fs::write(&logs[0], bytes).unwrap();
    std::fs::remove_dir(&obstacle).unwrap();
    let refused = engine.write("things", put("after", 10)).await.map(drop);
    for refused in [refused, engine.has_documents("things", &["before"]).await.map(drop)] {
        assert!(matches!(refused, Err(EngineError::IndexDamaged { .. })), "{refused:?}");
    }
    assert!(engine.indexes().await.unwrap()[0].problem.is_some());
    assert_eq!(engine.check_health().await, Ok(()), "trying again is of no use");
}
