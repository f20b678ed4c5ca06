//! Checks schemas at registration: against the meta-schema, then by compiling them.

use std::sync::LazyLock;

use cantata_core::{Error, ErrorOrigin, Result};
use jsonschema::Validator;
use serde_json::Value;

use crate::messages::{describe_violations, json_type_name};
use crate::{PayloadValidator, SchemaViolation, compile, join_violations};

static META_SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("registration.json")).expect("the embedded meta-schema is JSON")
});

static META_VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| compile::build(&META_SCHEMA).expect("the embedded meta-schema is a schema"));

/// Returns the schema that the dynamic part of an analysis type must follow.
pub fn meta_schema() -> &'static Value {
    &META_SCHEMA
}

/// Rejects what cannot be the dynamic schema of an analysis type.
///
/// What breaks the meta-schema is a schema violation; what follows it but cannot be used as a JSON Schema, alone or
/// together with the base schema, is malformed.
pub fn check_registration(schema: &Value) -> Result<()> {
    let violations = match schema {
        Value::Null => return Err(violation_error("Schema field cannot be null".to_owned())),
        Value::Object(_) => describe_violations(&META_VALIDATOR, schema),
        // The meta-schema allows booleans, but nothing can be rendered from one.
        _ => vec![SchemaViolation::at("", format!("expected type: JSONObject, found: {}", json_type_name(schema)))],
    };
    if !violations.is_empty() {
        return Err(violation_error(join_violations(&violations)));
    }
    PayloadValidator::compile(schema)?.prepare_updates()
}

fn violation_error(text: String) -> Error {
    Error::schema_violation(ErrorOrigin::AnalysisTypeService, text)
}
