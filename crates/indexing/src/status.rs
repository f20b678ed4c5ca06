//! The status of an index that follows its source, for operators.

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::rejected_documents::DocumentRejection;

/// What the indexing of a catalogue is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IndexingActivity {
    /// It has not begun yet.
    #[default]
    Starting,
    /// It applies changes as they come.
    Following,
    /// Another process does.
    StandingBy,
    /// It failed, and retries.
    Failing,
}

/// A failure, and when it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexingProblem {
    /// What it was.
    pub message: String,
    /// When.
    pub at: Timestamp,
}

/// The status of the indexing of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueIndexing {
    /// The catalogue.
    pub catalogue: String,
    /// Where its analyses come from: `here` or `song`.
    pub source: String,
    /// The alias that it searches.
    pub alias: String,
    /// The index behind the alias.
    pub index: Option<String>,
    /// What is being done.
    pub status: IndexingActivity,
    /// The position in the source.
    pub position: Option<String>,
    /// The lag: how many changes come after the position, if that is known.
    #[serde(rename = "behind")]
    pub lag: Option<u64>,
    /// The last failure, even if it is over.
    pub last_error: Option<IndexingProblem>,
    /// Mapping conflicts that a reindex would resolve.
    pub needs_reindex: Vec<String>,
    /// Notes of the mapping derivation.
    pub notes: Vec<String>,
    /// The rejected documents, the latest first.
    #[serde(rename = "setAside")]
    pub rejected: Vec<DocumentRejection>,
    /// How many older rejected documents were dropped.
    #[serde(rename = "setAsideDropped")]
    pub rejected_dropped: u64,
}

/// The part of the status that changes while the source is followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveStatus {
    pub(crate) activity: IndexingActivity,
    pub(crate) index: Option<String>,
    pub(crate) position: Option<String>,
    pub(crate) last_error: Option<IndexingProblem>,
    /// How often it failed since it last got further, or found that there is nothing to do.
    pub(crate) failures: u32,
    pub(crate) needs_reindex: Vec<String>,
    pub(crate) notes: Vec<String>,
}
