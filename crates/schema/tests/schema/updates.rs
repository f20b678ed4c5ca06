//! The body that replaces the data of an analysis.

use cantata_core::SERVER_OWNED_FIELDS;
use cantata_schema::PayloadValidator;
use serde_json::{Value, json};

use crate::samples::{any_experiment, messages, type_with_definitions};

fn body() -> Value {
    json!({"analysisType": {"name": "minimalExample"}, "experiment": {}, "anything": "else"})
}

#[test]
fn an_update_has_a_type_and_what_the_type_requires() {
    assert_eq!(any_experiment().validate_update(&body()), []);
    let expected = ["#: required key [analysisType] not found", "#: required key [experiment] not found"];
    assert_eq!(messages(&any_experiment().validate_update(&json!({}))), expected.map(str::to_owned).into());
}

#[test]
fn an_update_has_nothing_that_it_cannot_change() {
    for name in ["studyId", "files"].into_iter().chain(SERVER_OWNED_FIELDS) {
        let mut body = body();
        body[name] = json!([]);
        let expected = format!("#/{name}: subject must not be valid against schema {{}}");
        assert_eq!(messages(&any_experiment().validate_update(&body)), [expected].into());
    }
}

#[test]
fn samples_are_a_member_like_any_other() {
    let mut any = body();
    any["samples"] = json!([{"sampleId": "SA1"}]);
    assert_eq!(any_experiment().validate_update(&any), []);
    let mut schema = type_with_definitions(json!({}), json!({"sample": {"type": "string"}}));
    schema["properties"]["samples"] = json!({"items": {"$ref": "#/definitions/sample"}});
    let validator = PayloadValidator::compile(&schema).unwrap();
    let mut body = body();
    body["samples"] = json!(["a"]);
    assert_eq!(validator.validate_update(&body), []);
    body["samples"] = json!([1]);
    let expected = "#/samples/0: expected type: String, found: Integer".to_owned();
    assert_eq!(messages(&validator.validate_update(&body)), [expected].into());
}

#[test]
fn a_type_that_requires_what_every_submission_has_can_be_updated() {
    let mut schema = type_with_definitions(json!({}), json!({}));
    schema["required"] = json!(["experiment", "files", "studyId"]);
    assert_eq!(PayloadValidator::compile(&schema).unwrap().validate_update(&body()), []);
}
