//! Streams the documents of a listing: the revisions are fixed, the documents are read in chunks.

use std::sync::Arc;

use cantata_core::Result;
use cantata_store::{Revision, Store, StoreError};
use tokio::task::JoinHandle;

/// How many documents are read at once, at most.
const MAX_CHUNK_DOCUMENTS: usize = 256;

/// How many documents are read before their size is known.
const FIRST_CHUNK_DOCUMENTS: usize = 16;

/// About how many bytes are read at once; a single document may be larger.
const CHUNK_BYTES: usize = 1 << 20;

/// The documents of a listing, in order. Because revisions never change, it is a consistent snapshot however long it takes.
///
/// While one chunk is sent to the client the next is being read.
pub struct DocumentStream {
    store: Arc<dyn Store>,
    revisions: std::vec::IntoIter<Revision>,
    next: Option<JoinHandle<Result<Vec<String>, StoreError>>>,
    /// How many documents are read at once, by the size of those that were read last.
    chunk_documents: usize,
}

impl DocumentStream {
    pub(crate) fn new(store: Arc<dyn Store>, revisions: Vec<Revision>) -> Self {
        Self { store, revisions: revisions.into_iter(), next: None, chunk_documents: FIRST_CHUNK_DOCUMENTS }
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
        let documents = current.await.map_err(|error| StoreError::failed("reading documents", error))??;
        let bytes = documents.iter().map(String::len).sum::<usize>().max(1);
        self.chunk_documents = (documents.len() * CHUNK_BYTES / bytes).clamp(1, MAX_CHUNK_DOCUMENTS);
        Ok(Some(documents))
    }

    fn spawn_read(&mut self) -> Option<JoinHandle<Result<Vec<String>, StoreError>>> {
        let chunk: Vec<Revision> = self.revisions.by_ref().take(self.chunk_documents).collect();
        let store = Arc::clone(&self.store);
        (!chunk.is_empty()).then(|| tokio::spawn(async move { store.documents(&chunk).await }))
    }
}
