//! Errors of the translation, for the client who sent the filter.

use cantata_sqon::{Scalar, quote};
use thiserror::Error;

/// A filter that cannot be translated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TranslationError {
    /// There is no set of this id.
    #[error("the filter on `{field}`: found the set {}, which does not exist; expected the id of a saved set", quote(.id))]
    UnknownSet {
        /// The field as the filter names it.
        field: String,
        /// The id of the set.
        id: String,
    },
    /// A filter over the elements of a container names a field that they do not have.
    #[error("the filter on `{field}`: found a field outside of `{container}`; expected fields of its elements")]
    OutsideContainer {
        /// The field as the filter names it.
        field: String,
        /// The path of the container.
        container: String,
    },
    /// A value cannot be read as one of the field.
    #[error("the filter on `{field}`: found {found}, expected {expected}")]
    Unreadable {
        /// The field as the filter names it.
        field: String,
        /// What was found.
        found: String,
        /// What was expected instead.
        expected: String,
    },
}

/// Why a value cannot be read as one of a field.
#[derive(Debug)]
pub(super) struct UnreadableValue {
    pub(super) found: String,
    pub(super) expected: String,
}

impl UnreadableValue {
    pub(super) fn new(found: &Scalar, expected: &str) -> Self {
        let found = match found {
            Scalar::String(text) => quote(text),
            other => other.to_string(),
        };
        Self { found, expected: expected.to_owned() }
    }

    /// Returns the error for the field of a filter.
    pub(super) fn on(self, field: &str) -> TranslationError {
        TranslationError::Unreadable { field: field.to_owned(), found: self.found, expected: self.expected }
    }
}
