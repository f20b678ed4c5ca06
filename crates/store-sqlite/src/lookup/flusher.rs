//! The thread that flushes frozen batches to the lookup database.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use cantata_core::error_chain;
use cantata_store::{Result, StoreError};

use super::database::LookupDatabase;
use super::state::LookupState;

/// How long to wait before a failed flush is retried.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// A handle of the flusher thread.
pub(crate) struct LookupFlusher {
    shared: Arc<LookupState>,
    thread: Option<JoinHandle<()>>,
}

impl LookupFlusher {
    pub(crate) fn start(mut database: LookupDatabase, shared: Arc<LookupState>) -> Result<Self> {
        let batches = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("store-lookup".to_owned())
            .spawn(move || {
                while let Some(batch) = batches.wait_for_frozen() {
                    let sorted = batch.sorted();
                    // What a panic leaves is rolled back. A thread that ended would let the writer wait for ever.
                    let mut apply = || {
                        catch_unwind(AssertUnwindSafe(|| database.apply(sorted.iter().copied())))
                            .unwrap_or_else(|_| Err(StoreError::failed("flushing the lookup index", "it panicked")))
                    };
                    while let Err(error) = apply() {
                        tracing::error!(error = error_chain(&error), "the lookup index could not be flushed; retrying");
                        if batches.is_stopping() {
                            return;
                        }
                        std::thread::sleep(RETRY_DELAY);
                    }
                    batches.finish_flush(database.runs());
                }
            })
            .map_err(|error| StoreError::failed("starting the lookup thread", error))?;
        Ok(Self { shared, thread: Some(thread) })
    }
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
