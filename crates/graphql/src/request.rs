//! From a request to what it selects: parsing, limits, validation, variables, fragments.
//!
//! Nothing in a document is trusted: its size, nesting and expansion are bounded before anything is derived from it,
//! and what is derived never grows faster than what was counted.

mod cost;
mod document;
mod limits;
mod selection;
mod values;

use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use cost::{PAGE_SIZE, cost};
pub(crate) use document::{Documents, Introspected, Parsed};
pub(crate) use selection::{Filter, GivenFilter, Selected, Selecting};

/// A GraphQL request.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The document.
    pub query: String,
    /// The values of its variables.
    #[serde(default)]
    pub variables: Option<Map<String, Value>>,
    /// Which of its operations is to be run, if there are several.
    #[serde(default)]
    pub operation_name: Option<String>,
}
