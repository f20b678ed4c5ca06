//! The tools, one file for each group of them.

mod analyses;
mod build;
mod directory;
mod search;

pub(crate) use directory::{directory, fields_of, language};

use http::Extensions;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;

use crate::arguments::{read, schema};
use crate::catalogues::Asking;
use crate::door::Services;
use crate::outcome::Outcome;

/// Returns what clients are told of the tools.
pub(crate) fn all() -> Vec<Tool> {
    vec![
        tool::<directory::NoArguments>("list_catalogues", "List catalogues", directory::LIST_CATALOGUES),
        tool::<directory::NoArguments>("get_sqon_schema", "Get the filter language", directory::GET_SQON_SCHEMA),
        tool::<directory::FieldsArguments>(
            "get_catalogue_fields",
            "Get the fields of a catalogue",
            directory::GET_CATALOGUE_FIELDS,
        ),
        tool::<build::BuildArguments>("build_sqon", "Build a filter", build::DESCRIPTION),
        tool::<search::QueryArguments>("execute_query", "Search a catalogue", search::DESCRIPTION),
        tool::<analyses::TypesArguments>("describe_analysis_types", "Describe analysis types", analyses::DESCRIBE),
        tool::<analyses::ValidateArguments>("validate_analysis", "Validate an analysis", analyses::VALIDATE),
    ]
}

fn tool<T: JsonSchema>(name: &'static str, title: &str, description: &'static str) -> Tool {
    Tool::new(name, description, schema::<T>())
        .with_title(title)
        .with_annotations(ToolAnnotations::with_title(title).read_only(true).idempotent(true).open_world(false))
}

/// Calls a tool on behalf of whoever sent a request; nothing if there is no such tool.
pub(crate) async fn call(
    services: &Services,
    request: &Extensions,
    name: &str,
    arguments: Option<JsonObject>,
) -> Option<Outcome> {
    let identity = services.permissions.identity(request);
    let asking = Asking { search: services.search.as_ref(), identity: &identity };
    let outcome = match name {
        "list_catalogues" => read::<directory::NoArguments>(arguments).and_then(|_| directory(&asking)),
        "get_sqon_schema" => read::<directory::NoArguments>(arguments).map(|_| language()),
        "get_catalogue_fields" => read::<directory::FieldsArguments>(arguments)
            .and_then(|arguments| fields_of(&asking, &arguments.catalogue_id)),
        "build_sqon" => read(arguments).and_then(|arguments| build::build_sqon(&asking, arguments)),
        "execute_query" => match read(arguments) {
            Ok(arguments) => search::execute_query(&asking, &arguments).await,
            Err(mend) => Err(mend),
        },
        "describe_analysis_types" => match read(arguments) {
            Ok(arguments) => analyses::describe(services, &arguments).await,
            Err(mend) => Err(mend),
        },
        "validate_analysis" => match read(arguments) {
            Ok(arguments) => analyses::validate(services, request, &arguments).await,
            Err(mend) => Err(mend),
        },
        _ => return None,
    };
    Some(outcome)
}
