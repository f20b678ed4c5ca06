//! What can go wrong in an engine.
//!
//! Messages never show a host, a path of the machine or the text of a query. What only an operator needs is in
//! [`EngineError::Failed`], which clients are told of without it.

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

impl EngineError {
    /// Returns what a client is told.
    pub fn client_message(&self) -> String {
        match self {
            Self::Failed(_) => "the search engine failed; the log of the server says why".to_owned(),
            other => other.to_string(),
        }
    }
}
