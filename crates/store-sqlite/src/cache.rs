//! The documents that were read or submitted lately, in memory.
//!
//! What was submitted is often published or read at once.
//!
//! The cache must never show a document after anybody could have seen the one that replaced it. So the writer forgets
//! what it has changed before it commits, and nothing is kept until it has. A reader that read the old document before
//! could still put it back afterwards; so it notes the generation before it reads, and what it read is kept only if no
//! change has come since.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cantata_core::AnalysisId;
use cantata_store::StoredAnalysis;
use moka::sync::Cache;

/// How many bytes of documents are kept.
const CAPACITY: u64 = 16 * 1024 * 1024;

/// The longest document that is kept when it is submitted; longer ones would push out many that were read.
const LONGEST_NEW: usize = 8 * 1024;

/// What an entry takes beside its document, about.
const ENTRY_OVERHEAD: usize = 200;

/// Generations are odd while a change is under way.
fn is_changing(generation: u64) -> bool {
    generation % 2 == 1
}

/// Says whether the document of an analysis that is new is kept.
pub(crate) fn is_kept(document: &str) -> bool {
    document.len() <= LONGEST_NEW
}

pub(crate) struct DocumentCache {
    documents: Cache<AnalysisId, StoredAnalysis>,
    generation: Mutex<u64>,
}

impl DocumentCache {
    pub(crate) fn new() -> Self {
        let weight = |_: &AnalysisId, stored: &StoredAnalysis| {
            u32::try_from(stored.document.len() + ENTRY_OVERHEAD).unwrap_or(u32::MAX)
        };
        let documents = Cache::builder().max_capacity(CAPACITY).weigher(weight).build();
        Self { documents, generation: Mutex::new(0) }
    }

    /// Returns a document that was read lately.
    pub(crate) fn get(&self, id: AnalysisId) -> Option<StoredAnalysis> {
        self.documents.get(&id)
    }

    /// Returns the generation, to be noted before reading.
    pub(crate) fn generation(&self) -> u64 {
        *self.lock()
    }

    /// Keeps a document that was read in a generation, if it still is that generation and no change is under way.
    pub(crate) fn keep(&self, generation: u64, id: AnalysisId, stored: &StoredAnalysis) {
        let current = self.lock();
        if *current == generation && !is_changing(generation) {
            self.documents.insert(id, stored.clone());
        }
    }

    /// Keeps the document of an analysis that is new. Only the writer may do this, before it changes anything else.
    pub(crate) fn keep_new(&self, id: AnalysisId, stored: StoredAnalysis) {
        self.documents.insert(id, stored);
    }

    /// Forgets documents that are about to be replaced, and keeps none until the change is over.
    pub(crate) fn begin_change(&self, changed: &[AnalysisId]) {
        *self.lock() += 1;
        for id in changed {
            self.documents.invalidate(id);
        }
    }

    /// Tells that the change that was begun can be seen by everybody, or by nobody ever.
    pub(crate) fn end_change(&self) {
        *self.lock() += 1;
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.generation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
