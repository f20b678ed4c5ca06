//! Why a document is rejected.

use cantata_mapping::ValueError;
use serde_json::Value;

/// An error of one document.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentError {
    #[error("found no JSON object; a document is one")]
    NotAnObject,
    #[error("found no JSON document: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "found {}, which the mapping does not have and, with `\"dynamic\": \"strict\"`, does not allow; add the fields to \
         the mapping or leave them out",
        .0.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
    )]
    UnmappedFields(Vec<String>),
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error("`{0}`: found something that the mapping does not allow there")]
    NotAllowed(String),
    #[error("`{0}` stands twice in one object; leave one out")]
    DuplicateKey(String),
    #[error("`_id`: found {0}; expected a string that is not empty, or a number")]
    InvalidId(Value),
    #[error("found no single value in `{0}`, which is to be the id of the document")]
    NoId(String),
}
