//! How a store fails: none of it is the client's doing.

use std::fmt::Display;

use cantata_core::{Error, ErrorId, ErrorOrigin};

/// A failure of the database.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The store is stopping, or its database cannot be reached; nothing was written.
    #[error("the store takes no requests: {0}")]
    Unavailable(String),
    /// The database was lost in the middle of a write, which may have been stored or not.
    #[error("whether {operation} was completed is not known: {cause}")]
    Undecided {
        /// What was being done.
        operation: &'static str,
        /// How the database was lost.
        cause: String,
    },
    /// The database refused or failed; nothing was written.
    #[error("{operation} failed: {cause}")]
    Failed {
        /// What was being done.
        operation: &'static str,
        /// What the database said.
        cause: String,
    },
    /// Something stored cannot be read back.
    #[error("{place} holds something that cannot be read: {cause}")]
    Corrupt {
        /// Where.
        place: String,
        /// Why it cannot be read.
        cause: String,
    },
}

impl StoreError {
    /// Makes the error for a database operation that failed.
    pub fn failed(operation: &'static str, cause: impl Display) -> Self {
        Self::Failed { operation, cause: cause.to_string() }
    }

    /// Makes the error for stored content that cannot be read back.
    pub fn corrupt(place: impl Into<String>, cause: impl Display) -> Self {
        Self::Corrupt { place: place.into(), cause: cause.to_string() }
    }
}

/// Turns a failure into what a client may know of it; the log gets the rest.
impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store failed");
        match error {
            StoreError::Unavailable(_) => Error::new(
                ErrorOrigin::Store,
                ErrorId::ServiceUnavailable,
                "The server cannot use its database at the moment; nothing was stored, try again",
            ),
            StoreError::Undecided { .. } => Error::new(
                ErrorOrigin::Store,
                ErrorId::ServiceUnavailable,
                "The server lost its database and does not know whether the change was stored; look before trying again",
            ),
            StoreError::Failed { .. } | StoreError::Corrupt { .. } => Error::new(
                ErrorOrigin::Store,
                ErrorId::UnknownError,
                "The server could not complete the request and changed nothing; its log has the cause",
            ),
        }
    }
}
