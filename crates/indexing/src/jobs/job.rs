//! A job, and why it cannot be begun or cancelled.

use cantata_core::{Timestamp, error_chain};
use cantata_store::StoreError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    /// The store that has the jobs cannot be used, or another server is in the way.
    #[error("the jobs cannot be changed at the moment: {0}")]
    Unavailable(String),
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error_chain(&error))
    }
}
