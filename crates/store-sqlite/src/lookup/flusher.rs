//! The thread that flushes frozen batches to the lookup database, and rebuilds it when it is damaged.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use cantata_core::error_chain;
use cantata_store::{Result, StoreError};

use super::database::LookupDatabase;
use super::state::{Entry, LookupState};
use crate::database::open_reader;

/// How long to wait before a failed flush is retried.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// A handle of the flusher thread.
pub(crate) struct LookupFlusher {
    shared: Arc<LookupState>,
    thread: Option<JoinHandle<()>>,
}

impl LookupFlusher {
    /// Starts the thread; `metadata` is the file that the database is derived from.
    pub(crate) fn start(mut database: LookupDatabase, shared: Arc<LookupState>, metadata: PathBuf) -> Result<Self> {
        let batches = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("store-lookup".to_owned())
            .spawn(move || {
                while let Some(batch) = batches.wait_for_frozen() {
                    let sorted = batch.sorted();
                    // What a panic leaves is rolled back. A thread that ended would let the writer wait for ever.
                    let mut attempt = || {
                        catch_unwind(AssertUnwindSafe(|| flush(&mut database, &batches, &metadata, &sorted)))
                            .unwrap_or_else(|_| Err(StoreError::failed("flushing the lookup index", "it panicked")))
                    };
                    while let Err(error) = attempt() {
                        tracing::error!(error = error_chain(&error), "the lookup index could not be flushed; retrying");
                        if batches.is_stopping() {
                            return;
                        }
                        std::thread::sleep(RETRY_DELAY);
                    }
                    batches.finish_flush(&batch, database.runs());
                }
            })
            .map_err(|error| StoreError::failed("starting the lookup thread", error))?;
        Ok(Self { shared, thread: Some(thread) })
    }
}

/// Writes a batch to the database; one that is damaged is rebuilt instead. The blocks of the batch are committed, so they are
/// among those that it is rebuilt from.
fn flush(database: &mut LookupDatabase, shared: &LookupState, metadata: &Path, batch: &[Entry]) -> Result<()> {
    if !shared.is_damaged() {
        match database.apply(batch.iter().copied()) {
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::error!(error = error_chain(&error), "the lookup index cannot be flushed");
            }
            flushed => return flushed,
        }
    }
    tracing::warn!("lookup.db is damaged and is rebuilt from metadata.db");
    database.rebuild(&open_reader(metadata)?, shared.batch_entries())?;
    tracing::info!("lookup.db was rebuilt");
    Ok(())
}

impl Drop for LookupFlusher {
    fn drop(&mut self) {
        self.shared.stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's lookup thread panicked");
        }
    }
}
