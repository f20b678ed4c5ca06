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
const CATALOGUE_DESCRIPTION: &str = "Its fields with types, and the operators of each type";
const JSON: &str = "application/json";

/// Lists the resources.
pub(crate) fn all(caller: &CallerContext<'_>) -> Vec<Resource> {
    let server = resource(SERVER, "server", "Catalogues", "Which catalogues there are, and how they are");
    let sqon = resource(SQON, "sqon", "Filter language", "The JSON Schema of a filter (SQON) and its operators");
    let catalogues = caller.catalogues().map(|catalogues| catalogues.introspection().catalogs.0).unwrap_or_default();
    let fields = catalogues
        .into_iter()
        .map(|(id, _)| resource(&format!("{CATALOGUE}{id}"), &id, &format!("Fields of {id}"), CATALOGUE_DESCRIPTION));
    [server, sqon].into_iter().chain(fields).collect()
}

fn resource(uri: &str, name: &str, title: &str, description: &str) -> Resource {
    Resource::new(uri, name).with_title(title).with_description(description).with_mime_type(JSON)
}

/// Returns the URI template of catalogues.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{CATALOGUE}{{catalogueId}}"), "catalogue")
        .with_title("Fields of a catalogue")
        .with_description(CATALOGUE_DESCRIPTION)
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
