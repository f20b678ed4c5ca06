//! From a request to its selected fields: parsing, limits, validation, variables, fragments.
//!
//! No document is trusted: its size, nesting and expansion are bounded before anything is derived from it, and what is
//! derived never grows faster than what was measured.

mod argument_values;
mod cost;
mod document_cache;
mod field_collector;
mod limits;
mod selection;

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use cost::{DEFAULT_PAGE_SIZE, estimate_cost};
pub(crate) use document_cache::{IntrospectionResults, ParsedDocument, QueryDocumentCache};
pub(crate) use field_collector::{FieldCollector, FilterArgument, SelectedField};

/// A GraphQL request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphqlRequest {
    /// The document.
    pub query: String,
    /// The values of its variables.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
    /// Which of its operations is to be run, if there are several.
    #[serde(default)]
    pub operation_name: Option<String>,
}
