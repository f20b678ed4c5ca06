//! The words for what is wrong with a submission.

use std::collections::BTreeSet;

use cantata_core::SERVER_OWNED_FIELDS;
use cantata_schema::{PayloadValidator, SchemaViolation, join_violations};
use serde_json::{Value, json};

use crate::samples::{any_experiment, check, messages, payload, type_with};

/// Returns what is wrong with a payload after a change.
fn changed(change: impl FnOnce(&mut Value)) -> BTreeSet<String> {
    let mut payload = payload(json!({}));
    change(&mut payload);
    messages(&any_experiment().validate_submission(&payload))
}

fn set<const N: usize>(messages: [&str; N]) -> BTreeSet<String> {
    messages.map(str::to_owned).into()
}

#[test]
fn the_base_schema_is_enforced() {
    assert_eq!(changed(|_| {}), set([]));
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 16] = [
        (|p| drop(p.as_object_mut().unwrap().remove("studyId")), "#: required key [studyId] not found"),
        (|p| drop(p.as_object_mut().unwrap().remove("experiment")), "#: required key [experiment] not found"),
        (|p| p["studyId"] = json!(""), "#/studyId: expected minLength: 1, actual: 0"),
        (|p| p["analysisId"] = json!("x"), "#/analysisId: subject must not be valid against schema {}"),
        (|p| p["analysisType"] = json!({}), "#/analysisType: required key [name] not found"),
        (|p| p["files"] = json!([]), "#/files: expected minimum item count: 1, found: 0"),
        (|p| p["files"] = json!({}), "#/files: expected type: JSONArray, found: JSONObject"),
        (|p| p["files"][0]["fileType"] = json!(5), "#/files/0/fileType: expected type: String, found: Integer"),
        (|p| p["files"][0]["fileType"] = json!(null), "#/files/0/fileType: expected type: String, found: Null"),
        (|p| p["files"][0]["fileAccess"] = json!("pub"), "#/files/0/fileAccess: pub is not a valid enum value"),
        (|p| p["files"][0]["fileSize"] = json!(-1), "#/files/0/fileSize: -1 is not greater or equal to 0"),
        (|p| p["files"][0]["fileSize"] = json!("1"), "#/files/0/fileSize: expected type: Integer, found: String"),
        (|p| p["files"][0]["fileSize"] = json!(1.5), "#/files/0/fileSize: expected type: Integer, found: Double"),
        (|p| p["files"][0]["info"] = json!([]), "#/files/0/info: expected type: JSONObject, found: JSONArray"),
        (
            |p| p["files"][0]["fileName"] = json!("a b"),
            r"#/files/0/fileName: string [a b] does not match pattern ^[A-Za-z0-9_\.\-\[\]\(\)]+$",
        ),
        (
            |p| p["files"][0]["fileMd5sum"] = json!("x"),
            "#/files/0/fileMd5sum: string [x] does not match pattern ^[a-fA-F0-9]{32}$",
        ),
    ];
    for (change, expected) in cases {
        assert_eq!(changed(change), set([expected]));
    }
}

#[test]
fn every_name_the_server_owns_is_refused() {
    for name in SERVER_OWNED_FIELDS {
        let expected = format!("#/{name}: subject must not be valid against schema {{}}");
        assert_eq!(changed(|p| p[name] = json!("PUBLISHED")), set([&expected]));
        assert_eq!(changed(|p| p[name] = json!(null)), set([&expected]));
    }
}

#[test]
fn every_violation_is_told() {
    let found = changed(|p| {
        p["files"][0]["fileSize"] = json!("x");
        p["files"][0]["fileAccess"] = json!(1);
        p["studyId"] = json!(5);
    });
    let expected = [
        "#/files/0/fileAccess: 1 is not a valid enum value",
        "#/files/0/fileAccess: expected type: String, found: Integer",
        "#/files/0/fileSize: expected type: Integer, found: String",
        "#/studyId: expected type: String, found: Integer",
    ];
    assert_eq!(found, set(expected));
}

#[test]
fn a_version_is_an_integer_or_null() {
    let expected = [
        "#/analysisType/version: expected type: Integer, found: String",
        "#/analysisType/version: expected: null, found: String",
    ];
    assert_eq!(changed(|p| p["analysisType"]["version"] = json!("1")), set(expected));
    assert_eq!(changed(|p| p["analysisType"]["version"] = json!(1)), set([]));
}

#[test]
fn each_keyword_has_its_words() {
    let cases = [
        (json!({"minimum": 1990}), json!(1980), "1980 is not greater or equal to 1990"),
        (json!({"maximum": 5}), json!(5.5), "5.5 is not less or equal to 5"),
        (json!({"exclusiveMinimum": 5}), json!(5), "5 is not greater than 5"),
        (json!({"exclusiveMaximum": 5}), json!(5), "5 is not less than 5"),
        (json!({"multipleOf": 2}), json!(5), "5 is not a multiple of 2"),
        (json!({"minLength": 3}), json!("äö"), "expected minLength: 3, actual: 2"),
        (json!({"maxLength": 1}), json!("äö"), "expected maxLength: 1, actual: 2"),
        (json!({"maxItems": 1}), json!([1, 2]), "expected maximum item count: 1, found: 2"),
        (json!({"uniqueItems": true}), json!([1, 1]), "array items are not unique"),
        (json!({"contains": {"const": 1}}), json!([2]), "expected at least one array item to match 'contains' schema"),
        (json!({"items": [{}], "additionalItems": false}), json!([1, 2]), "expected: [1] array items, found: [2]"),
        (json!({"minProperties": 1}), json!({}), "minimum size: [1], found: [0]"),
        (json!({"maxProperties": 0}), json!({"a": 1}), "maximum size: [0], found: [1]"),
        (json!({"additionalProperties": false}), json!({"a": 1}), "extraneous key [a] is not permitted"),
        (json!({"dependencies": {"a": ["b"]}}), json!({"a": 1}), "property [b] is required"),
        (json!({"const": "x"}), json!("y"), ""),
        (json!({"enum": [1, "a"]}), json!({"b": null}), r#"{"b":null} is not a valid enum value"#),
        (
            json!({"not": {"type": "string"}}),
            json!("x"),
            r#"subject must not be valid against schema {"type":"string"}"#,
        ),
        (json!({"type": "null"}), json!("x"), "expected: null, found: String"),
        (json!({"type": "number"}), json!(true), "expected type: Number, found: Boolean"),
        (json!({"if": {"type": "string"}, "then": {"const": 1}}), json!("x"), ""),
        (json!(true), json!({}), "-"),
        (json!({"format": "date"}), json!("x"), "[x] is not a valid date. Expected [yyyy-MM-dd]"),
        (json!({"format": "email"}), json!("x"), "[x] is not a valid email address"),
        (json!({"format": "hostname"}), json!("-"), "[-] is not a valid hostname"),
        (json!({"format": "ipv4"}), json!("x"), "[x] is not a valid ipv4 address"),
        (json!({"format": "ipv6"}), json!("x"), "[x] is not a valid ipv6 address"),
        (json!({"format": "uri"}), json!("x"), "[x] is not a valid URI"),
        (json!({"format": "uri-reference"}), json!("\\"), "[\\] is not a valid URI reference"),
        (json!({"format": "regex"}), json!("("), "[(] is not a valid regular expression"),
        (json!({"format": "json-pointer"}), json!("x"), "[x] is not a valid JSON pointer"),
        (json!({"format": "relative-json-pointer"}), json!("x"), "[x] is not a valid relative JSON Pointer"),
    ];
    for (schema, experiment, text) in cases {
        let expected = if text == "-" { set([]) } else { set([&format!("#/experiment: {text}")]) };
        assert_eq!(check(schema.clone(), experiment), expected, "{schema}");
    }
    for (format, valid) in [("date-time", "2026-11-15T03:24:06Z"), ("time", "03:24:06Z"), ("date", "2026-11-15")] {
        assert_eq!(check(json!({"properties": {"a": {"format": format}}}), json!({"a": valid})), set([]));
        assert!(!check(json!({"format": format}), json!("x")).is_empty());
    }
}

#[test]
fn experiment_is_an_object_whatever_its_type_says() {
    let string = "#/experiment: expected type: JSONObject, found: String";
    for schema in [json!({}), json!(true), json!({"type": "string"}), json!({"type": ["object", "string"]})] {
        assert_eq!(check(schema, json!("x")), set([string]));
    }
    let array = "#/experiment: expected type: JSONObject, found: JSONArray";
    assert_eq!(check(json!({"type": "array"}), json!([])), set([array]));
    assert_eq!(check(json!({}), Value::Null), set(["#/experiment: expected type: JSONObject, found: Null"]));
    let update = json!({"analysisType": {"name": "minimalExample"}, "experiment": "x"});
    assert_eq!(messages(&any_experiment().validate_update(&update)), set([string]));
    let undescribed = PayloadValidator::compile(&json!({"type": "object"})).unwrap();
    assert_eq!(messages(&undescribed.validate_submission(&payload(json!("x")))), set([string]));
}

#[test]
fn every_member_too_many_is_named() {
    let experiment = json!({"a": {"x": 1}, "b": {}, "additionalProperties": {}});
    let extraneous = |name: &str| format!("#/experiment: extraneous key [{name}] is not permitted");
    let all = ["a", "b", "additionalProperties"].map(extraneous);
    assert_eq!(check(json!({"additionalProperties": false}), experiment.clone()), all.into());
    let anything_else = json!({"properties": {"a": {}}, "additionalProperties": false});
    assert_eq!(check(anything_else, experiment.clone()), ["b", "additionalProperties"].map(extraneous).into());
    assert_eq!(
        check(json!({"properties": {"additionalProperties": false}}), experiment),
        set(["#/experiment/additionalProperties: false schema always fails"])
    );
}

#[test]
fn alternatives_tell_what_is_wrong_with_each() {
    let string_or_positive = json!([{"type": "string"}, {"type": "integer", "minimum": 1}]);
    let expected =
        ["#/experiment: expected type: String, found: Integer", "#/experiment: 0 is not greater or equal to 1"];
    for keyword in ["anyOf", "oneOf"] {
        assert_eq!(check(json!({keyword: string_or_positive}), json!(0)), set(expected));
        assert_eq!(check(json!({"properties": {"a": {keyword: string_or_positive}}}), json!({"a": 1})), set([]));
    }
    assert_eq!(
        check(json!({"oneOf": [{}, {"type": "integer"}, {"type": "string"}]}), json!(1)),
        set(["#/experiment: 2 subschemas matched instead of one"])
    );
    assert_eq!(
        check(json!({"allOf": [{"minimum": 2}, {"maximum": 0}]}), json!(1)),
        set(["#/experiment: 1 is not greater or equal to 2", "#/experiment: 1 is not less or equal to 0"])
    );
}

#[test]
fn places_are_escaped_and_names_are_places() {
    assert_eq!(
        check(json!({"properties": {"a/b": {"properties": {"c~": {"type": "string"}}}}}), json!({"a/b": {"c~": 1}})),
        set(["#/experiment/a~1b/c~0: expected type: String, found: Integer"])
    );
    assert_eq!(
        check(json!({"propertyNames": {"anyOf": [{"maxLength": 1}, {"pattern": "^x"}]}}), json!({"y/": 1, "xy": 1})),
        set([
            "#/experiment/y~1: expected maxLength: 1, actual: 2",
            "#/experiment/y~1: string [y/] does not match pattern ^x",
        ])
    );
    assert_eq!(
        check(json!({"propertyNames": {"anyOf": [false]}}), json!({"y": 1})),
        set(["#/experiment/y: false schema always fails"])
    );
}

#[test]
fn long_values_are_cut() {
    let found = check(json!({"enum": [1]}), json!("ä".repeat(100_000)));
    assert_eq!(found, set([&format!("#/experiment: {}… is not a valid enum value", "ä".repeat(200))]));
}

#[test]
fn very_many_violations_are_counted() {
    let validator = PayloadValidator::compile(&type_with(json!({"items": {"type": "string"}}))).unwrap();
    let found = validator.validate_submission(&payload(json!(vec![1; 5000])));
    assert_eq!(found.len(), 1001);
    assert_eq!(found[1000].to_string(), "#: 4000 more violations are not listed");
}

#[test]
fn violations_are_joined_without_blanks() {
    let violation = |pointer: &str, text: &str| SchemaViolation { pointer: pointer.into(), text: text.into() };
    assert_eq!(join_violations(&[violation("#", "a b"), violation("#/c", "")]), "#: a b,#/c: ");
    assert_eq!(join_violations(&[]), "");
}
