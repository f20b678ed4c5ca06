//! What an administrator may register: the meta-schema, and after it the proof that the schema can be used.

use std::sync::LazyLock;

use cantata_core::{Error, ErrorOrigin, Result};
use jsonschema::Validator;
use serde_json::Value;

use crate::wording::{explain, found_type};
use crate::{PayloadValidator, Violation, compile, join};

static META_SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("registration.json")).expect("the embedded meta-schema is JSON")
});

static META_VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| compile::build(&META_SCHEMA).expect("the embedded meta-schema is a schema"));

/// Returns the schema that the dynamic part of an analysis type must follow.
pub fn meta_schema() -> &'static Value {
    &META_SCHEMA
}

/// Refuses what cannot be the dynamic part of an analysis type.
///
/// What breaks the meta-schema is a schema violation; what follows it but cannot be used as a JSON Schema, alone or
/// together with the base schema, is malformed.
pub fn check_registration(schema: &Value) -> Result<()> {
    let violations = match schema {
        Value::Null => return Err(refuse("Schema field cannot be null".to_owned())),
        Value::Object(_) => explain(&META_VALIDATOR, schema),
        // The meta-schema lets booleans pass, but nothing can be rendered from one.
        _ => vec![Violation::at("", format!("expected type: JSONObject, found: {}", found_type(schema)))],
    };
    if !violations.is_empty() {
        return Err(refuse(join(&violations)));
    }
    PayloadValidator::compile(schema)?.prepare_updates()
}

fn refuse(text: String) -> Error {
    Error::schema_violation(ErrorOrigin::AnalysisTypeService, text)
}
