//! Which catalogue a segment of an address means: an id first, otherwise a document type that one catalogue has.

use serde::Serialize;

use super::CatalogueState;

/// What a segment of an address means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// The catalogue at this place of the list.
    One(usize),
    /// A document type that several catalogues have; their ids.
    Ambiguous(Vec<String>),
    /// Nothing.
    Unknown,
}

/// Returns what a segment of an address means.
pub fn resolve(segment: &str, states: &[CatalogueState<'_>]) -> Resolution {
    if let Some(place) = states.iter().position(|state| state.id() == segment) {
        return Resolution::One(place);
    }
    let of_type = states.iter().enumerate().filter(|(_, state)| {
        // A catalogue whose document type could not be read has an empty one, which nothing means.
        !segment.is_empty() && state.document_type() == segment
    });
    let matching: Vec<(usize, &str)> = of_type.map(|(place, state)| (place, state.id())).collect();
    match matching.as_slice() {
        [] => Resolution::Unknown,
        [(place, _)] => Resolution::One(*place),
        several => Resolution::Ambiguous(several.iter().map(|(_, id)| (*id).to_owned()).collect()),
    }
}

/// The answer (404) to a name that no catalogue has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotFoundBody {
    /// What happened.
    pub error: String,
}

impl NotFoundBody {
    /// Returns the answer to a name.
    pub fn new(segment: &str) -> Self {
        Self { error: format!("Catalogue \"{segment}\" was not found.") }
    }
}

/// The answer (409) to a document type that several catalogues have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AmbiguousBody {
    /// The document type.
    pub document_type: String,
    /// What happened.
    pub error: AmbiguousError,
    /// The ids of the catalogues that have it.
    pub matching_catalogue_ids: Vec<String>,
}

/// Why the answer is a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AmbiguousError {
    /// Always `ambiguous_document_type`.
    pub code: &'static str,
    /// What happened, for a person.
    pub message: String,
}

impl AmbiguousBody {
    /// Returns the answer to a document type.
    pub fn new(document_type: &str, matching_catalogue_ids: Vec<String>) -> Self {
        let message =
            format!("documentType \"{document_type}\" matches multiple catalogues; use the catalogue id instead.");
        Self {
            document_type: document_type.to_owned(),
            error: AmbiguousError { code: "ambiguous_document_type", message },
            matching_catalogue_ids,
        }
    }
}
