//! The follower of a source: applies every change to the index of a catalogue, one batch after the other.
//!
//! A single change is applied at once. While a batch is written the next one collects, so that under load batches grow.
//! The position is persisted with the index and read again before each batch: another process may have written, the alias
//! may have moved, and an index that lags, is new or was restored is brought up to date from its own position. It is told to
//! others once everything before it is visible.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cantata_engine::EngineError;
use cantata_store::{LEASE_DURATION, LEASE_RENEWAL_INTERVAL, Store};
use tokio::sync::watch;

use crate::batch_delay::{BatchDelay, BatchTiming};
use crate::error::IndexingFailure;
use crate::jobs::{JobError, Jobs};
use crate::reindex::reindex;
use crate::source::{ChangeBatch, SourceError};
use crate::status::IndexingActivity;
use crate::worker::{IndexPosition, IndexWorker};

/// How many changes a batch has at most.
const MAX_BATCH_CHANGES: usize = 10_000;

/// How often new types, and another index behind the alias, are looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The delays after failures.
const MIN_BACKOFF: Duration = Duration::from_millis(200);
const MAX_BACKOFF: Duration = Duration::from_secs(10);

/// The lease of the one process that writes to an index.
pub(crate) struct IndexLease {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) name: String,
    pub(crate) holder: String,
}

/// Follows the source of one catalogue.
pub(crate) struct SourceFollower {
    pub(crate) worker: Arc<IndexWorker>,
    pub(crate) jobs: Jobs,
    /// Only for an index that several processes can write to.
    pub(crate) lease: Option<IndexLease>,
    pub(crate) stop: watch::Receiver<bool>,
}

impl SourceFollower {
    /// Follows the source until it is stopped.
    pub(crate) async fn run(self) {
        let mut stop = self.stop.clone();
        tokio::select! {
            // The engine completes a running write, or it is repeated: its position is part of it.
            _ = stop.wait_for(|stop| *stop) => {}
            () = self.run_with_retries() => {}
        }
        if let Some(IndexLease { store, name, holder }) = &self.lease {
            // If this fails, the lease runs out by itself.
            let _ = store.release_lease(name, holder).await;
        }
    }

    async fn run_with_retries(&self) {
        let mut backoff = MIN_BACKOFF;
        loop {
            let begun = Instant::now();
            let failure = match self.follow_while_leased().await {
                Ok(()) => continue,
                Err(failure) => match reason_to_rebuild(&failure) {
                    Some(reason) => {
                        tracing::warn!(catalogue = self.worker.id, error = %failure, "reindexing");
                        match self.reindex(reason).await {
                            Ok(()) => continue,
                            Err(failure) => failure,
                        }
                    }
                    None => failure,
                },
            };
            if begun.elapsed() > MAX_BACKOFF {
                backoff = MIN_BACKOFF;
            }
            if self.worker.record_failure(&failure) {
                tracing::warn!(catalogue = self.worker.id, error = %failure, "an index cannot follow its source; retrying");
            }
            tokio::time::sleep(backoff).await;
            backoff = (backoff * 2).min(MAX_BACKOFF);
        }
    }

    /// Follows the source while this process has the lease, if there is one.
    async fn follow_while_leased(&self) -> Result<(), IndexingFailure> {
        let Some(IndexLease { store, name, holder }) = &self.lease else { return self.follow().await };
        if !store.acquire_lease(name, holder, LEASE_DURATION).await? {
            self.worker.stand_by();
            tokio::time::sleep(LEASE_RENEWAL_INTERVAL).await;
            return Ok(());
        }
        tokio::select! {
            ended = self.follow() => ended,
            ended = store.keep_lease(name, holder) => Ok(ended?),
        }
    }

    /// Follows the source until something fails.
    async fn follow(&self) -> Result<(), IndexingFailure> {
        let worker = &*self.worker;
        let mut at = self.open_index().await?;
        // How many changes are applied one by one, because the engine refused a batch with them.
        let mut one_by_one = 0;
        let mut delay = BatchDelay::new(worker.source.commits(), Instant::now());
        loop {
            let limit = if one_by_one > 0 { 1 } else { MAX_BATCH_CHANGES };
            let Some(changes) = self.next_changes(&mut at, limit).await? else {
                at = self.open_index().await?;
                continue;
            };
            let (begun, commits) = (Instant::now(), worker.source.commits());
            let count = changes.analyses.len();
            let lock = worker.index_lock.lock().await;
            if !self.is_current(&at).await? {
                drop(lock);
                at = self.open_index().await?;
                continue;
            }
            let documents = match worker.apply(&mut at, changes, true).await {
                Ok(applied) => {
                    let documents = applied.documents;
                    worker.record(applied);
                    worker.live_status().failures = 0;
                    documents
                }
                Err(IndexingFailure::Engine(EngineError::Rejected(_))) if one_by_one == 0 => {
                    one_by_one = count;
                    at.invalidate();
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            if self.refresh_due(&at).is_some_and(|due| due <= Instant::now()) {
                worker.refresh(&mut at).await?;
            }
            if at.unrefreshed.is_empty() {
                self.publish(&at);
            }
            drop(lock);
            one_by_one = one_by_one.saturating_sub(1);
            let taken = BatchTiming { changes: count, documents, commits, begun, ended: Instant::now() };
            let pause = delay.delay_after(&taken);
            if count < MAX_BATCH_CHANGES && one_by_one == 0 {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// Returns the current index with its mapping up to date; creates the first one.
    async fn open_index(&self) -> Result<IndexPosition, IndexingFailure> {
        let worker = &*self.worker;
        let _lock = worker.index_lock.lock().await;
        // Those of jobs that were interrupted.
        for index in self.jobs.interrupted_indexes(&worker.id) {
            worker.generations.delete_incomplete(&index).await?;
        }
        let at = match worker.generations.current().await? {
            Some(index) => {
                let types = worker.update_mapping(&index).await?;
                let position = worker.generations.engine.position(&index).await?;
                // A process that has ended may have left something unrefreshed, up to the position and beyond.
                worker.generations.engine.refresh(&index).await?;
                IndexPosition::new(index, position, types)
            }
            None => {
                let (mapping, types) = worker.derive_mapping().await?;
                let index = worker.generations.create_first(&mapping).await?;
                tracing::info!(catalogue = worker.id, index, "created an index");
                worker.live_status().needs_reindex.clear();
                IndexPosition::new(index, None, types)
            }
        };
        self.publish(&at);
        Ok(at)
    }

    /// Waits for changes, and meanwhile refreshes the index and updates the mapping for new types; returns nothing if the
    /// alias has moved.
    async fn next_changes(&self, at: &mut IndexPosition, limit: usize) -> Result<Option<ChangeBatch>, IndexingFailure> {
        let worker = &*self.worker;
        let position = at.position.clone();
        let changes = worker.source.changes(position.as_deref(), limit);
        tokio::pin!(changes);
        loop {
            tokio::select! {
                changes = &mut changes => return Ok(Some(changes?)),
                () = sleep_until(self.refresh_due(at)) => {
                    let _lock = worker.index_lock.lock().await;
                    if !self.is_current(at).await? {
                        return Ok(None);
                    }
                    worker.refresh(at).await?;
                    self.publish(at);
                }
                () = tokio::time::sleep(POLL_INTERVAL) => {
                    // Large files are compared with their checksums after they were opened: a damaged index is rebuilt.
                    worker.generations.engine.has_documents(&at.index, &[]).await?;
                    if worker.source.types_version().await? != at.types.version {
                        at.types = worker.update_mapping(&at.index).await?;
                    }
                    if worker.generations.current().await?.as_ref() != Some(&at.index) {
                        return Ok(None);
                    }
                    worker.live_status().failures = 0;
                }
            }
        }
    }

    /// Returns when the index must be refreshed, if it must be.
    fn refresh_due(&self, at: &IndexPosition) -> Option<Instant> {
        at.unrefreshed.due(self.worker.generations.engine.refresh_interval(), Instant::now())
    }

    /// Returns whether the index is still behind the alias, and no other process has written to it.
    async fn is_current(&self, at: &IndexPosition) -> Result<bool, IndexingFailure> {
        let generations = &self.worker.generations;
        Ok(generations.current().await?.as_ref() == Some(&at.index)
            && generations.engine.position(&at.index).await? == at.persisted)
    }

    fn publish(&self, at: &IndexPosition) {
        let mut live_status = self.worker.live_status();
        live_status.activity = IndexingActivity::Following;
        live_status.index = Some(at.index.clone());
        live_status.position.clone_from(&at.position);
    }

    /// Builds a new index, because this one cannot be used any more.
    async fn reindex(&self, reason: String) -> Result<(), IndexingFailure> {
        match self.jobs.begin(&self.worker.id, self.lease.is_some(), Some(reason)).await {
            Ok(job) => reindex(&self.worker, job, self.stop.clone()).await,
            Err(JobError::Busy(_)) => {
                tokio::time::sleep(POLL_INTERVAL).await;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Waits until a moment, or for ever.
async fn sleep_until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

/// Returns why an index has to be built again, if that is the way out of a failure.
fn reason_to_rebuild(failure: &IndexingFailure) -> Option<String> {
    match failure {
        IndexingFailure::Source(SourceError::UnknownPosition(position)) => Some(format!(
            "the index is at position {position}; the source has no such position: it is another one, or was restored from an \
             older backup"
        )),
        IndexingFailure::Engine(EngineError::IndexDamaged { index, .. }) => Some(format!("index {index} is damaged")),
        _ => None,
    }
}
