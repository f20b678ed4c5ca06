//! The arguments of a tool: one type says what clients are told of them and what is read.

use std::sync::Arc;

use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::outcome::Mend;

/// Returns the schema of arguments. Nothing in it refers to another place, which some clients do not follow.
pub(crate) fn schema<T: JsonSchema>() -> Arc<JsonObject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name and the words of the type are for those who read the code.
    schema.remove("title");
    schema.remove("description");
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// Reads arguments.
pub(crate) fn read<T: DeserializeOwned>(given: Option<JsonObject>) -> Result<T, Mend> {
    serde_json::from_value(Value::Object(given.unwrap_or_default())).map_err(|error| {
        Mend(format!("The arguments cannot be used: {error}. The schema of the tool says what it takes."))
    })
}
