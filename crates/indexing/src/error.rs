//! What can go wrong while an index follows its source.

use cantata_engine::EngineError;
use thiserror::Error;

use crate::jobs::JobError;
use crate::source::SourceError;

/// Why an index does not follow its source at the moment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Failure {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Something stands in the way, or failed here.
    #[error("{0}")]
    Here(String),
}

impl Failure {
    /// Returns what an operator is told; the log has it all.
    pub(crate) fn in_short(&self) -> String {
        match self {
            Self::Engine(error) => error.client_message(),
            other => other.to_string(),
        }
    }
}

/// Why something that was asked for is not done.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IndexingError {
    /// There is no catalogue of this id that has a source.
    #[error("there is no catalogue {0:?} that is indexed here; a catalogue is indexed if it has a source.json")]
    UnknownCatalogue(String),
    /// What the catalogue says of its source cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// There is no index to go back to.
    #[error("catalogue {0:?} has no earlier index to go back to")]
    NothingToGoBackTo(String),
    /// Something about jobs.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
