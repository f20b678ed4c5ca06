//! A cache of documents that were read or submitted recently.
//!
//! The cache must never return a document after its successor could be read. So the writer invalidates what it changes
//! before it commits, and nothing is inserted until the commit is done. A reader that read the old document before could
//! still insert it afterwards; so it takes the generation before it reads, and its document is inserted only if the
//! generation is still the same.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cantata_core::AnalysisId;
use cantata_store::StoredAnalysis;
use moka::sync::Cache;

/// The size of the cache.
const MAX_CACHE_BYTES: u64 = 16 * 1024 * 1024;

/// The longest document that is cached when it is submitted; longer ones would evict many that were read.
const MAX_NEW_DOCUMENT_BYTES: usize = 8 * 1024;

/// About how many bytes an entry takes besides its document.
const ENTRY_OVERHEAD_BYTES: usize = 200;

/// Generations are odd during an invalidation.
fn is_invalidating(generation: u64) -> bool {
    generation % 2 == 1
}

/// Says whether the document of a new analysis is cached.
pub(crate) fn is_cacheable(document: &str) -> bool {
    document.len() <= MAX_NEW_DOCUMENT_BYTES
}

pub(crate) struct DocumentCache {
    documents: Cache<AnalysisId, StoredAnalysis>,
    generation: Mutex<u64>,
}

impl DocumentCache {
    pub(crate) fn new() -> Self {
        let weight = |_: &AnalysisId, stored: &StoredAnalysis| {
            u32::try_from(stored.document.len() + ENTRY_OVERHEAD_BYTES).unwrap_or(u32::MAX)
        };
        let documents = Cache::builder().max_capacity(MAX_CACHE_BYTES).weigher(weight).build();
        Self { documents, generation: Mutex::new(0) }
    }

    /// Returns a cached document.
    pub(crate) fn get(&self, id: AnalysisId) -> Option<StoredAnalysis> {
        self.documents.get(&id)
    }

    /// Returns the generation, to be taken before reading.
    pub(crate) fn generation(&self) -> u64 {
        *self.lock()
    }

    /// Inserts a document that was read in a generation, if that is still current and no invalidation is in progress.
    pub(crate) fn insert_if_current(&self, generation: u64, id: AnalysisId, stored: &StoredAnalysis) {
        let current = self.lock();
        if *current == generation && !is_invalidating(generation) {
            self.documents.insert(id, stored.clone());
        }
    }

    /// Inserts the document of a new analysis. Only the writer may do this, before it changes anything else.
    pub(crate) fn insert_new(&self, id: AnalysisId, stored: StoredAnalysis) {
        self.documents.insert(id, stored);
    }

    /// Invalidates documents that are about to be replaced, and blocks inserts until [`Self::end_invalidation`].
    pub(crate) fn begin_invalidation(&self, changed: &[AnalysisId]) {
        *self.lock() += 1;
        for id in changed {
            self.documents.invalidate(id);
        }
    }

    /// Ends an invalidation: the change is visible to all readers, or was rolled back.
    pub(crate) fn end_invalidation(&self) {
        *self.lock() += 1;
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.generation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
