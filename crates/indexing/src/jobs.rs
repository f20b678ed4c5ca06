//! Jobs: long work on a catalogue, with its progress and its result.
//!
//! One job at a time works on a catalogue. The latest jobs are kept in a file; one that was under way when the process
//! ended is found there and is interrupted.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::sync::watch;

use crate::state_file;

/// How many jobs are kept.
const MAX_KEPT_JOBS: usize = 200;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JobKind {
    /// Creates a new index of a catalogue from its source.
    Reindex,
}

/// The status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JobStatus {
    /// It is under way.
    Running,
    /// It is complete.
    Succeeded,
    /// It failed; everything is as before.
    Failed,
    /// It was cancelled; everything is as before.
    Cancelled,
    /// The server stopped meanwhile; everything is as before.
    Interrupted,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Its number; later jobs have larger ones.
    pub id: u64,
    /// What it does.
    pub kind: JobKind,
    /// The catalogue it works on.
    pub catalogue: String,
    /// Why it was begun, unless it was requested.
    pub reason: Option<String>,
    /// Its status.
    pub status: JobStatus,
    /// The index that it creates.
    pub index: Option<String>,
    /// How many analyses are done.
    pub done: u64,
    /// About how many there are.
    pub total: u64,
    /// How many documents were rejected.
    #[serde(rename = "setAside")]
    pub rejected: u64,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Why it failed.
    pub problem: Option<String>,
}

/// Why a job is not begun, or not cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JobError {
    /// There is one already.
    #[error("job {0} works on this catalogue already")]
    Busy(u64),
    /// There is no such job.
    #[error("there is no job {0}")]
    Unknown(u64),
    /// It is over.
    #[error("job {0} is over")]
    Over(u64),
}

/// All jobs; clones share them.
#[derive(Clone)]
pub struct Jobs(Arc<Inner>);

struct Inner {
    file: PathBuf,
    entries: Mutex<Vec<Entry>>,
    /// Held while the file is replaced, so that the newest list is written last.
    saving: Mutex<()>,
    /// Counts the changes.
    changed: watch::Sender<u64>,
}

struct Entry {
    job: Job,
    /// The number of its last change.
    change: u64,
    cancel: watch::Sender<bool>,
}

impl Jobs {
    /// Reads the jobs of a file; those that were running are interrupted.
    pub(crate) fn open(file: PathBuf) -> Self {
        let entries = state_file::read::<Vec<Job>>(&file).into_iter().map(|mut job| {
            if job.status == JobStatus::Running {
                job.status = JobStatus::Interrupted;
                job.ended_at = Some(Timestamp::now());
            }
            Entry { job, change: 0, cancel: watch::Sender::new(false) }
        });
        Self(Arc::new(Inner {
            file,
            entries: Mutex::new(entries.collect()),
            saving: Mutex::default(),
            changed: watch::Sender::new(0),
        }))
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all jobs, the newest first.
    pub fn list(&self) -> Vec<Job> {
        self.entries().iter().rev().map(|entry| entry.job.clone()).collect()
    }

    /// Returns a job.
    pub fn job(&self, id: u64) -> Option<Job> {
        self.entries().iter().find(|entry| entry.job.id == id).map(|entry| entry.job.clone())
    }

    /// Returns the jobs that changed after a change, and the number of the last change.
    pub fn changed_after(&self, change: u64) -> (Vec<Job>, u64) {
        let entries = self.entries();
        let jobs = entries.iter().filter(|entry| entry.change > change).map(|entry| entry.job.clone());
        (jobs.collect(), *self.0.changed.borrow())
    }

    /// Returns a channel that always holds the number of the latest change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Cancels a job, which ends as soon as it can.
    ///
    /// # Errors
    ///
    /// If there is no such job, or it is over.
    pub fn cancel(&self, id: u64) -> Result<Job, JobError> {
        let entries = self.entries();
        let entry = entries.iter().find(|entry| entry.job.id == id).ok_or(JobError::Unknown(id))?;
        if entry.job.status != JobStatus::Running {
            return Err(JobError::Over(id));
        }
        entry.cancel.send_replace(true);
        Ok(entry.job.clone())
    }

    /// Returns the indexes that interrupted jobs on a catalogue may have left, but for names that are in use again.
    pub(crate) fn interrupted_indexes(&self, catalogue: &str) -> Vec<String> {
        let entries = self.entries();
        let with = |status: JobStatus| {
            let jobs = entries.iter().map(|entry| &entry.job);
            let jobs = jobs.filter(move |job| job.catalogue == catalogue && job.status == status);
            jobs.filter_map(|job| job.index.clone())
        };
        with(JobStatus::Interrupted).filter(|index| !with(JobStatus::Running).any(|other| other == *index)).collect()
    }

    /// Begins a job.
    pub(crate) fn begin(&self, catalogue: &str, reason: Option<String>) -> Result<RunningJob, JobError> {
        let mut entries = self.entries();
        let is_busy = |entry: &&Entry| entry.job.status == JobStatus::Running && entry.job.catalogue == catalogue;
        if let Some(entry) = entries.iter().find(is_busy) {
            return Err(JobError::Busy(entry.job.id));
        }
        let id = entries.last().map_or(1, |entry| entry.job.id + 1);
        let cancel = watch::Sender::new(false);
        let cancelled = cancel.subscribe();
        entries.push(Entry {
            job: Job {
                id,
                kind: JobKind::Reindex,
                catalogue: catalogue.to_owned(),
                reason,
                status: JobStatus::Running,
                index: None,
                done: 0,
                total: 0,
                rejected: 0,
                started_at: Timestamp::now(),
                ended_at: None,
                problem: None,
            },
            change: 0,
            cancel,
        });
        let surplus = entries.len().saturating_sub(MAX_KEPT_JOBS);
        entries.drain(..surplus);
        drop(entries);
        let running = RunningJob { jobs: self.clone(), id, cancelled };
        running.update(|_| {});
        running.jobs.save();
        Ok(running)
    }

    /// Writes the jobs into their file. A failure only loses the list at the next start.
    fn save(&self) {
        let _saving = self.0.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let jobs: Vec<Job> = self.entries().iter().map(|entry| entry.job.clone()).collect();
        if let Err(error) = state_file::write(&self.0.file, &jobs) {
            tracing::warn!(%error, "the list of jobs cannot be saved");
        }
    }
}

/// A job that is under way. Dropped before it has ended, it is interrupted.
pub(crate) struct RunningJob {
    jobs: Jobs,
    id: u64,
    cancelled: watch::Receiver<bool>,
}

impl RunningJob {
    /// Returns the job as it is now.
    pub(crate) fn job(&self) -> Option<Job> {
        self.jobs.job(self.id)
    }

    /// Changes the job.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Job)) {
        let mut entries = self.jobs.entries();
        let number = *self.jobs.0.changed.borrow() + 1;
        if let Some(entry) = entries.iter_mut().find(|entry| entry.job.id == self.id) {
            change(&mut entry.job);
            entry.change = number;
        }
        // Sent while the entries are locked, so that no reader sees a number before the change it stands for.
        self.jobs.0.changed.send_replace(number);
    }

    /// Records the index that the job creates, so that it is deleted if the process ends.
    pub(crate) fn set_index(&self, index: &str) {
        self.update(|job| job.index = Some(index.to_owned()));
        self.jobs.save();
    }

    /// Ends the job.
    pub(crate) fn end(self, status: JobStatus, problem: Option<String>) {
        self.finish(status, problem);
    }

    fn finish(&self, status: JobStatus, problem: Option<String>) {
        self.update(|job| {
            job.status = status;
            job.problem = problem;
            job.ended_at = Some(Timestamp::now());
        });
        self.jobs.save();
    }

    /// Waits until the job is cancelled.
    pub(crate) async fn cancelled(&self) {
        if self.cancelled.clone().wait_for(|cancelled| *cancelled).await.is_err() {
            // The job can not be cancelled any more.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        if self.job().is_some_and(|job| job.status == JobStatus::Running) {
            self.finish(JobStatus::Interrupted, None);
        }
    }
}
