//! Errors of filters. Every error has a JSON pointer, what was found there and what is expected.

/// One error in a filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at {})", if pointer.is_empty() { "the root of the filter" } else { pointer })]
pub struct SqonError {
    /// The path in the filter as a JSON pointer; empty for the filter itself.
    pub pointer: String,
    /// The kind of error.
    pub kind: SqonErrorKind,
    /// What was found and what may stand there, in English.
    pub message: String,
}

/// The kinds of errors, for callers that treat them differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqonErrorKind {
    /// The filter does not have the form of a SQON.
    Malformed,
    /// The filter is larger than a limit allows.
    TooLarge,
    /// The catalogue has no such field.
    UnknownField {
        /// The name as it stands in the filter.
        field: String,
        /// At most three names of the catalogue that look alike, the closest first.
        similar: Vec<String>,
    },
    /// The operator cannot be used on a field of this type.
    NotApplicable,
    /// The value cannot be a value of this field.
    WrongValue,
    /// The pivot is neither `.` nor a nested field.
    InvalidPivot,
}

impl SqonError {
    pub(crate) fn new(pointer: impl Into<String>, kind: SqonErrorKind, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), kind, message: message.into() }
    }
}
