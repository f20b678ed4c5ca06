//! Errors of an engine.
//!
//! Messages never show a host, a path of the machine or the text of a query. Details for operators are in
//! [`EngineError::Failed`]; clients get its message without them.

use cantata_mapping::MappingError;
use thiserror::Error;

/// A failure of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EngineError {
    /// There is no index of this name.
    #[error("index `{0}` was not found; create it, or correct esIndex in base.json")]
    IndexNotFound(String),
    /// The index exists already.
    #[error("index `{0}` exists already")]
    IndexExists(String),
    /// A name or a mapping that cannot be used, or a request that the engine cannot answer within its limits.
    #[error("{0}")]
    Rejected(String),
    /// The engine cannot be reached.
    #[error("the search engine cannot be reached")]
    Unreachable,
    /// The engine rejected the credentials of this service.
    #[error("the search engine refused the credentials of this server")]
    PermissionDenied,
    /// The engine took too long.
    #[error("the search engine did not answer in time")]
    TimedOut,
    /// The engine is busy.
    #[error("the search engine is busy; try again later")]
    Busy,
    /// The files of an index are not as they were written, or have a format that this version does not read.
    #[error(
        "index `{index}` is damaged: {reason}; a catalogue with a source builds it again by itself, else restore the data \
         folder from a backup, or remove it with `cantata index delete {index} --yes` and import its documents again"
    )]
    IndexDamaged {
        /// The name of the index.
        index: String,
        /// How that was found.
        reason: String,
    },
    /// The files of an index cannot be read at the moment.
    #[error("index `{index}` cannot be opened at the moment: {reason}; it is tried again as long as it is asked for")]
    IndexUnavailable {
        /// The name of the index.
        index: String,
        /// What the system says.
        reason: String,
    },
    /// The disk of the engine is full or read-only.
    #[error("the disk of the search engine cannot be written: {0}")]
    NotWritable(String),
    /// Anything else; the details are in the log.
    #[error("the search engine failed: {0}")]
    Failed(String),
}

/// All problems of a mapping, in one text.
impl From<Vec<MappingError>> for EngineError {
    fn from(errors: Vec<MappingError>) -> Self {
        Self::Rejected(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }
}

impl EngineError {
    /// Returns the message for clients.
    pub fn client_message(&self) -> String {
        match self {
            Self::NotWritable(_) => {
                "the disk of the search engine is full or read-only; searches go on, and so do changes once there is room"
                    .to_owned()
            }
            Self::Failed(_) => "the search engine failed; the log of the server says why".to_owned(),
            Self::IndexDamaged { index, .. } => {
                format!(
                    "index `{index}` is damaged; the log of the server says how, and `cantata index list` what to do"
                )
            }
            Self::IndexUnavailable { index, .. } => {
                format!(
                    "index `{index}` cannot be opened at the moment; it is tried again, and the log of the server says why"
                )
            }
            // Which indexes there are is not for everybody.
            Self::IndexNotFound(_) => "the index was not found; the log of the server names it".to_owned(),
            other => other.to_string(),
        }
    }
}
