//! Schemas that try to make the server hang, overflow its stack, or look elsewhere.

use cantata_core::ErrorId;
use cantata_schema::{PayloadValidator, SchemaViolation, check_registration};
use serde_json::{Map, Value, json};

use crate::samples::{payload, type_with, type_with_definitions};

fn nested(depth: usize, innermost: Value) -> Value {
    (0..depth).fold(innermost, |value, _| json!({"a": value}))
}

fn refer(name: impl std::fmt::Display) -> Value {
    json!({"$ref": format!("#/definitions/{name}")})
}

#[track_caller]
fn compile(schema: &Value) -> PayloadValidator {
    // What is registered as experiment must be an object, but any value can be beside it.
    let mut registered = schema.clone();
    registered["properties"]["other"] = registered["properties"]["experiment"].take();
    registered["properties"]["experiment"] = json!({"type": "object"});
    check_registration(&registered).unwrap();
    PayloadValidator::compile(schema).unwrap()
}

fn unfolds_too_far(violations: &[SchemaViolation]) -> bool {
    violations.len() == 1 && violations[0].text.starts_with("the references of the schema unfold too far")
}

#[test]
fn a_validator_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync + 'static>() {}
    shareable::<PayloadValidator>();
}

#[test]
fn recursion_into_the_value_is_fine() {
    let tree = json!({"tree": {"type": "object", "additionalProperties": refer("tree")}});
    let validator = compile(&type_with_definitions(refer("tree"), tree));
    for depth in [0, 1, 120] {
        assert_eq!(validator.validate_submission(&payload(nested(depth, json!({})))), []);
        let found = validator.validate_submission(&payload(nested(depth, json!(1))));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].text, "expected type: JSONObject, found: Integer");
    }
    let many: Map<_, _> = (0..20_000).map(|index| (index.to_string(), nested(5, json!({})))).collect();
    assert_eq!(validator.validate_submission(&payload(Value::Object(many))), []);
}

#[test]
fn recursion_on_the_same_value_is_refused() {
    for schema in [
        type_with(json!({"$ref": "#/properties/experiment"})),
        type_with_definitions(refer("a"), json!({"a": refer("b"), "b": {"anyOf": [{"not": refer("a")}]}})),
        type_with_definitions(json!({}), json!({"unused": {"if": refer("unused")}})),
        type_with(json!({"$id": "#self", "dependencies": {"a": {"$ref": "#self"}}})),
    ] {
        let error = check_registration(&schema).unwrap_err();
        assert_eq!(error.id, ErrorId::MalformedJsonSchema);
        assert!(error.text.contains("refers to itself without looking deeper"), "{error}");
    }
}

#[test]
fn alternatives_that_double_at_every_level_are_stopped() {
    let again = json!({"required": ["a"], "properties": {"a": refer("t")}});
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let validator = compile(&type_with_definitions(refer("t"), json!({"t": {keyword: [again, again]}})));
        assert!(!unfolds_too_far(&validator.validate_submission(&payload(nested(5, json!({}))))));
        assert!(unfolds_too_far(&validator.validate_submission(&payload(nested(120, json!({}))))), "{keyword}");
        let update = json!({"analysisType": {"name": "t"}, "experiment": nested(120, json!({}))});
        assert!(unfolds_too_far(&validator.validate_update(&update)), "{keyword}");
    }
}

#[test]
fn definitions_that_double_each_other_are_stopped() {
    let mut definitions = Map::new();
    for index in 0..28 {
        definitions.insert(
            format!("d{index}"),
            json!({"allOf": [refer(format!("d{}", index + 1)), refer(format!("d{}", index + 1))]}),
        );
    }
    definitions.insert("d28".to_owned(), json!({"type": "string"}));
    let validator = compile(&type_with_definitions(refer("d0"), Value::Object(definitions)));
    assert!(unfolds_too_far(&validator.validate_submission(&payload(json!("x")))));
}

#[test]
fn long_chains_of_references_are_refused() {
    let mut definitions: Map<_, _> =
        (0..20_000).map(|index| (format!("d{index}"), refer(format!("d{}", index + 1)))).collect();
    definitions.insert("d20000".to_owned(), json!({}));
    let error = check_registration(&type_with_definitions(refer("d0"), Value::Object(definitions))).unwrap_err();
    assert_eq!(error.id, ErrorId::MalformedJsonSchema);
    assert!(error.text.contains("more than 64 schemas look at one value"), "{error}");
}

#[test]
fn long_chains_at_every_level_of_the_value_do_not_exhaust_the_stack() {
    let mut definitions = Map::new();
    for index in 0..30 {
        definitions
            .insert(format!("c{index}"), json!({"anyOf": [refer(format!("c{}", index + 1)), {"type": "array"}]}));
    }
    definitions.insert("c30".to_owned(), json!({"type": "object", "properties": {"a": refer("c0")}}));
    let validator = compile(&type_with_definitions(refer("c0"), Value::Object(definitions)));
    for depth in [1, 10, 12, 13, 20, 120] {
        validator.validate_submission(&payload(nested(depth, json!({}))));
        assert!(!validator.validate_submission(&payload(nested(depth, json!(1)))).is_empty());
    }
}

#[test]
fn chains_that_descend_do_not_exhaust_the_stack() {
    let mut definitions: Map<_, _> =
        (0..5_000).map(|index| (format!("d{index}"), json!({"items": refer(format!("d{}", index + 1))}))).collect();
    definitions.insert("d5000".to_owned(), json!({}));
    let experiment = json!({"properties": {"a": refer("d0")}});
    let validator = compile(&type_with_definitions(experiment, Value::Object(definitions)));
    let deep = (0..119).fold(json!(1), |value, _| json!([value]));
    assert_eq!(validator.validate_submission(&payload(json!({"a": deep}))), []);
}

#[test]
fn deep_schemas_work() {
    let schema = (0..50).fold(json!({"type": "string"}), |schema, _| json!({"properties": {"a": schema}}));
    let validator = compile(&type_with(schema));
    assert_eq!(validator.validate_submission(&payload(nested(50, json!("x")))), []);
    assert_eq!(validator.validate_submission(&payload(nested(50, json!(1)))).len(), 1);
    let combined = (0..50).fold(json!({"type": "string"}), |schema, _| json!({"anyOf": [schema]}));
    let validator = compile(&type_with(combined));
    assert_eq!(validator.validate_submission(&payload(json!(1))).len(), 1);
}

#[test]
fn wide_schemas_work() {
    let properties: Map<_, _> = (0..20_000).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
    let validator = compile(&type_with(json!({"properties": properties})));
    assert_eq!(validator.validate_submission(&payload(json!({"p19999": "x"}))), []);
    assert_eq!(validator.validate_submission(&payload(json!({"p19999": 1}))).len(), 1);
}

#[test]
fn patterns_that_never_end_count_as_violations() {
    let validator = compile(&type_with(json!({"items": {"pattern": r"^(?=(a+)+$)(a|a)*\1b$"}})));
    let texts: Vec<_> = (0..50).map(|index| "a".repeat(40 + index)).collect();
    let found = validator.validate_submission(&payload(json!(texts)));
    assert!(found[0].text.contains("takes too long to be compared with a pattern"), "{found:?}");
}

#[test]
fn patterns_that_are_too_large_are_malformed() {
    let error = check_registration(&type_with(json!({"pattern": r"(\w{1000}){1000}"}))).unwrap_err();
    assert_eq!(error.id, ErrorId::MalformedJsonSchema);
    assert!(error.text.starts_with("#/properties/experiment/pattern: "), "{error}");
}

#[test]
fn boolean_schemas_work_within_a_schema() {
    let validator = compile(&type_with(json!({"properties": {"yes": true, "no": false}})));
    assert_eq!(validator.validate_submission(&payload(json!({"yes": 1}))), []);
    let found = validator.validate_submission(&payload(json!({"no": 1})));
    assert_eq!(found[0].to_string(), "#/experiment/no: false schema always fails");
    assert_eq!(PayloadValidator::compile(&json!(true)).unwrap_err().id, ErrorId::MalformedJsonSchema);
}

#[test]
fn values_of_any_type_are_judged() {
    let validator = compile(&type_with(json!({})));
    for value in [json!(null), json!([]), json!("x"), json!(1e300), json!({})] {
        assert!(!validator.validate_submission(&value).is_empty());
        assert!(!validator.validate_update(&value).is_empty());
    }
}
