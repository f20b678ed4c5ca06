//! Segments in memory are merged and flushed while writes go on; no document is lost or comes back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cantata_engine::{
    Filter, HitsRequest, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter, SearchPlan, WriteOperation,
};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::json;

/// How long a document is beside its number: a log of some hundreds of them becomes a file.
const LONG_TEXT_BYTES: usize = 60 << 10;

/// How many documents there are at most.
const IDS: usize = 397;

async fn found(engine: &EmbeddedEngine) -> BTreeMap<String, u64> {
    let hits = HitsRequest { size: 100_000, total: true, documents: true, ..HitsRequest::default() };
    let plan = SearchPlan { filters: vec![Filter::All], hits: vec![hits], facets: vec![] };
    let answer = engine.search("things", Arc::new(plan)).await.unwrap();
    let hits = answer.hits.into_iter().next().unwrap().hits.into_iter();
    hits.map(|hit| {
        let document = serde_json::to_value(hit.document.unwrap().root()).unwrap();
        (hit.cursor.id, document["n"].as_u64().unwrap())
    })
    .collect()
}

/// Files that are not part of the index are removed whenever it is written; those that are being made must stay.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_being_made_is_no_leftover() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let mapping = json!({"dynamic": false, "properties": {"n": {"type": "long"}}});
    engine.create("things", Some(&mapping)).unwrap();
    let (padding, merging) = ("x".repeat(LONG_TEXT_BYTES), engine.clone());
    let merges = tokio::spawn(async move {
        for _ in 0..40 {
            merging.compact("things").await.unwrap();
        }
    });
    let mut expected = BTreeMap::new();
    while !merges.is_finished() || expected.len() < IDS {
        let n = expected.len() as u64;
        let source = json!({"n": n, "padding": padding}).to_string().into();
        engine.write("things", vec![WriteOperation::Put { id: n.to_string(), source }]).await.unwrap();
        // What is in the log becomes a file first.
        engine.extend_mapping("things", &mapping).await.unwrap();
        expected.insert(n.to_string(), n);
    }
    merges.await.unwrap();
    engine.wait_until_idle().await;
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(found(&engine).await, expected);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_replacements_and_removals_meet_segments_that_are_being_put_together() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", Some(&json!({"dynamic": false, "properties": {"n": {"type": "long"}}}))).unwrap();
    let (mut expected, padding) = (BTreeMap::new(), "x".repeat(LONG_TEXT_BYTES));
    for n in 0..2_000 {
        let id = format!("{:04}", n * 271 % IDS);
        let mut batch = vec![WriteOperation::Put {
            id: id.clone(),
            source: json!({"n": n, "padding": if n % 3 == 0 { &padding } else { "" }}).to_string().into(),
        }];
        expected.insert(id, n as u64);
        if n % 5 == 0 {
            let gone = format!("{:04}", n * 83 % IDS);
            expected.remove(&gone);
            batch.push(WriteOperation::Delete { id: gone });
        }
        engine.write_with_position("things", batch, &n.to_string()).await.unwrap();
        if n % 100 == 0 {
            assert_eq!(found(&engine).await, expected, "after {n}");
        }
    }
    assert_eq!(found(&engine).await, expected);
    engine.wait_until_idle().await;
    assert_eq!(found(&engine).await, expected);
    assert!(engine.stats("things").await.unwrap().segments < 60);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
    drop(engine);

    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(found(&engine).await, expected);
    assert_eq!(engine.position("things").await.unwrap().as_deref(), Some("1999"));
}

#[tokio::test]
async fn a_second_log_is_read_after_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    let put =
        |n: u64| vec![WriteOperation::Put { id: (n % 2).to_string(), source: json!({"n": n}).to_string().into() }];
    let index = folder.path().join("things");
    // As a crash leaves it between the rotation and the checkpoint of the WAL: two files, one of them not in the manifest.
    engine.write_with_position("things", put(1), "1").await.unwrap();
    let first = log_of(&index);
    let kept = std::fs::read(&first).unwrap();
    drop(engine);
    let manifest = std::fs::read(index.join("manifest.json")).unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.write_with_position("things", put(3), "3").await.unwrap();
    engine.write_with_position("things", put(4), "4").await.unwrap();
    drop(engine);
    std::fs::write(&first, kept).unwrap();
    std::fs::write(index.join("manifest.json"), manifest).unwrap();

    for _ in 0..2 {
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        assert_eq!(found(&engine).await, BTreeMap::from([("0".to_owned(), 4), ("1".to_owned(), 3)]));
        assert_eq!(engine.position("things").await.unwrap().as_deref(), Some("4"));
    }
}

fn log_of(index: &Path) -> PathBuf {
    let files = std::fs::read_dir(index).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|kind| kind == "log")).max().unwrap()
}
