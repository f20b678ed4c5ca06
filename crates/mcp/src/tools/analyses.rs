//! `describe_analysis_types`, `validate_analysis`: what can be submitted, and whether a payload is valid.

use bytes::Bytes;
use cantata_core::Error;
use cantata_metadata::{SchemaView, SubmitOptions};
use cantata_store::{TypeQuery, TypeSortField};
use http::Extensions;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::server::McpServices;
use crate::tool_result::{ToolError, ToolResult, to_value};

pub(super) const DESCRIBE: &str = "Describes the types of analyses that can be submitted. Without a name it lists them \
    with their latest versions; with a name it returns the JSON Schema that a payload of this type must follow, and which \
    types of files it takes.";
pub(super) const VALIDATE: &str = "Checks an analysis as a submission to a study is checked, and stores nothing: study, \
    type and version, schema, files, services outside of the server, files that are stored already. Answers with \
    `valid`, and if it is false with what to correct. It needs the same permission as a submission.";

/// The arguments of `describe_analysis_types`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct TypesArguments {
    /// The name of a type; all are listed without it
    #[serde(default)]
    name: Option<String>,
    /// A version of the type; the latest without it
    #[serde(default)]
    version: Option<u32>,
}

/// The arguments of `validate_analysis`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct ValidateArguments {
    /// The study that the analysis would be submitted to
    study_id: String,
    /// The analysis, as it would be submitted
    analysis: Map<String, Value>,
    /// Whether files may be stored already
    #[serde(default)]
    allow_duplicates: bool,
}

/// Describes analysis types.
pub(super) async fn describe(services: &McpServices, arguments: &TypesArguments) -> ToolResult {
    match (&arguments.name, arguments.version) {
        (None, None) => list(services).await,
        (None, Some(_)) => Err(ToolError("version needs a name; call without both to list the types.".to_owned())),
        (Some(name), version) => {
            let described = match version {
                Some(version) => services.metadata.analysis_type(name, version.into(), SchemaView::Rendered).await,
                // There is at least one version, and the first is the latest.
                None => services
                    .metadata
                    .type_versions(name, SchemaView::Rendered, 1)
                    .await
                    .map(|mut page| page.result_set.swap_remove(0)),
            };
            to_value(&described.map_err(|error| ToolError(error.text))?)
        }
    }
}

/// Lists the latest version of every type, by name.
async fn list(services: &McpServices) -> ToolResult {
    let query = TypeQuery {
        names: Vec::new(),
        versions: Vec::new(),
        sort: vec![TypeSortField::Name, TypeSortField::Version],
        descending: false,
        limit: u64::MAX,
        offset: 0,
    };
    let page = services.metadata.list_types(&query, SchemaView::Hidden).await.map_err(|error| ToolError(error.text))?;
    let latest = page.result_set.chunk_by(|one, next| one.name == next.name).filter_map(<[_]>::last);
    let latest: Vec<Value> = latest.map(to_value).collect::<Result<_, _>>()?;
    Ok(json!({ "analysisTypes": latest }))
}

/// Validates an analysis without storing it.
pub(super) async fn validate(
    services: &McpServices,
    request: &Extensions,
    arguments: &ValidateArguments,
) -> ToolResult {
    (services.submit_policy)(request, &arguments.study_id).map_err(|denied| ToolError(denied.to_string()))?;
    let payload = Bytes::from(Value::Object(arguments.analysis.clone()).to_string());
    let options = SubmitOptions { allow_duplicates: arguments.allow_duplicates, publish: false };
    let checked = services.metadata.validate(&arguments.study_id, payload, options).await;
    Ok(match checked {
        Ok(_) => json!({ "valid": true }),
        Err(Error { id, text, .. }) => {
            json!({ "valid": false, "errors": [{ "errorId": id.as_str(), "message": text }] })
        }
    })
}
