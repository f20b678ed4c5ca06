//! Errors of a store. None of them is caused by the client's input.

use std::error::Error as StdError;
use std::sync::Arc;

use cantata_core::{Error, ErrorId, ErrorOrigin, error_chain};

/// The error behind a [`StoreError`]; shared, because every change of a group may be answered with it.
pub type StoreErrorSource = Arc<dyn StdError + Send + Sync>;

/// A failure of the database.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The store is shutting down, or its database cannot be reached; nothing was written.
    #[error("the store is unavailable")]
    Unavailable(#[source] StoreErrorSource),
    /// The connection was lost during a write; whether it was committed is not known.
    #[error("whether {operation} was completed is not known")]
    OutcomeUnknown {
        /// The operation, such as "storing analyses".
        operation: &'static str,
        /// How the connection was lost.
        source: StoreErrorSource,
    },
    /// The database rejected the operation or failed; nothing was written.
    #[error("{operation} failed")]
    Failed {
        /// The operation, such as "storing analyses".
        operation: &'static str,
        /// The error of the database.
        source: StoreErrorSource,
    },
    /// Stored data is not as it was written.
    #[error("{location} is damaged")]
    Corrupt {
        /// What the data belongs to, such as `analysis 0f3c…`.
        location: String,
        /// How that was found.
        source: StoreErrorSource,
    },
}

impl StoreError {
    /// Makes the error for a store that cannot be used.
    pub fn unavailable(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Unavailable(Arc::from(cause.into()))
    }

    /// Makes the error for a database operation that failed.
    pub fn failed(operation: &'static str, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Failed { operation, source: Arc::from(cause.into()) }
    }

    /// Makes the error for stored data that is not as it was written.
    pub fn corrupt(location: impl Into<String>, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Corrupt { location: location.into(), source: Arc::from(cause.into()) }
    }
}

/// Hides the details of a failure from the client and logs them.
impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = error_chain(&error), "the store failed");
        let (id, text) = match error {
            StoreError::Unavailable(_) => (
                ErrorId::ServiceUnavailable,
                "The server cannot use its database at the moment; nothing was stored, try again".to_owned(),
            ),
            StoreError::OutcomeUnknown { .. } => (
                ErrorId::ServiceUnavailable,
                "The server lost its database and does not know whether the change was stored; look before trying again"
                    .to_owned(),
            ),
            StoreError::Failed { .. } => (
                ErrorId::UnknownError,
                "The server could not complete the request and changed nothing; its log has the cause".to_owned(),
            ),
            StoreError::Corrupt { location, .. } => (
                ErrorId::StoredDataDamaged,
                format!(
                    "In the database, {location} is not as it was written; it is not shown, and nothing was changed. The \
                     operator restores the data from a backup; `cantata verify` lists what is damaged"
                ),
            ),
        };
        Error::new(ErrorOrigin::Store, id, text)
    }
}
