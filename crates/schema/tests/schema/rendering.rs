//! The schema clients see, and that definitions work in it.

use cantata_schema::{PayloadValidator, check_registration, render_schema};
use serde_json::{Value, json};

use crate::samples::{messages, payload, type_with_definitions};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn keys_are_in_their_known_order() {
    let rendered = render_schema(&json!({
        "type": "object",
        "properties": {"samples": {"type": "array"}, "experiment": {"type": "object"}},
        "required": ["experiment", "samples"],
    }));
    assert_eq!(keys(&rendered), ["$schema", "id", "type", "definitions", "required", "properties"]);
    assert_eq!(keys(&rendered["definitions"]), ["common", "file", "analysisType"]);
    assert_eq!(keys(&rendered["definitions"]["common"]), ["md5", "submitterId", "info"]);
    assert_eq!(keys(&rendered["definitions"]["file"]), ["fileType", "fileData"]);
    assert_eq!(rendered["required"], json!(["studyId", "analysisType", "files", "experiment", "samples"]));
    assert_eq!(
        keys(&rendered["properties"]),
        ["analysisId", "studyId", "analysisType", "files", "samples", "experiment"]
    );
    assert_eq!(rendered["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(rendered["id"], "analysisPayload");
}

#[test]
fn required_names_are_not_repeated() {
    let rendered = render_schema(&json!({"required": ["experiment", "files", "experiment"]}));
    assert_eq!(rendered["required"], json!(["studyId", "analysisType", "files", "experiment"]));
}

#[test]
fn what_has_no_dynamic_part_renders_the_base() {
    assert_eq!(
        render_schema(&json!(true)),
        render_schema(&json!({"properties": 5, "required": {}, "definitions": []}))
    );
}

#[test]
fn definitions_are_merged_and_the_base_ones_win() {
    let rendered = render_schema(&json!({"definitions": {"file": {"mine": {}}, "donor": {"type": "string"}}}));
    assert_eq!(keys(&rendered["definitions"]), ["common", "file", "analysisType", "donor"]);
    assert_eq!(keys(&rendered["definitions"]["file"]), ["fileType", "fileData"]);
}

#[test]
fn references_to_definitions_work_in_a_submission() {
    let schema = type_with_definitions(
        json!({
            "type": "object",
            "properties": {"donor": {"$ref": "#/definitions/a~1b%20c"}, "sample": {"$ref": "#sample"}},
        }),
        json!({"a/b c": {"type": "string"}, "sample": {"$id": "#sample", "type": "integer"}}),
    );
    check_registration(&schema).unwrap();
    let validator = PayloadValidator::compile(&schema).unwrap();
    assert_eq!(validator.validate_submission(&payload(json!({"donor": "d", "sample": 1}))), []);
    let found = messages(&validator.validate_submission(&payload(json!({"donor": 1, "sample": "s"}))));
    let expected = [
        "#/experiment/donor: expected type: String, found: Integer",
        "#/experiment/sample: expected type: Integer, found: String",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
}

#[test]
fn neither_addresses_nor_dialects_within_a_schema_change_its_meaning() {
    let schema = type_with_definitions(
        json!({
            "$id": "http://example.org/experiment.json",
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "donor": {"$id": "#/properties/experiment/properties/donor", "$ref": "#/definitions/donor"},
                "year": {"$id": "year.json", "$schema": "http://example.org/unknown", "minimum": 1990},
            },
        }),
        json!({"donor": {"type": "string"}}),
    );
    check_registration(&schema).unwrap();
    let validator = PayloadValidator::compile(&schema).unwrap();
    assert_eq!(validator.validate_submission(&payload(json!({"donor": "d", "year": 1990}))), []);
    let found = messages(&validator.validate_submission(&payload(json!({"donor": 1, "year": 1}))));
    let expected = [
        "#/experiment/donor: expected type: String, found: Integer",
        "#/experiment/year: 1 is not greater or equal to 1990",
    ];
    assert_eq!(found, expected.map(str::to_owned).into());
}
