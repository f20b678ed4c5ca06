//! Resolving a path segment to a catalogue: by id first, otherwise by a document type that only one catalogue has. A
//! segment that is neither is resolved in the same way, whatever the case of its letters.

use serde::Serialize;

use super::CatalogueState;

/// What a path segment resolves to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogueResolution {
    /// The catalogue at this index of the list.
    One(usize),
    /// A document type that several catalogues have; their ids.
    Ambiguous(Vec<String>),
    /// No catalogue.
    Unknown,
}

/// Resolves a path segment.
pub fn resolve(segment: &str, states: &[CatalogueState<'_>]) -> CatalogueResolution {
    let exact = |name: &str| name == segment;
    let in_any_case = |name: &str| name.eq_ignore_ascii_case(segment);
    if let Some(index) = states.iter().position(|state| exact(state.id())) {
        return CatalogueResolution::One(index);
    }
    // A catalogue whose document type could not be read has an empty one, which never matches.
    if segment.is_empty() {
        return CatalogueResolution::Unknown;
    }
    let candidates = [
        matching(states, |state| exact(state.document_type())),
        matching(states, |state| in_any_case(state.id())),
        matching(states, |state| in_any_case(state.document_type())),
    ];
    let found = candidates.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    match found.as_slice() {
        [] => CatalogueResolution::Unknown,
        [(index, _)] => CatalogueResolution::One(*index),
        several => CatalogueResolution::Ambiguous(several.iter().map(|(_, id)| (*id).to_owned()).collect()),
    }
}

/// Returns the indexes and ids of the catalogues that match.
fn matching<'a>(states: &[CatalogueState<'a>], is_match: impl Fn(CatalogueState<'a>) -> bool) -> Vec<(usize, &'a str)> {
    let of_segment = states.iter().enumerate().filter(|(_, state)| is_match(**state));
    of_segment.map(|(index, state)| (index, state.id())).collect()
}

/// The response (404) to an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogueNotFoundBody {
    /// What happened.
    pub error: String,
}

impl CatalogueNotFoundBody {
    /// Returns the response to a name.
    pub fn new(segment: &str) -> Self {
        Self { error: format!("Catalogue \"{segment}\" was not found.") }
    }
}

/// The response (409) to a document type that several catalogues have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AmbiguousCatalogueBody {
    /// The document type.
    pub document_type: String,
    /// What happened.
    pub error: AmbiguousCatalogueError,
    /// The ids of the catalogues that have it.
    pub matching_catalogue_ids: Vec<String>,
}

/// Why the response is a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AmbiguousCatalogueError {
    /// Always `ambiguous_document_type`.
    pub code: &'static str,
    /// The message for users.
    pub message: String,
}

impl AmbiguousCatalogueBody {
    /// Returns the response to a document type.
    pub fn new(document_type: &str, matching_catalogue_ids: Vec<String>) -> Self {
        let message =
            format!("documentType \"{document_type}\" matches multiple catalogues; use the catalogue id instead.");
        Self {
            document_type: document_type.to_owned(),
            error: AmbiguousCatalogueError { code: "ambiguous_document_type", message },
            matching_catalogue_ids,
        }
    }
}
