//! What can go wrong in an engine, as the service tells it to a client.
//!
//! Messages never show a host, a path of the machine or the text of a query.

use thiserror::Error;

/// A failure of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EngineError {
    /// There is no index of this name.
    #[error("index `{0}` was not found; create it, or correct esIndex in base.json")]
    IndexNotFound(String),
    /// The index is there already.
    #[error("index `{0}` exists already")]
    IndexExists(String),
    /// A name or a mapping that cannot be used, or a request that the engine cannot answer within its limits.
    #[error("{0}")]
    Refused(String),
    /// The engine cannot be reached.
    #[error("the search engine cannot be reached")]
    Unreachable,
    /// The engine does not let this service in.
    #[error("the search engine refused the credentials of this server")]
    PermissionDenied,
    /// The engine took too long.
    #[error("the search engine did not answer in time")]
    TimedOut,
    /// The engine is busy.
    #[error("the search engine is busy; try again later")]
    Busy,
    /// Anything else; the details are in the log.
    #[error("the search engine failed: {0}")]
    Failed(String),
}
