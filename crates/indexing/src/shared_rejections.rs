//! The rejected documents of indexes that several servers share, as shared records of the store, one for each catalogue.
//!
//! The server that feeds an index writes them; all list them. Of an index that one server has alone, they are in a file
//! beside it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cantata_store::{RecordBase, RecordKind, Result, Store, StoreError};

use crate::rejected_documents::RejectedDocuments;

const KIND: RecordKind = RecordKind::RejectedDocuments;

/// How many catalogues are read at a time.
const PAGE_SIZE: usize = 1_000;

/// The rejected documents in a store.
pub(crate) struct SharedRejections {
    store: Arc<dyn Store>,
    progress: Mutex<Progress>,
}

/// What was read and written.
#[derive(Default)]
struct Progress {
    /// The last change that was read.
    seen: u64,
    /// The last change of each catalogue that this server has made.
    own: HashMap<String, u64>,
}

impl SharedRejections {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, progress: Mutex::default() }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has everything read again, for a catalogue that is new here.
    pub(crate) fn start_over(&self) {
        self.progress().seen = 0;
    }

    /// Writes the rejected documents of a catalogue.
    pub(crate) async fn write(&self, catalogue: &str, rejected: &RejectedDocuments) -> Result<()> {
        let failed = |error: serde_json::Error| StoreError::failed("writing rejected documents as JSON", error);
        let document = serde_json::to_string(rejected).map_err(failed)?;
        let change = self.store.write_record(KIND, catalogue, RecordBase::Any, Some(document)).await?;
        if let Some(change) = change {
            self.progress().own.insert(catalogue.to_owned(), change);
        }
        Ok(())
    }

    /// Returns what others have written since the last call, with the catalogues.
    pub(crate) async fn changed_by_others(&self) -> Result<Vec<(String, RejectedDocuments)>> {
        let seen = self.progress().seen;
        if self.store.latest_record_change(KIND).await? == seen {
            return Ok(Vec::new());
        }
        let records = self.store.records_after(KIND, seen, PAGE_SIZE).await?;
        let mut progress = self.progress();
        let mut changed = Vec::new();
        for record in records {
            progress.seen = record.change;
            let is_own = progress.own.get(&record.id) == Some(&record.change);
            // What cannot be read is of use, but not needed.
            let rejected = record.document.as_deref().and_then(|document| serde_json::from_str(document).ok());
            changed.extend(rejected.filter(|_| !is_own).map(|rejected| (record.id, rejected)));
        }
        Ok(changed)
    }
}
