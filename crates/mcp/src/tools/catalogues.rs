//! `list_catalogues`, `get_sqon_schema`, `get_catalogue_fields`: which catalogues, filters and fields there are.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::caller_context::CallerContext;
use crate::tool_result::{ToolResult, to_value};

pub(super) const LIST_CATALOGUES: &str = "Lists the catalogues that can be searched, with the type of their records. \
    Call it first: every other tool about catalogues takes one of its ids.";
pub(super) const GET_SQON_SCHEMA: &str = "Returns the filter language (SQON): its JSON Schema, its operators, and which \
    types of fields each of them takes. build_sqon writes filters, so this is only needed to read or correct one.";
pub(super) const GET_CATALOGUE_FIELDS: &str = "Returns the fields of a catalogue: `fields` has the dotted name of each \
    with its type, displayed name and unit, `operators` the operators of each type. Call it before build_sqon and \
    execute_query; field names must not be guessed.";

/// The arguments of a tool that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct NoArguments {}

/// The arguments of `get_catalogue_fields`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct FieldsArguments {
    /// The id of a catalogue, from list_catalogues
    pub(super) catalogue_id: String,
}

/// Lists the catalogues.
pub(crate) fn list_catalogues(caller: &CallerContext<'_>) -> ToolResult {
    to_value(&caller.catalogues()?.introspection())
}

/// Returns the JSON Schema of the filter language.
pub(crate) fn sqon_schema() -> Value {
    cantata_sqon::json_schema()
}

/// Returns the fields of a catalogue.
pub(crate) fn catalogue_fields(caller: &CallerContext<'_>, catalogue_id: &str) -> ToolResult {
    to_value(&*caller.catalogue(catalogue_id)?.introspection)
}
