//! The status of an index that follows its source, for operators.

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::IndexingFailure;
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
    /// How often it failed since it last got further, or found that there is nothing to do. While the store cannot be reached,
    /// that counts as one failure.
    pub(crate) failures: u32,
    pub(crate) needs_reindex: Vec<String>,
    pub(crate) notes: Vec<String>,
}

impl LiveStatus {
    /// Counts a failure.
    pub(crate) fn count_failure(&mut self, failure: &IndexingFailure) {
        self.failures = match failure.is_store_outage() {
            true => self.failures.max(1),
            false => self.failures.saturating_add(1),
        };
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::EngineError;
    use cantata_store::StoreError;

    use super::*;
    use crate::source::SourceError;

    #[test]
    fn an_outage_of_the_store_is_one_failure_however_long_it_is() {
        let mut status = LiveStatus::default();
        let outage = || StoreError::unavailable("it is restarted");
        for _ in 0..10 {
            status.count_failure(&IndexingFailure::Store(outage()));
            status.count_failure(&IndexingFailure::Source(SourceError::Store(outage())));
        }
        assert_eq!(status.failures, 1);
        for _ in 0..2 {
            status.count_failure(&IndexingFailure::Engine(EngineError::Failed("no".to_owned())));
        }
        status.count_failure(&IndexingFailure::Source(SourceError::Store(StoreError::corrupt("event 1", "a bit"))));
        assert_eq!(status.failures, 4);
    }
}
