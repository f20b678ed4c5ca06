//! The documents of one analysis as they are made, within limits: an analysis is held in memory with all its documents.

use std::collections::HashSet;

use serde::Serialize;

use super::IndexDocument;

/// How many bytes the documents of one analysis may have together. What an analysis says is repeated for each of its
/// files.
const MOST_BYTES: usize = 256 << 20;

/// How many bytes an id may have in every engine.
const LONGEST_ID: usize = 512;

#[derive(Default)]
pub(super) struct Collector {
    documents: Vec<IndexDocument>,
    bytes: usize,
}

impl Collector {
    /// Makes room for documents.
    pub(super) fn expect(&mut self, count: usize) {
        self.documents.reserve(count);
    }

    pub(super) fn add(&mut self, id: impl Into<String>, source: &impl Serialize) -> Result<(), String> {
        let id = id.into();
        if id.is_empty() || id.len() > LONGEST_ID {
            return Err(format!("the id of a document has {} bytes, expected 1 to {LONGEST_ID}", id.len()));
        }
        let source = serde_json::to_vec(source).map_err(|error| format!("a document cannot be written: {error}"))?;
        self.bytes += source.len();
        if self.bytes > MOST_BYTES {
            return Err(format!("the documents of the analysis have more than {} MB together", MOST_BYTES >> 20));
        }
        self.documents.push(IndexDocument { id, source });
        Ok(())
    }

    /// Returns the documents, if no two have the same id.
    pub(super) fn finish(self) -> Result<Vec<IndexDocument>, String> {
        let mut ids = HashSet::with_capacity(self.documents.len());
        match self.documents.iter().find(|document| !ids.insert(document.id.as_str())) {
            Some(document) => Err(format!("two documents have the id {:?}", document.id)),
            None => Ok(self.documents),
        }
    }
}
