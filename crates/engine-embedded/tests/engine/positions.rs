//! A position and the batch that it was noted with survive together, or not at all.

use std::path::Path;

use cantata_engine::{IndexMaintenance, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::json;

fn batch(number: usize) -> Vec<WriteOperation> {
    let put =
        |n: usize| WriteOperation::Put { id: format!("{number:03}-{n}"), source: json!({"n": n}).to_string().into() };
    (0..3).map(put).collect()
}

/// Copies the folder of an open engine, as a crash would leave it.
fn crashed(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    std::fs::create_dir(copy.path().join("things")).unwrap();
    for entry in std::fs::read_dir(folder.join("things")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join("things").join(entry.file_name())).unwrap();
    }
    copy
}

async fn state(folder: &Path) -> (u64, Option<String>) {
    let engine = EmbeddedEngine::open(folder).unwrap();
    (engine.stats("things").await.unwrap().documents, engine.position("things").await.unwrap())
}

#[tokio::test]
async fn a_position_is_there_after_a_crash_wherever_it_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    assert_eq!(state(crashed(folder.path()).path()).await, (0, None));
    for number in 1..=20 {
        engine.write_with_position("things", batch(number), &number.to_string()).await.unwrap();
        let expected = (3 * number as u64, Some(number.to_string()));
        assert_eq!(state(crashed(folder.path()).path()).await, expected, "in the log");
        if number % 5 == 0 {
            engine.compact("things").await.unwrap();
            assert_eq!(state(crashed(folder.path()).path()).await, expected, "in the manifest");
            engine.write("things", vec![WriteOperation::Delete { id: "none".to_owned() }]).await.unwrap();
            assert_eq!(state(crashed(folder.path()).path()).await, expected, "before the log");
        }
    }
    engine.write_with_position("things", Vec::new(), "").await.unwrap();
    assert_eq!(state(crashed(folder.path()).path()).await, (60, Some(String::new())));
}

#[tokio::test]
async fn a_batch_that_becomes_a_file_at_once_has_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    engine.write_with_position("things", batch(1), "small").await.unwrap();
    let long = "x".repeat(17 << 20);
    let large = WriteOperation::Put { id: "large".to_owned(), source: json!({"_text": long}).to_string().into() };
    engine.write_with_position("things", vec![large], "large").await.unwrap();
    assert_eq!(state(crashed(folder.path()).path()).await, (4, Some("large".to_owned())));
}

#[tokio::test]
async fn a_torn_entry_has_neither_its_batch_nor_its_position() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    engine.write_with_position("things", batch(1), "1").await.unwrap();
    let log = |folder: &Path| {
        let files = std::fs::read_dir(folder.join("things")).unwrap().map(|entry| entry.unwrap().path());
        files.max_by_key(|path| (path.extension().is_some_and(|kind| kind == "log"), path.clone())).unwrap()
    };
    let whole = std::fs::metadata(log(folder.path())).unwrap().len();
    engine.write_with_position("things", batch(2), "2").await.unwrap();
    let longer = std::fs::metadata(log(folder.path())).unwrap().len();
    for length in whole..longer {
        let copy = crashed(folder.path());
        let file = std::fs::OpenOptions::new().write(true).open(log(copy.path())).unwrap();
        file.set_len(length).unwrap();
        assert_eq!(state(copy.path()).await, (3, Some("1".to_owned())), "{length} of {longer} bytes");
    }
    assert_eq!(state(crashed(folder.path()).path()).await, (6, Some("2".to_owned())));
}

/// A power loss may keep a later page of the log and lose an earlier one, which then reads as zeros.
#[tokio::test]
async fn nothing_is_applied_over_a_hole_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    let is_log = |path: &std::path::PathBuf| path.extension().is_some_and(|kind| kind == "log");
    let files = std::fs::read_dir(folder.path().join("things")).unwrap().map(|entry| entry.unwrap().path());
    let logs: Vec<_> = files.filter(is_log).collect();
    assert_eq!(logs.len(), 1);
    let log = &logs[0];
    let mut ends = Vec::new();
    for number in 1..=4 {
        engine.write_with_position("things", batch(number), &number.to_string()).await.unwrap();
        ends.push(std::fs::metadata(log).unwrap().len() as usize);
    }
    for (entry, hole) in ends.windows(2).enumerate() {
        let copy = crashed(folder.path());
        let damaged = copy.path().join("things").join(log.file_name().unwrap());
        let mut bytes = std::fs::read(&damaged).unwrap();
        bytes[hole[0]..hole[1]].fill(0);
        std::fs::write(&damaged, bytes).unwrap();
        let before = entry + 1;
        assert_eq!(state(copy.path()).await, (3 * before as u64, Some(before.to_string())));
    }
}
