//! The arguments of a tool: one type gives both the schema and the parser.

use std::sync::Arc;

use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::tool_result::ToolError;

/// Returns the JSON Schema of arguments, without references, which some clients do not follow.
pub(crate) fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // Name and documentation of the Rust type are not for clients.
    schema.remove("title");
    schema.remove("description");
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Parses arguments.
pub(crate) fn read<T: DeserializeOwned>(given: Option<JsonObject>) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(given.unwrap_or_default())).map_err(|error| {
        ToolError(format!("The arguments cannot be used: {error}. The schema of the tool says what it takes."))
    })
}
