//! A small index of the embedded engine in which one file has other bytes.
//!
//! The files are found by the ends of their names, and everything goes through the public interface of the engine, so that
//! the targets do not depend on how an index is laid out.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cantata_engine::{Filter, HitsRequest, IndexMaintenance, IndexReader, IndexWriter, SearchPlan, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_mapping::TypedValue;
use serde_json::json;

use crate::sample::{self, RUNTIME};

const INDEX: &str = "things";

/// More documents than an input can bring.
const MAX_DOCUMENTS: usize = 100_000;

/// The files of a folder of the engine: their paths in it, and what they hold.
pub(crate) struct IndexFiles(Vec<(PathBuf, Vec<u8>)>);

impl IndexFiles {
    /// Makes an index with a segment file and a file of live documents; `has_log` leaves some writes in the log.
    pub(crate) fn create(has_log: bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = || EmbeddedEngine::open(folder.path()).expect("the engine opens");
        let write = |batch: Vec<WriteOperation>| {
            RUNTIME.block_on(open().write(INDEX, batch)).expect("the index takes documents");
        };
        open().create(INDEX, Some(&sample::mapping())).expect("the index can be created");
        write((0..4).map(put).collect());
        write(vec![WriteOperation::Delete { id: "id-1".to_owned() }]);
        if has_log {
            write((4..6).map(put).collect());
        } else {
            // What was in the log goes into files.
            drop(open());
        }
        let mut files = Vec::new();
        read(folder.path(), Path::new(""), &mut files);
        Self(files)
    }

    /// Returns the largest of the files whose names end like this.
    fn find(&self, suffix: &str) -> usize {
        let named = |(_, (path, _)): &(usize, &(PathBuf, Vec<u8>))| path.to_string_lossy().ends_with(suffix);
        let largest = self.0.iter().enumerate().filter(named).max_by_key(|(_, (_, content))| content.len());
        largest.map(|(index, _)| index).unwrap_or_else(|| panic!("the index has no file *{suffix}"))
    }

    /// Returns what the file holds.
    pub(crate) fn content(&self, suffix: &str) -> Vec<u8> {
        self.0[self.find(suffix)].1.clone()
    }

    /// Opens the index with other bytes in the file. It is refused or found to be damaged, or all of it can be read.
    pub(crate) fn open_with(&self, suffix: &str, data: &[u8]) {
        let replaced = self.find(suffix);
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (index, (path, content)) in self.0.iter().enumerate() {
            let path = folder.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap_or(folder.path())).expect("a folder can be made");
            fs_err::write(path, if index == replaced { data } else { content }).expect("a file can be written");
        }
        let Ok(engine) = EmbeddedEngine::open(folder.path()) else { return };
        RUNTIME.block_on(async {
            if !engine.verify(INDEX).await.is_ok_and(|problems| problems.is_empty()) {
                return;
            }
            let page = HitsRequest { size: MAX_DOCUMENTS, documents: true, total: true, ..HitsRequest::default() };
            let of_word = HitsRequest { filter: 1, total: true, ..HitsRequest::default() };
            let values = vec![TypedValue::Text("reads".to_owned())];
            let filters = vec![Filter::All, Filter::Terms { field: "file-name".to_owned(), values }];
            let plan = SearchPlan { filters, hits: vec![page, of_word], facets: Vec::new() };
            let found = engine.search(INDEX, Arc::new(plan)).await.expect("an intact index can be searched");
            let stats = engine.stats(INDEX).await.expect("an intact index has statistics");
            assert_eq!(found.hits[0].total, Some(stats.documents));
            assert_eq!(found.hits[0].hits.len() as u64, stats.documents);
            assert!(found.hits[1].total <= found.hits[0].total);
            for hit in &found.hits[0].hits {
                let document = hit.document.as_ref().expect("a hit has its document");
                serde_json::to_vec(&document.root()).expect("a document can be written as JSON");
            }
        });
    }
}

fn put(number: u64) -> WriteOperation {
    let document = json!({
        "analysis_id": format!("A{number}"), "file-name": format!("Reads-{number}.bam"),
        "size": number, "quality": 0.5, "released": number.is_multiple_of(2),
        "created": "2024-05-01", "info": { "key": "value" },
        "donors": [{ "gender": "Female", "age": 40 + number, "specimens": [{ "type": "Blood" }] }, { "age": 1 }],
    });
    WriteOperation::Put { id: format!("id-{number}"), source: document.to_string().into_bytes() }
}

/// Reads the files below a folder.
fn read(root: &Path, below: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs_err::read_dir(root.join(below)).expect("a folder can be listed") {
        let entry = entry.expect("a folder can be listed");
        let path = below.join(entry.file_name());
        if entry.file_type().expect("a file has a type").is_dir() {
            read(root, &path, files);
        } else {
            let content = fs_err::read(entry.path()).expect("a file can be read");
            files.push((path, content));
        }
    }
}
