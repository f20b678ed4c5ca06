//! The thread that flushes frozen batches to the lookup database, and rebuilds it when it is damaged.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use cantata_core::error_chain;
use cantata_store::{Result, StoreError};

use super::database::LookupDatabase;
use super::state::{LookupEntry, LookupState};
use crate::database::open_reader;

/// How long to wait before a failed flush is retried.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// How long to wait at most before a failed rebuild, which reads all of the metadata, is retried; the time doubles each time.
const MAX_REBUILD_DELAY: Duration = Duration::from_secs(5 * 60);

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
                    let failed_rebuilds = Cell::new(0);
                    // What a panic leaves is rolled back. A thread that ended would let the writer wait for ever.
                    let mut attempt = || {
                        let work = || flush(&mut database, &batches, &metadata, &sorted, &failed_rebuilds);
                        catch_unwind(AssertUnwindSafe(work))
                            .unwrap_or_else(|_| Err(StoreError::failed("flushing the lookup index", "it panicked")))
                    };
                    while let Err(error) = attempt() {
                        if batches.is_stopping() {
                            return;
                        }
                        let delay = retry_delay(failed_rebuilds.get());
                        let error = error_chain(&error);
                        tracing::error!(error, ?delay, "the lookup index could not be flushed; retrying");
                        if batches.is_stopping_within(delay) {
                            return;
                        }
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
fn flush(
    database: &mut LookupDatabase,
    shared: &LookupState,
    metadata: &Path,
    batch: &[LookupEntry],
    failed_rebuilds: &Cell<u32>,
) -> Result<()> {
    if !shared.is_damaged() {
        match database.apply(batch.iter().copied()) {
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::error!(error = error_chain(&error), "the lookup index cannot be flushed");
            }
            flushed => return flushed,
        }
    }
    tracing::warn!("lookup.db is damaged and is rebuilt from metadata.db");
    // Also counted if it panics.
    failed_rebuilds.set(failed_rebuilds.get() + 1);
    database.rebuild(&open_reader(metadata)?, shared.batch_entries(), &|| shared.is_stopping())?;
    tracing::info!("lookup.db was rebuilt");
    Ok(())
}

/// Returns how long to wait after this many rebuilds that failed in a row; none if only a flush has.
fn retry_delay(failed_rebuilds: u32) -> Duration {
    let factor = 2_u32.saturating_pow(failed_rebuilds.saturating_sub(1));
    RETRY_DELAY.saturating_mul(factor).min(MAX_REBUILD_DELAY)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_rebuilds_are_retried_more_and_more_seldom() {
        let delays: Vec<u64> = [0, 1, 2, 3, 9, 10, 1_000].map(|count| retry_delay(count).as_secs()).to_vec();
        assert_eq!(delays, [1, 1, 2, 4, 256, 300, 300]);
    }
}
