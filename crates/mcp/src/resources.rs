//! Resources: the introspection responses, which clients can read without calling a tool.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::Value;

use crate::caller_context::CallerContext;
use crate::tool_result::{ToolError, ToolResult};
use crate::tools;

const SERVER: &str = "arranger://introspection/server";
const SQON: &str = "arranger://introspection/sqon";
const CATALOGUE: &str = "arranger://introspection/catalog/";
const JSON: &str = "application/json";

/// Lists the resources.
pub(crate) fn all(caller: &CallerContext<'_>) -> Vec<Resource> {
    let server = Resource::new(SERVER, "server")
        .with_title("Catalogues")
        .with_description("Which catalogues there are, and how they are")
        .with_mime_type(JSON);
    let sqon = Resource::new(SQON, "sqon")
        .with_title("Filter language")
        .with_description("The JSON Schema of a filter (SQON) and its operators")
        .with_mime_type(JSON);
    let catalogues = caller.catalogues().map(|catalogues| catalogues.introspection().catalogs.0).unwrap_or_default();
    let fields = catalogues.into_iter().map(|(id, _)| {
        Resource::new(format!("{CATALOGUE}{id}"), id.clone())
            .with_title(format!("Fields of {id}"))
            .with_description("Its fields with types, and the operators of each type")
            .with_mime_type(JSON)
    });
    [server, sqon].into_iter().chain(fields).collect()
}

/// Returns the URI template of catalogues.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{CATALOGUE}{{catalogueId}}"), "catalogue")
        .with_title("Fields of a catalogue")
        .with_description("Its fields with types, and the operators of each type")
        .with_mime_type(JSON)
}

/// Reads a resource.
pub(crate) fn read(caller: &CallerContext<'_>, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let read: ToolResult = match uri.strip_prefix(CATALOGUE) {
        Some(id) => tools::catalogue_fields(caller, id),
        None if uri == SERVER => tools::list_catalogues(caller),
        None if uri == SQON => Ok(tools::sqon_schema()),
        None => Err(ToolError(format!("There is no resource {uri:?}; resources/list shows which there are."))),
    };
    let contents = |value: Value| ResourceContents::text(format!("{value:#}"), uri).with_mime_type(JSON);
    match read {
        Ok(value) => Ok(ReadResourceResult::new(vec![contents(value)])),
        Err(ToolError(text)) => Err(ErrorData::resource_not_found(text, None)),
    }
}
