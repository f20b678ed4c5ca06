//! An index of an earlier format is upgraded when it is opened, with a way back until it is written to.

use std::collections::BTreeMap;
use std::path::Path;

use cantata_engine::{IndexAdmin, IndexMaintenance, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::Value;

/// Indexes with manifests of format 2: segments, deleted documents, and logs that are not empty.
const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats/0.1.0-1/data/search");
const INDEXES: [&str; 3] = ["arranger-sets", "files-1", "things"];
const COPY: &str = "manifest.json.before-3";

/// Returns the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let read =
        |entry: std::fs::DirEntry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap());
    entries.map(read).collect()
}

fn copy_fixture(folder: &Path) {
    for index in INDEXES {
        std::fs::create_dir(folder.join(index)).unwrap();
        for (name, bytes) in files(&Path::new(FIXTURE).join(index)) {
            std::fs::write(folder.join(index).join(name), bytes).unwrap();
        }
    }
}

/// Asserts that a folder has the files of the earlier version, the manifest under the name of its copy.
#[track_caller]
fn assert_has_way_back(folder: &Path, index: &str) {
    let now = files(&folder.join(index));
    for (name, bytes) in files(&Path::new(FIXTURE).join(index)) {
        let kept = if name == "manifest.json" { COPY } else { name.as_str() };
        assert_eq!(now.get(kept), Some(&bytes), "{index}: {kept}");
    }
    let manifest: Value = serde_json::from_slice(&now["manifest.json"]).unwrap();
    assert_eq!(manifest["format"], 3, "{index}");
}

async fn document_counts(engine: &EmbeddedEngine) -> Vec<(String, u64)> {
    let indexes = engine.indexes().await.unwrap();
    indexes.into_iter().map(|index| (index.name, index.documents)).collect()
}

#[tokio::test]
async fn the_files_of_an_earlier_format_stay_until_the_index_is_written_to() {
    let folder = tempfile::tempdir().unwrap();
    copy_fixture(folder.path());
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let upgraded = document_counts(&engine).await;
    assert_eq!(upgraded.len(), INDEXES.len());
    assert!(upgraded.iter().all(|(_, documents)| *documents > 0), "{upgraded:?}");
    drop(engine);
    // A start that writes nothing is no reason to remove anything.
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    for index in INDEXES {
        assert_has_way_back(folder.path(), index);
        assert_eq!(engine.verify(index).await.unwrap(), Vec::<String>::new());
    }
    drop(engine);

    // Back, and forward again.
    for index in INDEXES {
        let index = folder.path().join(index);
        std::fs::rename(index.join(COPY), index.join("manifest.json")).unwrap();
    }
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    assert_eq!(document_counts(&engine).await, upgraded);
    let put = WriteOperation::Put { id: "new".to_owned(), source: b"{\"number\": 1000}".to_vec() };
    engine.write("things", vec![put]).await.unwrap();
    let things = files(&folder.path().join("things"));
    assert!(!things.contains_key(COPY) && !things.contains_key("7.log"), "{:?}", things.keys());
    for index in ["arranger-sets", "files-1"] {
        assert_has_way_back(folder.path(), index);
    }
    engine.wait_until_idle().await;
    drop(engine);
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let grown: Vec<(String, u64)> = upgraded
        .into_iter()
        .map(|(name, documents)| {
            let added = u64::from(name == "things");
            (name, documents + added)
        })
        .collect();
    assert_eq!(document_counts(&engine).await, grown);
    assert_eq!(engine.verify("things").await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_way_back_that_cannot_be_removed_is_removed_by_a_later_write() {
    let folder = tempfile::tempdir().unwrap();
    copy_fixture(folder.path());
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let copy = folder.path().join("things").join(COPY);
    let kept = std::fs::read(&copy).unwrap();
    let put = |id: &str| vec![WriteOperation::Put { id: id.to_owned(), source: b"{\"number\": 1000}".to_vec() }];
    // A folder stands in the place of the copy.
    std::fs::remove_file(&copy).unwrap();
    std::fs::create_dir(&copy).unwrap();
    engine.write("things", put("first")).await.unwrap();
    std::fs::remove_dir(&copy).unwrap();
    std::fs::write(&copy, kept).unwrap();
    engine.write("things", put("second")).await.unwrap();
    assert!(!copy.try_exists().unwrap());
    engine.wait_until_idle().await;
}
