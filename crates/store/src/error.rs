//! Errors of a store. None of them is caused by the client's input.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use cantata_core::{Error, ErrorId, ErrorOrigin, LogInterval, error_chain};

/// How often a failure that meets every request is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

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
    /// The disk is full, over its quota or read-only; nothing was written.
    #[error("{operation} failed, because the disk cannot be written")]
    NotWritable {
        /// The operation, such as "storing analyses".
        operation: &'static str,
        /// The error of the database.
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

    /// Makes the error for a disk that cannot be written.
    pub fn not_writable(operation: &'static str, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::NotWritable { operation, source: Arc::from(cause.into()) }
    }

    /// Makes the error for stored data that is not as it was written.
    pub fn corrupt(location: impl Into<String>, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Corrupt { location: location.into(), source: Arc::from(cause.into()) }
    }
}

/// Hides the details of a failure from the client and logs them; what meets every request, once for each interval.
impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        static UNAVAILABLE: LogInterval = LogInterval::new(LOG_INTERVAL);
        static NOT_WRITABLE: LogInterval = LogInterval::new(LOG_INTERVAL);
        let line = match &error {
            StoreError::Unavailable(_) => UNAVAILABLE.admit(),
            StoreError::NotWritable { .. } => NOT_WRITABLE.admit(),
            StoreError::OutcomeUnknown { .. } | StoreError::Failed { .. } | StoreError::Corrupt { .. } => Some(0),
        };
        if let Some(left_out) = line {
            tracing::error!(error = error_chain(&error), left_out, "the store failed");
        }
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
            StoreError::NotWritable { .. } => (
                ErrorId::DiskNotWritable,
                "The disk of the metadata store is full or read-only; nothing was stored. Reads go on; the operator must \
                 free space, after that changes go on without a restart"
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;

    /// Counts log lines.
    struct LineCounter(Arc<AtomicU64>);

    impl Subscriber for LineCounter {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, _: &Event<'_>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn a_database_that_is_away_is_logged_once_and_not_for_each_request() {
        let lines = Arc::new(AtomicU64::new(0));
        tracing::subscriber::with_default(LineCounter(Arc::clone(&lines)), || {
            for _ in 0..1000 {
                let error = Error::from(StoreError::unavailable("no connection to the database"));
                assert_eq!(error.id, ErrorId::ServiceUnavailable);
            }
        });
        let lines = lines.load(Ordering::Relaxed);
        assert!((1..10).contains(&lines), "{lines} lines");
    }

    #[test]
    fn a_disk_that_cannot_be_written_is_an_error_of_its_own() {
        let error = Error::from(StoreError::not_writable("storing analyses", "database or disk is full"));
        assert_eq!((error.id.as_str(), error.id.status()), ("disk.not.writable", 507));
        assert!(error.text.contains("full or read-only") && !error.text.contains("database or disk"), "{}", error.text);
    }
}
