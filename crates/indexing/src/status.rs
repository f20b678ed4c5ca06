//! What operators see of an index that follows its source.

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::set_aside::SetAsideDocument;

/// What the indexing of a catalogue is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum IndexingActivity {
    /// It has not begun yet.
    #[default]
    Starting,
    /// It takes in changes as they come.
    Following,
    /// Another process does.
    StandingBy,
    /// It cannot go on, and tries again.
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

/// How the indexing of a catalogue is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueIndexing {
    /// The catalogue.
    pub catalogue: String,
    /// Where its analyses come from: `here` or `song`.
    pub source: String,
    /// What it searches: the name that leads to the index.
    pub alias: String,
    /// The index that it leads to.
    pub index: Option<String>,
    /// What is being done.
    pub status: IndexingActivity,
    /// How far the source was read.
    pub position: Option<String>,
    /// How many changes are still to come, if that is known.
    pub behind: Option<u64>,
    /// The last failure, also if it is over.
    pub last_error: Option<IndexingProblem>,
    /// What the index cannot take on in place, and a reindex would give it.
    pub needs_reindex: Vec<String>,
    /// What is to be known of the mapping.
    pub notes: Vec<String>,
    /// The documents that could not be indexed, the latest first.
    pub set_aside: Vec<SetAsideDocument>,
    /// How many more of these there were for which there is no room.
    pub set_aside_dropped: u64,
}

/// What changes of it while the catalogue is followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    pub(crate) activity: IndexingActivity,
    pub(crate) index: Option<String>,
    pub(crate) position: Option<String>,
    pub(crate) last_error: Option<IndexingProblem>,
    pub(crate) needs_reindex: Vec<String>,
    pub(crate) notes: Vec<String>,
}
