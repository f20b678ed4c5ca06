//! What clients are told of catalogues over REST: the directory, the fields of one catalogue, and the answers for
//! names that lead to none or to several.

mod catalogue;
mod ordered;
mod resolve;
mod server;

use serde::Serialize;

pub use catalogue::{CatalogueBody, FieldBody, MetaBody};
pub use ordered::Ordered;
pub use resolve::{AmbiguousBody, AmbiguousError, NotFoundBody, Resolution, resolve};
pub use server::{EntryBody, Paths, ServerBody, Status};

use crate::catalogue::Catalogue;
use crate::configs::ConfiguredCatalogue;
use crate::error::CatalogueError;

/// A catalogue that cannot be served.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedCatalogue {
    /// The name in addresses.
    pub id: String,
    /// The document type; empty if none could be read.
    pub document_type: String,
    /// What it is, for people.
    pub description: Option<String>,
    /// Why it cannot be served.
    pub error: CatalogueError,
}

impl FailedCatalogue {
    /// Returns a configured catalogue that failed for this reason.
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
    /// It can.
    Available(&'a Catalogue),
    /// It cannot.
    Failed(&'a FailedCatalogue),
}

impl<'a> CatalogueState<'a> {
    /// Returns the name in addresses.
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

/// The status in the body of a failed catalogue.
const FAILED: &str = "failed";

/// What is told of a catalogue that cannot be served.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedBody {
    catalogue_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    document_type: String,
    error: CatalogueError,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<String>,
}

impl FailedBody {
    /// Returns the answer to an introspection of the catalogue.
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

    /// Returns the answer at any other address of the catalogue, which says where to read more.
    pub fn elsewhere(failed: &FailedCatalogue) -> Self {
        Self { details: Some(format!("/introspection/{}", failed.id)), ..Self::new(failed) }
    }
}
