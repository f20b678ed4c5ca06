//! What a failure of the database means: it refused, it cannot be used now, or it was lost in the middle of a write.

use std::error::Error as _;
use std::fmt::Write;

use cantata_store::StoreError;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// Makes the error for reading that failed.
pub(crate) fn reading(operation: &'static str) -> impl Fn(Error) -> StoreError + Copy {
    move |error| {
        if is_lost(&error) || is_busy(&error) {
            StoreError::Unavailable(format!("{operation}: {}", describe(&error)))
        } else {
            StoreError::failed(operation, describe(&error))
        }
    }
}

/// Makes the error for a write whose result did not arrive.
pub(crate) fn writing(operation: &'static str) -> impl Fn(Error) -> StoreError + Copy {
    move |error| {
        if is_lost(&error) {
            StoreError::Undecided { operation, cause: describe(&error) }
        } else {
            reading(operation)(error)
        }
    }
}

/// Says whether the connection is gone, so that nobody knows what became of what was sent last.
pub(crate) fn is_lost(error: &Error) -> bool {
    let Some(code) = error.code() else {
        let is_io = error.source().is_some_and(|source| source.is::<std::io::Error>());
        return error.is_closed() || is_io;
    };
    let ends = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::IDLE_SESSION_TIMEOUT,
    ];
    // Class 08 is about connections.
    ends.contains(code) || code.code().starts_with("08")
}

/// Says whether the database refused for the moment, and did nothing.
fn is_busy(error: &Error) -> bool {
    let busy = [
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::QUERY_CANCELED,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    error.code().is_some_and(|code| busy.contains(code))
}

/// Puts what happened into words for the log. What a row holds is left out.
pub(crate) fn describe(error: &Error) -> String {
    if let Some(refusal) = error.as_db_error() {
        return format!("{} ({})", refusal.message(), refusal.code().code());
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        // Writing into a text cannot fail.
        let _ = write!(text, ": {cause}");
        source = cause.source();
    }
    text
}
