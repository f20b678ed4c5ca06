//! Collects the documents of one analysis, within limits: all of them are in memory at once.

use std::collections::HashSet;

use serde::Serialize;

use super::{DocumentError, IndexDocument};

/// The largest size of all documents of one analysis. File-centric documents repeat the analysis for each file.
pub(super) const MAX_DOCUMENT_BYTES: usize = 256 << 20;

/// The longest id that every engine accepts.
pub(super) const MAX_ID_BYTES: usize = 512;

/// By how much the sizes of two documents of one analysis mostly differ at most.
const SIZE_DIFFERENCE_BYTES: usize = 64;

#[derive(Default)]
pub(super) struct Collector {
    documents: Vec<IndexDocument>,
    bytes: usize,
}

impl Collector {
    /// Reserves capacity for documents.
    pub(super) fn reserve(&mut self, count: usize) {
        self.documents.reserve(count);
    }

    pub(super) fn add(&mut self, id: impl Into<String>, source: &impl Serialize) -> Result<(), DocumentError> {
        let id = id.into();
        if id.is_empty() || id.len() > MAX_ID_BYTES {
            return Err(DocumentError::IdLength(id.len()));
        }
        // The documents of one analysis have about the same size.
        let expected = self.documents.last().map_or(0, |before| before.source.len() + SIZE_DIFFERENCE_BYTES);
        let mut text = Vec::with_capacity(expected);
        serde_json::to_writer(&mut text, source)?;
        self.bytes += text.len();
        if self.bytes > MAX_DOCUMENT_BYTES {
            return Err(DocumentError::TooLarge);
        }
        self.documents.push(IndexDocument { id, source: text });
        Ok(())
    }

    /// Returns the documents, if no two have the same id.
    pub(super) fn finish(self) -> Result<Vec<IndexDocument>, DocumentError> {
        let mut ids = HashSet::with_capacity(self.documents.len());
        match self.documents.iter().find(|document| !ids.insert(document.id.as_str())) {
            Some(document) => Err(DocumentError::DuplicateId(document.id.clone())),
            None => Ok(self.documents),
        }
    }
}
