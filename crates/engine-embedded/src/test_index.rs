//! Indexes for the tests of this crate: each is called `things`.

use std::sync::Arc;

use cantata_engine::{IndexWriter, WriteOperation};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::EmbeddedEngine;
use crate::index::{Index, OpenContext};
use crate::snapshot::Snapshot;

/// An index behind an engine, in a folder that is removed with it.
pub(crate) struct TestIndex {
    pub(crate) engine: EmbeddedEngine,
    _folder: TempDir,
}

impl TestIndex {
    /// Makes an index with these fields.
    pub(crate) fn new(fields: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        engine.create("things", Some(&json!({ "properties": fields }))).unwrap();
        Self { engine, _folder: folder }
    }

    /// Writes documents in one batch; their ids are their numbers, from 0.
    pub(crate) async fn write(&self, documents: impl IntoIterator<Item = Value>) {
        let put = |(number, document): (usize, Value)| put_document(&number.to_string(), &document);
        self.engine.write("things", documents.into_iter().enumerate().map(put).collect()).await.unwrap();
    }

    /// Returns what a search reads.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.engine.index("things").unwrap().snapshot()
    }
}

/// Makes an index without an engine, in a folder that goes with the returned value.
pub(crate) fn create_index(mapping: Option<&Value>, context: &OpenContext) -> (TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let (path, temporary) = (folder.path().join("things"), folder.path().join("temporary"));
    let index = Index::create("things", &path, &temporary, mapping, context).unwrap();
    (folder, index)
}

pub(crate) fn put_document(id: &str, document: &Value) -> WriteOperation {
    WriteOperation::Put { id: id.to_owned(), source: document.to_string().into_bytes() }
}

/// Returns the operation that writes a small document.
pub(crate) fn put(id: &str) -> WriteOperation {
    put_document(id, &json!({ "n": 1 }))
}
