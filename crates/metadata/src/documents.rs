//! Streams the documents of a listing: the revisions are fixed, the documents are read in chunks.

use std::sync::Arc;

use cantata_core::Result;
use cantata_store::{Revision, Store, StoreError};
use tokio::task::JoinHandle;

/// How many documents are read at once.
const CHUNK_DOCUMENTS: usize = 256;

/// The documents of a listing, in order. Because revisions never change, it is a consistent snapshot however long it takes.
///
/// While one chunk is sent to the client the next is being read.
pub struct DocumentStream {
    store: Arc<dyn Store>,
    revisions: std::vec::IntoIter<Revision>,
    next: Option<JoinHandle<Result<Vec<String>, StoreError>>>,
}

impl DocumentStream {
    pub(crate) fn new(store: Arc<dyn Store>, revisions: Vec<Revision>) -> Self {
        Self { store, revisions: revisions.into_iter(), next: None }
    }

    /// Returns how many documents there are, before the first has been asked for.
    pub fn total(&self) -> usize {
        self.revisions.len()
    }

    /// Returns the next documents, or none when all have been returned.
    pub async fn next_chunk(&mut self) -> Result<Option<Vec<String>>> {
        let Some(current) = self.next.take().or_else(|| self.spawn_read()) else {
            return Ok(None);
        };
        self.next = self.spawn_read();
        let documents = current.await.map_err(|error| StoreError::failed("reading documents", error))?;
        Ok(Some(documents?))
    }

    fn spawn_read(&mut self) -> Option<JoinHandle<Result<Vec<String>, StoreError>>> {
        let chunk: Vec<Revision> = self.revisions.by_ref().take(CHUNK_DOCUMENTS).collect();
        let store = Arc::clone(&self.store);
        (!chunk.is_empty()).then(|| tokio::spawn(async move { store.documents(&chunk).await }))
    }
}
