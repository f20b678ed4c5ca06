//! What is written is there after the engine is opened again, however it was written.

use std::sync::Arc;

use cantata_engine::{
    EngineError, Filter, HitsRequest, ImportChunk, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter, SearchPlan,
    WriteOperation,
};
use cantata_engine_embedded::{EmbeddedEngine, OpenError};
use serde_json::json;

fn put(id: &str, n: u64) -> WriteOperation {
    WriteOperation::Put {
        id: id.to_owned(),
        source: json!({"n": n, "text": format!("value {n}")}).to_string().into_bytes(),
    }
}

async fn ids(engine: &EmbeddedEngine) -> Vec<String> {
    let hits = HitsRequest { size: 100_000, total: true, ..HitsRequest::default() };
    let plan = SearchPlan { filters: vec![Filter::All], hits: vec![hits], facets: vec![] };
    let answer = engine.search("things", Arc::new(plan)).await.unwrap();
    answer.hits[0].hits.iter().map(|hit| hit.cursor.id.clone()).collect()
}

#[tokio::test]
async fn writes_are_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    for round in 0..30_u64 {
        let batch = (0..10).map(|n| put(&format!("{round}-{n}"), n)).collect();
        engine.write("things", batch).await.unwrap();
    }
    let deleted = (0..30).map(|round| WriteOperation::Delete { id: format!("{round}-3") }).collect();
    assert_eq!(engine.write("things", deleted).await.unwrap().deleted, 30);
    let before = ids(&engine).await;
    assert_eq!(before.len(), 270);
    engine.wait_until_idle().await;
    drop(engine);

    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(ids(&engine).await, before);
    engine.compact("things").await.unwrap();
    assert_eq!(ids(&engine).await, before);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
    let stats = engine.stats("things").await.unwrap();
    assert_eq!((stats.documents, stats.deleted, stats.segments), (270, 0, 1));
}

#[tokio::test]
async fn an_import_goes_on_where_it_ended_and_its_last_document_holds() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    let chunk = |text: &str, end: u64| ImportChunk {
        source: "file".to_owned(),
        bytes: text.as_bytes().to_vec(),
        documents: text
            .lines()
            .enumerate()
            .map(|(n, line)| {
                let start = line.as_ptr() as usize - text.as_ptr() as usize;
                (n as u64 + 1, start..start + line.len())
            })
            .collect(),
        end,
    };
    let first = "{\"_id\": \"a\", \"n\": 1}\nnothing\n{\"_id\": 7, \"n\": 2}\n{\"n\": 3}\n";
    let report = engine.import_chunk("things", chunk(first, 10), None).await.unwrap();
    assert_eq!((report.indexed, report.rejected.len()), (3, 1));
    assert_eq!(report.rejected[0].line, 2);
    assert_eq!(engine.import_position("things", "file").await.unwrap(), 10);
    let second = "{\"_id\": \"a\", \"n\": 4}\n{\"name\": \"b\", \"n\": 5}\n";
    let report = engine.import_chunk("things", chunk(second, 20), Some("name".to_owned())).await.unwrap();
    assert_eq!(report.indexed, 2);
    drop(engine);

    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(engine.import_position("things", "file").await.unwrap(), 20);
    engine.end_import("things", "file").await.unwrap();
    assert_eq!(engine.import_position("things", "file").await.unwrap(), 0);
    let document = engine.document("things", "a").await.unwrap().unwrap();
    assert_eq!(serde_json::to_value(document.root()).unwrap(), json!({"n": 4}));
    let found = ids(&engine).await;
    assert_eq!(found.len(), 4);
    assert!(found.contains(&"7".to_owned()) && found.contains(&"b".to_owned()));
}

#[tokio::test]
async fn a_folder_is_open_once_and_broken_indexes_leave_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert!(matches!(EmbeddedEngine::open(folder.path()), Err(OpenError::InUse(_))));
    engine.create("things", None).unwrap();
    engine.create("others", None).unwrap();
    engine.write("things", vec![put("a", 1)]).await.unwrap();
    drop(engine);
    std::fs::write(folder.path().join("others/manifest.json"), "{").unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(ids(&engine).await, ["a"]);
    let error = engine.mapping("others").await.unwrap_err();
    assert!(matches!(&error, EngineError::IndexDamaged { index, .. } if index == "others"), "{error}");
    assert!(error.to_string().contains("manifest"), "{error}");
    let listed = engine.indexes().await.unwrap();
    let listed: Vec<_> = listed.iter().map(|index| (index.name.as_str(), index.problem.is_some())).collect();
    assert_eq!(listed, [("others", true), ("things", false)]);
    assert!(matches!(engine.create("others", None), Err(EngineError::IndexExists(_))));
    engine.delete("others").unwrap();
    engine.create("others", None).unwrap();
}

/// Wherever a bit of a segment flips, the index is not read, and the message names the file.
#[tokio::test]
async fn a_damaged_segment_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    engine.write("things", (0..100).map(|n| put(&n.to_string(), n)).collect()).await.unwrap();
    engine.compact("things").await.unwrap();
    drop(engine);
    let segment = std::fs::read_dir(folder.path().join("things"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "segment"))
        .unwrap();
    let name = segment.file_name().unwrap().to_str().unwrap();
    let bytes = std::fs::read(&segment).unwrap();
    for place in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1 << (place % 8);
        // A file is mapped while it is open, so another takes its place.
        std::fs::remove_file(&segment).unwrap();
        std::fs::write(&segment, flipped).unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        let refused = engine.document("things", "7").await.err().map(|error| error.to_string());
        assert!(refused.as_ref().is_some_and(|text| text.contains(name)), "byte {place}: {refused:?}");
        let problems = engine.verify("things").await.unwrap();
        assert!(problems.iter().any(|problem| problem.contains(name)), "byte {place}: {problems:?}");
        engine.wait_until_idle().await;
    }
    std::fs::remove_file(&segment).unwrap();
    std::fs::write(&segment, bytes).unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(ids(&engine).await.len(), 100);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
}

/// Acknowledged writes behind a flipped bit of the log are not dropped as if a power loss had torn them.
#[tokio::test]
async fn a_damaged_log_is_found_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    for id in ["a", "b", "c"] {
        engine.write("things", vec![put(id, 1)]).await.unwrap();
    }
    engine.wait_until_idle().await;
    drop(engine);
    let log = std::fs::read_dir(folder.path().join("things"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "log"))
        .unwrap();
    let name = log.file_name().unwrap().to_str().unwrap();
    let bytes = std::fs::read(&log).unwrap();
    for place in [0, bytes.len() / 6, bytes.len() / 2] {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1;
        std::fs::write(&log, &flipped).unwrap();
        for _ in 0..2 {
            let engine = EmbeddedEngine::open(folder.path()).unwrap();
            let refused = engine.document("things", "a").await.err();
            assert!(matches!(&refused, Some(EngineError::IndexDamaged { reason, .. }) if reason.contains(name)));
            let problems = engine.verify("things").await.unwrap();
            assert!(problems.iter().any(|problem| problem.contains(name)), "byte {place}: {problems:?}");
        }
        assert_eq!(std::fs::read(&log).unwrap(), flipped, "nothing is changed");
    }
    std::fs::write(&log, bytes).unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(ids(&engine).await, ["a", "b", "c"]);
}
