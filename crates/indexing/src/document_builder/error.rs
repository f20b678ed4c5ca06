//! Why an analysis has no documents.

use super::collector::{MAX_DOCUMENT_BYTES, MAX_ID_BYTES};
use super::members::JsonLocation;

/// Why an analysis has no documents; shown to operators with the rejected documents.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// An object cannot be parsed.
    #[error("{0} is not JSON: {1}")]
    NotJson(JsonLocation, serde_json::Error),
    /// It is another kind of JSON.
    #[error("{0} is {1}, expected an object")]
    NotAnObject(JsonLocation, &'static str),
    /// A member is missing or of another kind.
    #[error("`{name}` of {location} is {found}, expected {expected}")]
    #[expect(missing_docs, reason = "the message explains the fields")]
    Member { location: JsonLocation, name: String, found: &'static str, expected: &'static str },
    /// The analysis lacks what its selection needs.
    #[error("the analysis has no studyId or no analysisState")]
    NoStudyOrState,
    /// The analysis lacks its type.
    #[error("the analysis has no analysisType with name and version")]
    NoType,
    /// The path of the id finds no text.
    #[error("the path of the document's id finds {0}, expected one string or number")]
    IdPath(&'static str),
    /// An id is too short or too long for an engine.
    #[error("the id of a document has {0} bytes, expected 1 to {MAX_ID_BYTES}")]
    IdLength(usize),
    /// Two documents have one id.
    #[error("two documents have the id {0:?}")]
    DuplicateId(String),
    /// The documents are too large together.
    #[error("the documents of the analysis have more than {} MB together", MAX_DOCUMENT_BYTES >> 20)]
    TooLarge,
    /// A document cannot be serialised.
    #[error("a document cannot be written: {0}")]
    Serialize(#[from] serde_json::Error),
    /// A bug.
    #[error("its documents could not be made; the log has the cause")]
    Panicked,
}
