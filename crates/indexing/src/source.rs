//! Where analyses come from: types, changes in their order, and everything as it is now.
//!
//! A **position** is a text that only its source can read. The changes after the position of a snapshot complete it:
//! whoever takes the snapshot and then every change after its position has missed nothing. A change may be given twice,
//! and one of a snapshot may be given again; taking an analysis as it is in the last change makes that harmless.

use async_trait::async_trait;
use cantata_core::{AnalysisState, AnalysisType};
use thiserror::Error;

/// A source of analyses.
#[async_trait]
pub trait AnalysisSource: Send + Sync + 'static {
    /// Returns all analysis types, with all their versions.
    async fn types(&self) -> Result<Vec<AnalysisType>, SourceError>;

    /// Returns a number that is another one when [`AnalysisSource::types`] is. It is asked for once a second.
    async fn types_mark(&self) -> Result<u64, SourceError>;

    /// Waits until there is a change after a position, or after the beginning, and returns the next ones in order: about
    /// `limit` at most, and fewer if they are large.
    async fn changes(&self, after: Option<&str>, limit: usize) -> Result<Changes, SourceError>;

    /// Returns how many changes come after a position, or after the beginning, as far as that is known at once.
    fn behind(&self, position: Option<&str>) -> Option<u64>;

    /// Returns in how many groups changes have been made so far, where several are made at once because many wait.
    fn groups(&self) -> Option<u64> {
        None
    }

    /// Begins to read the analyses of some studies, or all, that are in one of the states.
    async fn all(
        &self,
        studies: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<Box<dyn SourceSnapshot>, SourceError>;
}

/// Analyses as they are now, page by page.
#[async_trait]
pub trait SourceSnapshot: Send {
    /// Returns the position at which it began.
    fn position(&self) -> &str;

    /// Returns about how many analyses there are.
    fn total(&self) -> u64;

    /// Returns the documents of the next analyses; nothing after the last one. Each stands for a state of its analysis
    /// at the position or later.
    async fn next(&mut self) -> Result<Option<Vec<String>>, SourceError>;
}

/// Changes, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
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
    /// Whether this is the first that was ever heard of it.
    pub is_new: bool,
}

/// Why a source gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SourceError {
    /// The source has no such position: it is another one than before, or an older copy of itself.
    #[error("the source of the analyses does not know position {0}: it is not the one that was read before")]
    Lost(String),
    /// It failed; what is told here is for the log and for operators.
    #[error("{0}")]
    Failed(String),
}
