//! A copy of the indexes, taken while they are written to, is whole.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cantata_engine::{
    AliasChange, EngineError, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter, WriteOperation,
};
use cantata_engine_embedded::{EmbeddedEngine, IndexFile};
use serde_json::json;

/// How many documents every batch has. Batches are written as a whole, so a copy has whole batches only.
const BATCH_DOCUMENTS: u64 = 7;

fn batch(round: u64) -> Vec<WriteOperation> {
    let put = |n: u64| WriteOperation::Put {
        id: format!("{round:05}-{n}"),
        source: json!({"round": round, "n": n}).to_string().into_bytes(),
    };
    // Every second batch takes the one before it away again.
    let gone = (0..BATCH_DOCUMENTS)
        .filter(|_| round % 2 == 1)
        .map(|n| WriteOperation::Delete { id: format!("{:05}-{n}", round - 1) });
    (0..BATCH_DOCUMENTS).map(put).chain(gone).collect()
}

fn write(files: &[IndexFile], folder: &Path) {
    for file in files {
        let path = folder.join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.content).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_taken_between_writes_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", Some(&json!({"properties": {"n": {"type": "integer"}}}))).unwrap();
    engine.create("empty", None).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (engine, is_over) = (engine.clone(), Arc::clone(&is_over));
        tokio::spawn(async move {
            let mut round = 0;
            while !is_over.load(Ordering::Relaxed) {
                engine.write("things", batch(round)).await.unwrap();
                if round % 50 == 49 {
                    engine.compact("things").await.unwrap();
                }
                round += 1;
            }
        })
    };
    for _ in 0..20 {
        let before = engine.stats("things").await.unwrap().documents;
        let files = engine.backup_files().unwrap();
        let copied = tempfile::tempdir().unwrap();
        write(&files, copied.path());
        let copy = EmbeddedEngine::open(copied.path()).unwrap();
        assert_eq!(copy.verify("things").await.unwrap(), Vec::<String>::new());
        let documents = copy.stats("things").await.unwrap().documents;
        assert!(
            documents.is_multiple_of(BATCH_DOCUMENTS) && documents + BATCH_DOCUMENTS >= before,
            "{before} documents, {documents} copied"
        );
        assert_eq!(copy.stats("empty").await.unwrap().documents, 0);
        assert_eq!(copy.mapping("things").await.unwrap().raw()["n"]["type"], "integer");
    }
    is_over.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    // What was copied before stays readable whatever becomes of the index.
    let files = engine.backup_files().unwrap();
    let documents = engine.stats("things").await.unwrap().documents;
    engine.delete("things").unwrap();
    let copied = tempfile::tempdir().unwrap();
    write(&files, copied.path());
    let copy = EmbeddedEngine::open(copied.path()).unwrap();
    assert_eq!(copy.stats("things").await.unwrap().documents, documents);
    copy.write("things", batch(100_000)).await.unwrap();
    assert_eq!(copy.stats("things").await.unwrap().documents, documents + BATCH_DOCUMENTS);
}

/// Every copy has the position of the batches that are in it, and aliases that lead somewhere.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_has_positions_and_aliases() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let name = |number: u64| format!("things-{number}");
    let add = move |number: u64| AliasChange::Add { alias: "things".to_owned(), index: name(number) };
    let remove = move |number: u64| AliasChange::Remove { alias: "things".to_owned(), index: name(number) };
    engine.create(&name(0), None).unwrap();
    engine.change_aliases(&[add(0)]).await.unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (engine, is_over) = (engine.clone(), Arc::clone(&is_over));
        tokio::spawn(async move {
            let (mut number, mut round) = (0, 0);
            while !is_over.load(Ordering::Relaxed) {
                // Batches of even numbers only add.
                engine.write_with_position("things", batch(round * 2), &(round + 1).to_string()).await.unwrap();
                round += 1;
                if round == 40 {
                    engine.create(&name(number + 1), None).unwrap();
                    engine.change_aliases(&[remove(number), add(number + 1)]).await.unwrap();
                    engine.delete(&name(number)).unwrap();
                    (number, round) = (number + 1, 0);
                }
            }
        })
    };
    for _ in 0..30 {
        let files = engine.backup_files().unwrap();
        let copied = tempfile::tempdir().unwrap();
        write(&files, copied.path());
        let copy = EmbeddedEngine::open(copied.path()).unwrap();
        assert_eq!(copy.aliases().await.unwrap().len(), 1);
        let position = copy.position("things").await.unwrap().map_or(0, |position| position.parse().unwrap());
        assert_eq!(copy.stats("things").await.unwrap().documents, position * BATCH_DOCUMENTS);
    }
    is_over.store(true, Ordering::Relaxed);
    writer.await.unwrap();
}

#[tokio::test]
async fn a_damaged_index_is_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    engine.write("things", batch(0)).await.unwrap();
    engine.compact("things").await.unwrap();
    drop(engine);
    let path = folder.path().join("things");
    let is_segment = |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "segment");
    let segment = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).find(is_segment).unwrap();
    let mut bytes = std::fs::read(&segment).unwrap();
    let place = bytes.len() / 2;
    bytes[place] ^= 1;
    std::fs::write(&segment, &bytes).unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let refused = engine.backup_files().err().unwrap();
    assert!(matches!(&refused, EngineError::IndexDamaged { index, .. } if index == "things"), "{refused}");
}
