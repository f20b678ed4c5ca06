//! Sources of analyses: types, changes in order, and snapshots.
//!
//! A **position** is an opaque text of its source. A snapshot and all changes after its position are complete. A change may
//! be delivered twice, and one that is in a snapshot again; since only the last change of an analysis counts, that is
//! harmless.

use async_trait::async_trait;
use cantata_core::{AnalysisState, AnalysisType};
use cantata_store::StoreError;
use thiserror::Error;

/// A source of analyses.
#[async_trait]
pub trait AnalysisSource: Send + Sync + 'static {
    /// Returns all analysis types, with all their versions.
    async fn types(&self) -> Result<Vec<AnalysisType>, SourceError>;

    /// Returns a number that changes whenever [`AnalysisSource::types`] does. It is polled once a second.
    async fn types_version(&self) -> Result<u64, SourceError>;

    /// Waits until there is a change after a position, or after the beginning, and returns the next ones in order: about
    /// `limit` at most, and fewer if they are large.
    async fn changes(&self, after: Option<&str>, limit: usize) -> Result<ChangeBatch, SourceError>;

    /// Returns the lag of a position: how many changes come after it, as far as that is known without a request.
    fn lag(&self, position: Option<&str>) -> Option<u64>;

    /// Returns the number of commits so far, where one commit has several changes under load.
    fn commits(&self) -> Option<u64> {
        None
    }

    /// Begins a snapshot of the analyses of some studies, or all, that are in one of the states.
    async fn snapshot(
        &self,
        studies: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<SourceSnapshot, SourceError>;
}

/// Analyses as they are now.
pub struct SourceSnapshot {
    /// The position at which it began.
    pub position: String,
    /// About how many analyses there are.
    pub total: u64,
    /// The analyses, each as it was at the position or later.
    pub pages: Box<dyn SnapshotPages>,
}

/// The analyses of a snapshot, page by page.
#[async_trait]
pub trait SnapshotPages: Send {
    /// Returns the next page of analyses; nothing after the last one.
    async fn next(&mut self) -> Result<Option<Vec<String>>, SourceError>;
}

/// Changes in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeBatch {
    /// What changed; an analysis may be there several times.
    pub analyses: Vec<ChangedAnalysis>,
    /// The position after the last one.
    pub position: String,
}

/// An analysis after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedAnalysis {
    /// Its id.
    pub analysis_id: String,
    /// Its study.
    pub study_id: String,
    /// Its state after the change.
    pub state: AnalysisState,
    /// The JSON text of the whole analysis after the change; nothing if it is gone.
    pub document: Option<String>,
    /// Whether this is its first change.
    pub is_new: bool,
}

/// Why a source fails.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The source has no such position: it is another source than before, or was restored from an older backup.
    #[error("the source of the analyses does not know position {0}: it is not the one that was read before")]
    UnknownPosition(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another server failed; the text is for operators.
    #[error("{0}")]
    Failed(String),
}
