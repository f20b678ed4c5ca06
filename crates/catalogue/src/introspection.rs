//! Introspection responses: the list of catalogues, the fields of one, and the responses to unknown or ambiguous names.

mod catalogue;
mod ordered_map;
mod resolve;
mod server;

use serde::Serialize;

pub use catalogue::{CatalogueIntrospectionBody, FieldBody, VisibilityBody};
pub use ordered_map::OrderedMap;
pub use resolve::{
    AmbiguousCatalogueBody, AmbiguousCatalogueError, CatalogueNotFoundBody, CatalogueResolution, resolve,
};
pub use server::{CatalogueEntryBody, CataloguePaths, HealthStatus, ServerIntrospectionBody};

use crate::catalogue::Catalogue;
use crate::configs::ConfiguredCatalogue;
use crate::error::CatalogueError;

/// A catalogue that cannot be served.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedCatalogue {
    /// The name in paths.
    pub id: String,
    /// The document type; empty if none could be read.
    pub document_type: String,
    /// A description for users.
    pub description: Option<String>,
    /// Why it cannot be served.
    pub error: CatalogueError,
}

impl FailedCatalogue {
    /// Returns a configured catalogue with this error.
    pub fn new(configured: &ConfiguredCatalogue, error: CatalogueError) -> Self {
        Self {
            id: configured.id.clone(),
            document_type: configured.document_type.clone(),
            description: configured.description.clone(),
            error,
        }
    }
}

/// Whether a catalogue can be served.
#[derive(Debug, Clone, Copy)]
pub enum CatalogueState<'a> {
    /// It can be served.
    Available(&'a Catalogue),
    /// It cannot be served.
    Failed(&'a FailedCatalogue),
}

impl<'a> CatalogueState<'a> {
    /// Returns the name in paths.
    pub fn id(self) -> &'a str {
        match self {
            Self::Available(catalogue) => &catalogue.id,
            Self::Failed(failed) => &failed.id,
        }
    }

    /// Returns the document type.
    pub fn document_type(self) -> &'a str {
        match self {
            Self::Available(catalogue) => &catalogue.document_type,
            Self::Failed(failed) => &failed.document_type,
        }
    }
}

/// The status of a failed catalogue.
const FAILED: &str = "failed";

/// The response to a request for a catalogue that cannot be served.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedCatalogueBody {
    catalogue_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    document_type: String,
    error: CatalogueError,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
}

impl FailedCatalogueBody {
    /// Returns the introspection response.
    pub fn new(failed: &FailedCatalogue) -> Self {
        Self {
            catalogue_id: failed.id.clone(),
            description: failed.description.clone(),
            document_type: failed.document_type.clone(),
            error: failed.error.clone(),
            status: FAILED,
            details: None,
        }
    }

    /// Returns the response at any other path of the catalogue, with a link to introspection.
    pub fn with_link(failed: &FailedCatalogue) -> Self {
        Self { details: Some(format!("/introspection/{}", failed.id)), ..Self::new(failed) }
    }
}
