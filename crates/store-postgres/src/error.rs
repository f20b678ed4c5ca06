//! Maps errors of the database to [`StoreError`]: rejected, unavailable, or lost in the middle of a write.

use std::error::Error as _;
use std::fmt;
use std::sync::Arc;

use cantata_core::error_chain;
use cantata_store::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// An error of the database without the detail that PostgreSQL adds, which may contain values of rows.
#[derive(Debug)]
pub(crate) struct DatabaseError {
    /// What was attempted, where the [`StoreError`] around it does not say so.
    operation: Option<&'static str>,
    error: Error,
}

impl fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.operation {
            write!(f, "{operation}: ")?;
        }
        match self.error.as_db_error() {
            Some(response) => write!(f, "{} ({})", response.message(), response.code().code()),
            None => f.write_str(&error_chain(&self.error)),
        }
    }
}

impl std::error::Error for DatabaseError {}

/// Makes the error for a database that cannot be used at the moment.
pub(crate) fn unavailable(operation: &'static str) -> impl Fn(Error) -> StoreError + Copy {
    move |error| StoreError::unavailable(DatabaseError { operation: Some(operation), error })
}

/// Makes the error for a statement that failed without having changed anything.
pub(crate) fn read_error(operation: &'static str) -> impl Fn(Error) -> StoreError + Copy {
    move |error| {
        if is_connection_lost(&error) || is_transient(&error) {
            unavailable(operation)(error)
        } else if error.code() == Some(&SqlState::DISK_FULL) {
            StoreError::not_writable(operation, DatabaseError { operation: None, error })
        } else {
            StoreError::failed(operation, DatabaseError { operation: None, error })
        }
    }
}

/// Makes the error for a write whose result did not arrive.
pub(crate) fn write_error(operation: &'static str) -> impl Fn(Error) -> StoreError + Copy {
    move |error| {
        if is_connection_lost(&error) { outcome_unknown(operation, error) } else { read_error(operation)(error) }
    }
}

/// Makes the error for a write that may have been committed or not.
pub(crate) fn outcome_unknown(operation: &'static str, error: Error) -> StoreError {
    StoreError::OutcomeUnknown { operation, source: Arc::new(DatabaseError { operation: None, error }) }
}

/// Says whether the connection is lost, so that the outcome of the last statement is unknown.
pub(crate) fn is_connection_lost(error: &Error) -> bool {
    let Some(code) = error.code() else {
        let is_io = error.source().is_some_and(|source| source.is::<std::io::Error>());
        return error.is_closed() || is_io;
    };
    let terminating = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::IDLE_SESSION_TIMEOUT,
    ];
    // Class 08 is about connections.
    terminating.contains(code) || code.code().starts_with("08")
}

/// Says whether the database rejected the statement for the moment, without having changed anything.
fn is_transient(error: &Error) -> bool {
    let transient = [
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::QUERY_CANCELED,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    error.code().is_some_and(|code| transient.contains(code))
}
