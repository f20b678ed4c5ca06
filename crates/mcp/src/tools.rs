//! The tools, one file per group.

mod analyses;
mod build_sqon;
mod catalogues;
mod execute_query;
mod query_network;

pub(crate) use catalogues::{catalogue_fields, list_catalogues, sqon_schema};

use http::Extensions;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde_json::Value;

use self::catalogues::{FieldsArguments, NoArguments};
use crate::arguments::{read, schema};
use crate::caller_context::CallerContext;
use crate::server::McpServices;
use crate::tool_result::ToolError;

/// Returns the descriptions of all tools.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        tool::<NoArguments>("list_catalogues", "List catalogues", catalogues::LIST_CATALOGUES),
        tool::<NoArguments>("get_sqon_schema", "Get the filter language", catalogues::GET_SQON_SCHEMA),
        tool::<FieldsArguments>(
            "get_catalogue_fields",
            "Get the fields of a catalogue",
            catalogues::GET_CATALOGUE_FIELDS,
        ),
        tool::<build_sqon::BuildArguments>("build_sqon", "Build a filter", build_sqon::DESCRIPTION),
        tool::<execute_query::QueryArguments>("execute_query", "Search a catalogue", execute_query::DESCRIPTION),
        tool::<analyses::TypesArguments>("describe_analysis_types", "Describe analysis types", analyses::DESCRIBE),
        tool::<analyses::ValidateArguments>("validate_analysis", "Validate an analysis", analyses::VALIDATE),
        tool::<query_network::NetworkArguments>("query_network", "Ask a network", query_network::DESCRIPTION),
    ]
}

fn tool<T: JsonSchema>(name: &'static str, title: &str, description: &'static str) -> Tool {
    Tool::new(name, description, schema::<T>())
        .with_title(title)
        .with_annotations(ToolAnnotations::with_title(title).read_only(true).idempotent(true).open_world(false))
}

/// Calls a tool on behalf of the sender of a request; `None` if there is no such tool.
pub(crate) async fn call(
    services: &McpServices,
    request: &Extensions,
    name: &str,
    arguments: Option<JsonObject>,
) -> Result<Option<Value>, ToolError> {
    let caller = CallerContext::new(services, request);
    let value = match name {
        "list_catalogues" => read(arguments).and_then(|_: NoArguments| list_catalogues(&caller)),
        "get_sqon_schema" => read(arguments).map(|_: NoArguments| sqon_schema()),
        "get_catalogue_fields" => {
            read(arguments).and_then(|arguments: FieldsArguments| catalogue_fields(&caller, &arguments.catalogue_id))
        }
        "build_sqon" => build_sqon::build_sqon(&caller, read(arguments)?),
        "execute_query" => execute_query::execute_query(&caller, &read(arguments)?).await,
        "describe_analysis_types" => analyses::describe(services, &read(arguments)?).await,
        "validate_analysis" => analyses::validate(services, request, &read(arguments)?).await,
        "query_network" => query_network::query_network(&caller, &read(arguments)?).await,
        _ => return Ok(None),
    };
    value.map(Some)
}
