//! Schemas and payloads to begin with.

use std::collections::BTreeSet;

use cantata_schema::{PayloadValidator, SchemaViolation};
use serde_json::{Value, json};

/// Returns the smallest dynamic schema around a schema of `experiment`.
pub(crate) fn type_with(experiment: Value) -> Value {
    json!({"type": "object", "required": ["experiment"], "properties": {"experiment": experiment}})
}

/// Returns a dynamic schema with definitions.
pub(crate) fn type_with_definitions(experiment: Value, definitions: Value) -> Value {
    let mut schema = type_with(experiment);
    schema["definitions"] = definitions;
    schema
}

/// Returns a payload in which all is well but, perhaps, its `experiment`.
pub(crate) fn payload(experiment: Value) -> Value {
    json!({
        "studyId": "ABC123",
        "analysisType": {"name": "minimalExample", "version": null},
        "files": [{
            "dataType": "text",
            "fileName": "file1.txt",
            "fileSize": 123,
            "fileType": "txt",
            "fileAccess": "open",
            "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80d1",
            "info": {"k": "v"},
        }],
        "experiment": experiment,
    })
}

/// Returns the checks of a type that allows any `experiment`.
pub(crate) fn any_experiment() -> PayloadValidator {
    PayloadValidator::compile(&type_with(json!({}))).unwrap()
}

/// Returns the messages in no particular order.
pub(crate) fn messages(violations: &[SchemaViolation]) -> BTreeSet<String> {
    violations.iter().map(SchemaViolation::to_string).collect()
}

/// Returns what is wrong with an `experiment` under a schema.
pub(crate) fn check(schema: Value, experiment: Value) -> BTreeSet<String> {
    let validator = PayloadValidator::compile(&type_with(schema)).unwrap();
    messages(&validator.validate_submission(&payload(experiment)))
}
