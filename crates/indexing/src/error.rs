//! Errors of indexing.

use cantata_engine::EngineError;
use cantata_store::StoreError;
use thiserror::Error;
use tokio::task::JoinError;

use crate::jobs::JobError;
use crate::source::SourceError;

/// Why an index does not follow its source at the moment.
#[derive(Debug, Error)]
pub(crate) enum IndexingFailure {
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The lease could not be requested.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A job could not be begun.
    #[error(transparent)]
    Job(#[from] JobError),
    /// Documents could not be built.
    #[error("a document could not be made: {0}")]
    Build(#[from] JoinError),
}

impl IndexingFailure {
    /// Returns the message for operators; the log has the details.
    pub(crate) fn operator_message(&self) -> String {
        match self {
            Self::Engine(error) if !matches!(error, EngineError::IndexNotFound(_)) => error.client_message(),
            other => other.to_string(),
        }
    }

    /// Returns whether the store could not be reached, which says nothing of the index.
    pub(crate) fn is_store_outage(&self) -> bool {
        match self {
            Self::Store(error) | Self::Source(SourceError::Store(error)) => {
                matches!(error, StoreError::Unavailable(_) | StoreError::OutcomeUnknown { .. })
            }
            Self::Job(error) => matches!(error, JobError::Unavailable(_)),
            Self::Engine(_) | Self::Source(_) | Self::Build(_) => false,
        }
    }
}

/// Why a request to indexing is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IndexingError {
    /// There is no catalogue of this id that has a source.
    #[error("there is no catalogue {0:?} that is indexed here; a catalogue is indexed if it has a source.json")]
    UnknownCatalogue(String),
    /// The source settings of the catalogue cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// There is no index to roll back to.
    #[error("catalogue {0:?} has no earlier index to go back to")]
    NoPreviousIndex(String),
    /// A job is in the way.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
