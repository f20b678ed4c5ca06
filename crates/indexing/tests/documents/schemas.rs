//! What single schemas become.

use serde_json::{Value, json};

use crate::support::{analysis_type, definition, derived, type_at, with_definitions};

/// Returns the type that a field gets by its schema.
fn taken_as(schema: Value) -> String {
    let mapping = derived(&[analysis_type("t", 1, json!({"experiment": schema}))]).mapping;
    type_at(&mapping, "experiment").to_owned()
}

#[test]
fn each_type_has_its_own() {
    let cases = [
        (json!({"type": "string"}), "keyword"),
        (json!({"type": "integer"}), "long"),
        (json!({"type": "number"}), "double"),
        (json!({"type": "boolean"}), "boolean"),
        (json!({"type": "string", "format": "date"}), "date"),
        (json!({"type": "string", "format": "date-time"}), "date"),
        (json!({"type": "string", "format": "ipv4"}), "ip"),
        (json!({"type": "string", "format": "uri"}), "keyword"),
        (json!({"type": "object", "properties": {"a": {"type": "string"}}}), "object"),
        (json!({"type": "array", "items": {"type": "integer"}}), "long"),
        (json!({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}), "nested"),
        (json!({"type": ["string", "null"]}), "keyword"),
        (json!({"type": ["integer", "null"]}), "long"),
        (json!({"type": ["integer", "string"]}), "keyword"),
        (json!({"type": ["integer", "number"]}), "double"),
        (json!({"enum": ["a", "b", null]}), "keyword"),
        (json!({"enum": [1, 2]}), "long"),
        (json!({"const": true}), "boolean"),
        (json!({"properties": {"a": {"type": "string"}}}), "object"),
        (json!({"items": {"type": "string"}}), "keyword"),
        (json!({"pattern": "^a"}), "keyword"),
        (json!({"minimum": 3}), "double"),
        (json!({"type": "array", "items": [{"type": "integer"}, {"type": "number"}]}), "double"),
    ];
    for (schema, expected) in cases {
        assert_eq!(taken_as(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn what_may_be_anything_is_shown_only_and_what_cannot_be_is_not_there() {
    for schema in [
        json!({}),
        json!(true),
        json!({"description": "free"}),
        json!({"type": "object"}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "array"}),
        json!({"type": ["object", "string"], "properties": {"a": {"type": "string"}}}),
        json!({"anyOf": [{"type": "string"}, {}]}),
    ] {
        assert_eq!(taken_as(schema.clone()), "shown only", "{schema}");
    }
    for schema in [json!(false), json!({"type": "null"}), json!({"const": null})] {
        assert_eq!(taken_as(schema.clone()), "not there", "{schema}");
    }
}

#[test]
fn branches_are_taken_together() {
    let properties = json!({"experiment": {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "allOf": [{"properties": {"b": {"type": "string"}}}],
        "anyOf": [{"properties": {"c": {"type": "boolean"}}}, {"properties": {"d": {"type": "number"}}}],
        "oneOf": [{"required": ["c"]}, {"properties": {"e": {"type": "string"}}}],
        "if": {"properties": {"a": {"const": 1}}},
        "then": {"properties": {"f": {"type": "string", "format": "date"}}},
        "else": {"properties": {"g": {"type": "array", "items": {"properties": {"h": {"type": "integer"}}}}}},
        "dependencies": {"a": ["b"], "b": {"properties": {"i": {"type": "number"}, "a": {"type": "number"}}}},
    }});
    let mapping = derived(&[analysis_type("t", 1, properties)]).mapping;
    let types =
        ["b", "c", "d", "e", "f", "g", "g.h", "i", "a"].map(|name| type_at(&mapping, &format!("experiment.{name}")));
    assert_eq!(types, ["keyword", "boolean", "double", "keyword", "date", "nested", "long", "double", "double"]);
}

#[test]
fn references_lead_into_the_definitions_and_into_those_of_the_base() {
    let properties = json!({
        "experiment": {"$ref": "#/definitions/run/light"},
        "checksum": {"$ref": "#/definitions/common/md5"},
    });
    let definitions = json!({"run": {"light": {"properties": {"length": {"type": "integer"}}}}});
    let mapping = derived(&[with_definitions("t", 1, properties, definitions)]).mapping;
    assert_eq!(type_at(&mapping, "experiment.length"), "long");
    assert_eq!(type_at(&mapping, "checksum"), "keyword");
}

#[test]
fn no_value_of_a_schema_keeps_a_document_out() {
    let properties = json!({"experiment": {"properties": {
        "text": {"type": "string"}, "count": {"type": "integer"}, "day": {"type": "string", "format": "date"},
    }}});
    let mapping = derived(&[analysis_type("t", 1, properties)]).mapping;
    assert_eq!(mapping["dynamic"], false);
    assert!(definition(&mapping, "experiment.text")["ignore_above"].as_u64().unwrap() <= 32_766 / 3);
    assert_eq!(definition(&mapping, "experiment.count")["ignore_malformed"], true);
    assert_eq!(definition(&mapping, "experiment.day")["ignore_malformed"], true);
}
