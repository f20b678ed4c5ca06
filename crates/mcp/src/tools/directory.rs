//! `list_catalogues`, `get_sqon_schema`, `get_catalogue_fields`: what there is to search, and how.

use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::catalogues::Asking;
use crate::outcome::{Outcome, value};

pub(super) const LIST_CATALOGUES: &str = "Lists the catalogues that can be searched, with the type of their records. \
    Call it first: every other tool about catalogues takes one of its ids.";
pub(super) const GET_SQON_SCHEMA: &str = "Returns the filter language (SQON): its JSON Schema, its operators, and which \
    types of fields each of them takes. build_sqon writes filters, so this is only needed to read or mend one.";
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

/// Returns which catalogues there are.
pub(crate) fn directory(asking: &Asking<'_>) -> Outcome {
    value(&asking.catalogues()?.introspection())
}

/// Returns the filter language.
pub(crate) fn language() -> Value {
    cantata_sqon::json_schema()
}

/// Returns the fields of a catalogue.
pub(crate) fn fields_of(asking: &Asking<'_>, catalogue_id: &str) -> Outcome {
    value(&*asking.catalogue(catalogue_id)?.introspection)
}
