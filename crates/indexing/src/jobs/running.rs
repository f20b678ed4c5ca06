//! A job of this process.

use cantata_core::{Timestamp, error_chain};
use cantata_store::{LEASE_DURATION, Result as StoreResult};
use tokio::sync::watch;

use super::{Job, JobEntry, JobStatus, Jobs, JobsInner, StoredJob};

/// A job that is under way. Dropped before it has ended, it is interrupted.
pub(crate) struct RunningJob {
    pub(super) jobs: Jobs,
    pub(super) id: u64,
    pub(super) lease: String,
    pub(super) cancelled: watch::Receiver<bool>,
}

impl RunningJob {
    /// Returns the job as it is now.
    pub(crate) fn job(&self) -> Option<Job> {
        self.jobs.job(self.id)
    }

    /// Returns the catalogue.
    pub(crate) fn catalogue(&self) -> Option<String> {
        self.job().map(|job| job.catalogue)
    }

    /// Changes the job. The store has the change within a second.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Job)) {
        self.change(|stored| change(&mut stored.job));
    }

    fn change(&self, change: impl FnOnce(&mut StoredJob)) {
        let mut entries = self.jobs.entries();
        let number = self.jobs.next_change();
        // Another server may have taken it over.
        if let Some(entry) = entries.get_mut(&self.id).filter(|entry| entry.runs_here) {
            change(&mut entry.stored);
            entry.is_dirty = true;
            entry.change = number;
        }
        // Sent while the entries are locked, so that no reader sees a number before its change.
        self.jobs.0.changed.send_replace(number);
    }

    /// Records the index that the job creates, so that it is deleted if the process ends.
    pub(crate) async fn set_index(&self, index: &str) -> StoreResult<()> {
        self.update(|job| job.index = Some(index.to_owned()));
        self.jobs.sync().await
    }

    /// Ends the job.
    pub(crate) async fn end(self, status: JobStatus, problem: Option<String>) {
        self.finish(status, problem);
        self.save_and_release().await;
    }

    fn finish(&self, status: JobStatus, problem: Option<String>) {
        self.update(|job| {
            job.status = status;
            job.problem = problem;
            job.ended_at = Some(Timestamp::now());
        });
    }

    /// Leaves the job to another server, or to this one after its next start. One on an index that this server has alone is
    /// interrupted.
    pub(crate) async fn hand_over(self) {
        let is_shared = self.jobs.entries().get(&self.id).is_some_and(|entry| entry.stored.data_folder.is_none());
        if !is_shared {
            return self.end(JobStatus::Interrupted, None).await;
        }
        self.change(|stored| {
            stored.server.clear();
            stored.job.index = None;
        });
        self.save_and_release().await;
        if let Some(entry) = self.jobs.entries().get_mut(&self.id) {
            entry.runs_here = false;
        }
    }

    async fn save_and_release(&self) {
        // The store gets it later, with the next changes, if it cannot be used now.
        self.jobs.refresh().await;
        // A lease that is not released runs out.
        let _ = self.jobs.0.store.release_lease(&self.lease, &self.jobs.0.holder).await;
    }

    /// Waits until the job is cancelled.
    pub(crate) async fn cancelled(&self) {
        if self.cancelled.clone().wait_for(|cancelled| *cancelled).await.is_err() {
            // The job can not be cancelled any more.
            std::future::pending::<()>().await;
        }
    }

    /// Keeps the lease, and returns once another server has it.
    pub(crate) async fn lease_lost(&self) {
        let JobsInner { store, holder, .. } = &*self.jobs.0;
        while let Err(error) = store.keep_lease(&self.lease, holder).await {
            tracing::debug!(error = error_chain(&error), "the lease of a job cannot be renewed at the moment");
        }
    }

    /// Returns whether this process still has the lease.
    pub(crate) async fn has_lease(&self) -> StoreResult<bool> {
        self.jobs.0.store.acquire_lease(&self.lease, &self.jobs.0.holder, LEASE_DURATION).await
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        let runs = |entry: &JobEntry| entry.runs_here && entry.stored.job.status == JobStatus::Running;
        let is_interrupted = self.jobs.entries().get(&self.id).is_some_and(runs);
        if is_interrupted {
            self.finish(JobStatus::Interrupted, None);
        }
    }
}
