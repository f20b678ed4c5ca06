//! A listing on its way out: the revisions are fixed, the documents are read a few at a time.

use std::sync::Arc;

use cantata_core::Result;
use cantata_store::{Revision, Store};

/// How many documents are read at once.
const CHUNK: usize = 256;

/// The documents of a listing, in order. Because revisions never change, it shows one moment however long it takes.
pub struct DocumentStream {
    store: Arc<dyn Store>,
    revisions: std::vec::IntoIter<Revision>,
}

impl DocumentStream {
    pub(crate) fn new(store: Arc<dyn Store>, revisions: Vec<Revision>) -> Self {
        Self { store, revisions: revisions.into_iter() }
    }

    /// Returns how many documents are still to come.
    pub fn remaining(&self) -> usize {
        self.revisions.len()
    }

    /// Returns the next documents, or none when all have been returned.
    pub async fn next_chunk(&mut self) -> Result<Option<Vec<String>>> {
        let chunk: Vec<Revision> = self.revisions.by_ref().take(CHUNK).collect();
        if chunk.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.store.documents(&chunk).await?))
    }
}
