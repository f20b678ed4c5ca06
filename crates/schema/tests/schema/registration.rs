//! What may be registered, and the exact words of each refusal.

use std::collections::BTreeSet;

use cantata_core::{ErrorId, ErrorOrigin, SERVER_OWNED_FIELDS};
use cantata_schema::{check_registration, meta_schema};
use serde_json::{Value, json};

use crate::samples::{type_with, type_with_definitions};

/// Returns the error id and the messages of a refusal, in no particular order.
#[track_caller]
fn refused(schema: &Value) -> (ErrorId, BTreeSet<String>) {
    let error = check_registration(schema).expect_err("the schema is refused");
    assert_eq!(error.origin, ErrorOrigin::AnalysisTypeService);
    let mut messages = BTreeSet::new();
    for part in error.text.split(",#") {
        messages.insert(if part.starts_with(['#', 'S']) { part.to_owned() } else { format!("#{part}") });
    }
    (error.id, messages)
}

#[track_caller]
fn assert_violates(schema: &Value, expected: &[&str]) {
    let expected = expected.iter().map(|&message| message.to_owned()).collect();
    assert_eq!(refused(schema), (ErrorId::SchemaViolation, expected), "{schema}");
}

#[track_caller]
fn assert_malformed(schema: &Value, expected: &str) {
    let error = check_registration(schema).expect_err("the schema is refused");
    assert_eq!(error.to_string(), format!("[AnalysisTypeService::malformed.json.schema] - {expected}"), "{schema}");
}

const NOT_BOOLEAN: &str = "#: expected type: Boolean, found: JSONObject";

#[test]
fn the_smallest_schema_is_accepted() {
    check_registration(&type_with(json!({"type": "object"}))).unwrap();
    check_registration(&type_with(json!({"type": "object", "properties": {"studyId": {}}}))).unwrap();
}

#[test]
fn what_breaks_the_meta_schema_is_a_violation() {
    assert_violates(&Value::Null, &["Schema field cannot be null"]);
    assert_violates(
        &json!({}),
        &[NOT_BOOLEAN, "#: required key [properties] not found", "#: required key [type] not found"],
    );
    let with = |name: &str, value: Value| {
        let mut schema = type_with(json!({}));
        schema[name] = value;
        schema
    };
    for name in ["$id", "$schema", "title", "description", "if", "allOf", "additionalProperties", "$comment"] {
        let message = format!("#: extraneous key [{name}] is not permitted");
        assert_violates(&with(name, json!("x")), &[NOT_BOOLEAN, &message]);
    }
    let mut without_type = type_with(json!({}));
    without_type.as_object_mut().unwrap().remove("type");
    assert_violates(&without_type, &[NOT_BOOLEAN, "#: required key [type] not found"]);
    assert_violates(&with("type", json!("object-misspelt")), &[NOT_BOOLEAN, "#/type: "]);
    assert_violates(
        &with("properties", json!("x")),
        &[NOT_BOOLEAN, "#/properties: expected type: JSONObject, found: String"],
    );
}

#[test]
fn reserved_names_are_refused() {
    let names = ["studyId", "analysisId", "analysisState", "analysisType", "analysisTypeId", "files"];
    for name in names.into_iter().chain(SERVER_OWNED_FIELDS) {
        let mut schema = type_with(json!({}));
        schema["properties"][name] = json!({"type": "string"});
        let message = format!("#/properties/{name}: subject must not be valid against schema {{}}");
        assert_violates(&schema, &[NOT_BOOLEAN, &message]);
    }
}

#[test]
fn experiment_is_defined_and_required() {
    let violation = |schema: Value| assert_eq!(refused(&schema).0, ErrorId::SchemaViolation, "{schema}");
    violation(json!({"type": "object", "properties": {"experiment": {}}}));
    violation(json!({"type": "object", "properties": {"experiment": {}}, "required": []}));
    violation(json!({"type": "object", "properties": {"experiment": {}}, "required": ["experimnt"]}));
    violation(json!({"type": "object", "properties": {"experiment": {}}, "required": "experiment"}));
    violation(json!({"type": "object", "properties": {"experiment": {}}, "required": ["experiment", 5]}));
    violation(json!({"type": "object", "properties": {}, "required": ["experiment"]}));
    violation(type_with(json!(true)));
    violation(type_with(json!("x")));
}

#[test]
fn only_an_object_is_a_dynamic_schema() {
    for (schema, found) in
        [(json!(true), "Boolean"), (json!([]), "JSONArray"), (json!("x"), "String"), (json!(1), "Integer")]
    {
        assert_violates(&schema, &[&format!("#: expected type: JSONObject, found: {found}")]);
    }
}

#[test]
fn what_cannot_be_loaded_is_malformed() {
    let cases = [
        (
            json!({"properties": {"something": {"type": {}}}}),
            "#/properties/experiment/properties/something/type: \
             expected type is one of JsonArray or String, found: JsonObject",
        ),
        (json!({"type": "strng"}), "#/properties/experiment: unknown type: [strng]"),
        (json!({"type": ["null", "strng"]}), "#/properties/experiment: unknown type: [strng]"),
        (json!({"$ref": "#/definitions/x"}), "#: key [definitions] not found"),
        (json!({"minimum": "a"}), "#/properties/experiment/minimum: expected type: Number, found: String"),
        (json!({"enum": 5}), "#/properties/experiment/enum: expected type: JSONArray, found: Integer"),
        (
            json!({"pattern": "("}),
            "#/properties/experiment/pattern: [(] is not a valid regular expression: a parenthesis is not closed",
        ),
        (json!({"properties": []}), "#/properties/experiment/properties: expected type: JSONObject, found: JSONArray"),
        (json!({"allOf": []}), "#/properties/experiment/allOf: expected minimum item count: 1, found: 0"),
        (
            json!({"items": "x"}),
            "#/properties/experiment/items: expected type is one of Boolean or JsonObject, found: String",
        ),
        (json!({"$ref": 5}), "#/properties/experiment/$ref: expected type: String, found: Integer"),
    ];
    for (experiment, expected) in cases {
        assert_malformed(&type_with(experiment), expected);
    }
    let refers = |reference: &str| type_with_definitions(json!({"$ref": reference}), json!({"own": {}}));
    assert_malformed(&refers("#/definitions/x"), "#/definitions: key [x] not found");
    assert_malformed(&refers("#nowhere"), "#: key [#nowhere] not found");
}

#[test]
fn definitions_of_the_base_schema_keep_their_names() {
    for name in ["analysisType", "common", "file"] {
        let schema = type_with_definitions(json!({"type": "object"}), json!({name: {"type": "string"}, "other": {}}));
        let message =
            format!("#/definitions/{name}: this name is reserved (analysisType, common, file); choose another");
        assert_violates(&schema, &[NOT_BOOLEAN, &message]);
    }
}

#[test]
fn experiment_is_described_as_an_object() {
    let double = |name: &str| json!({"allOf": [{"$ref": name}, {"$ref": name}]});
    for (experiment, definitions) in [
        (json!({"type": ["object"]}), json!({})),
        (json!({"$ref": "#/definitions/run"}), json!({"run": {"type": "object"}})),
        (json!({"allOf": [{"required": ["a"]}, {"$ref": "#run"}]}), json!({"r": {"$id": "#run", "type": "object"}})),
    ] {
        check_registration(&type_with_definitions(experiment, definitions)).unwrap();
    }
    for (experiment, definitions) in [
        (json!({}), json!({})),
        (json!({"type": "string"}), json!({})),
        (json!({"type": "array", "items": {"type": "object"}}), json!({})),
        (json!({"type": ["object", "null"]}), json!({})),
        (json!({"properties": {"a": {}}}), json!({})),
        (json!({"anyOf": [{"type": "object"}, {"type": "string"}]}), json!({})),
        (json!({"$ref": "#/definitions/run"}), json!({"run": {"type": "string"}})),
        (double("#/definitions/a"), json!({"a": double("#/definitions/b"), "b": double("#/definitions/c"), "c": {}})),
    ] {
        let schema = type_with_definitions(experiment, definitions);
        let message = "#/properties/experiment: it describes other values than objects, but experiment is an object; \
                       add \"type\": \"object\"";
        assert_violates(&schema, &[message]);
    }
}

#[test]
fn references_never_lead_out_of_the_schema() {
    for reference in ["http://localhost:1/x", "https://example.org/#/a", "file:///etc/passwd", "other.json", "", "//x"]
    {
        let schema = type_with(json!({"properties": {"a": {"$ref": reference}}}));
        let error = check_registration(&schema).unwrap_err();
        assert_eq!(error.id, ErrorId::MalformedJsonSchema);
        assert!(error.text.starts_with("#/properties/experiment/properties/a/$ref: ["), "{error}");
    }
}

#[test]
fn the_meta_schema_is_shown_in_its_known_order() {
    let keys: Vec<_> = meta_schema().as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["title", "id", "anyOf", "$schema", "default"]);
    assert_eq!(meta_schema()["anyOf"][1], json!({"type": "boolean"}));
}
