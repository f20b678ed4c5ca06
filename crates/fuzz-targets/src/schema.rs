//! Schemas of analysis types, as they are registered.

use cantata_core::json::parse_json;
use cantata_schema::{PayloadValidator, check_registration, render_schema};
use serde_json::{Value, json};

/// Registers a schema. It is refused as a mistake of the client, or it can be shown and used.
pub fn target(data: &[u8]) {
    let Ok(schema) = parse_json(data) else { return };
    if let Err(error) = check_registration(&schema) {
        assert!(error.id.status() < 500, "{error}");
        return;
    }
    assert!(render_schema(&schema).is_object());
    let validator = PayloadValidator::compile(&schema).expect("a schema that was accepted can be compiled");
    for payload in [payload(), schema, Value::Null] {
        let _ = validator.validate_submission(&payload);
        let _ = validator.validate_update(&payload);
    }
}

fn payload() -> Value {
    json!({
        "studyId": "S",
        "analysisType": { "name": "variantCall" },
        "files": [{
            "fileName": "a.vcf", "fileSize": 1, "fileType": "vcf", "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80d1",
            "fileAccess": "open", "dataType": "text",
        }],
        "experiment": { "variantCallingTool": "caller", "tags": ["a", "b"], "count": 3 },
    })
}
