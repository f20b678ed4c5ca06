//! Random schemas and values: nothing panics, and the verdict is that of the validation library.

use cantata_schema::{PayloadValidator, check_registration, render_schema};
use jsonschema::Draft;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::samples::{payload, type_with_definitions};

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("a".to_owned()), Just("b".to_owned()), Just("c/~".to_owned()), Just("$ref".to_owned())]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-3_i64..4).prop_map(Value::from),
        (-3_i64..4).prop_map(|half| json!(half as f64 / 2.0)),
        prop_oneof!["[ab]{0,3}", Just("2026-11-15".to_owned()), Just("😀".to_owned())].prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn leaf_keyword() -> impl Strategy<Value = (String, Value)> {
    let type_name = prop::sample::select(vec!["array", "boolean", "integer", "null", "number", "object", "string"]);
    let pattern = prop::sample::select(vec!["^a", "b$", "(?=a)a", "^(a|b)+$"]);
    let format = prop::sample::select(vec!["date", "email", "ipv4", "uri", "regex", "unknown"]);
    let number = prop::sample::select(vec![
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
    ]);
    let keyword = |name: &str| Just(name.to_owned());
    prop_oneof![
        40 => (keyword("type"), type_name.clone().prop_map(Value::from)),
        20 => (keyword("type"), prop::collection::btree_set(type_name, 1..4).prop_map(|names| json!(names))),
        40 => (number.prop_map(str::to_owned), (1_i64..4).prop_map(Value::from)),
        10 => (keyword("enum"), prop::collection::vec(value(), 1..3).prop_map(Value::from)),
        10 => (keyword("const"), value()),
        10 => (keyword("pattern"), pattern.prop_map(Value::from)),
        10 => (keyword("format"), format.prop_map(Value::from)),
        10 => (keyword("required"), prop::collection::btree_set(name(), 0..3).prop_map(|names| json!(names))),
        10 => (keyword("uniqueItems"), any::<bool>().prop_map(Value::from)),
        1 => (keyword("$id"), prop::sample::select(vec!["#here", "#/a", "http://x/y"]).prop_map(Value::from)),
        1 => (prop::sample::select(vec!["minimum", "items", "type", "properties", "$ref"]).prop_map(str::to_owned), value()),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let references = prop_oneof![
        20 => prop::sample::select(vec!["#/definitions/one", "#/definitions/two"]),
        1 => prop::sample::select(vec!["#/properties/experiment", "#here", "#/definitions/x"]),
    ];
    let leaf = prop_oneof![
        6 => prop::collection::vec(leaf_keyword(), 0..3).prop_map(|keywords| Value::Object(keywords.into_iter().collect())),
        1 => any::<bool>().prop_map(Value::from),
        2 => references.prop_map(|reference| json!({"$ref": reference})),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let single = prop::sample::select(vec![
            "not",
            "if",
            "then",
            "else",
            "contains",
            "items",
            "additionalItems",
            "additionalProperties",
            "propertyNames",
        ]);
        let list = prop::sample::select(vec!["allOf", "anyOf", "oneOf", "items"]);
        let named = prop::sample::select(vec!["properties", "patternProperties", "dependencies"]);
        let keyword = prop_oneof![
            leaf_keyword(),
            (single.prop_map(str::to_owned), inner.clone()),
            (list.prop_map(str::to_owned), prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from)),
            (
                named.prop_map(str::to_owned),
                prop::collection::btree_map(name(), inner, 1..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect()))
            ),
        ];
        prop::collection::vec(keyword, 1..4)
            .prop_map(|keywords| Value::Object(keywords.into_iter().collect::<Map<_, _>>()))
    })
}

fn has_address(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            members.get("$id").is_some_and(|id| id != "#here") || members.values().any(has_address)
        }
        Value::Array(items) => items.iter().any(has_address),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_verdict_is_the_librarys(
        experiment in schema(),
        definitions in (schema(), schema()),
        values in prop::collection::vec(value(), 1..5),
    ) {
        let dynamic = type_with_definitions(experiment, json!({"one": definitions.0, "two": definitions.1}));
        let registered = check_registration(&dynamic);
        match PayloadValidator::compile(&dynamic) {
            Err(error) => {
                prop_assert!(registered.is_err());
                prop_assert!(error.text.starts_with('#'), "{}", error);
            }
            Ok(validator) => {
                // Addresses within a schema mean something to the library, but not here.
                let library = jsonschema::options()
                    .with_draft(Draft::Draft7)
                    .should_validate_formats(true)
                    .offline()
                    .build(&render_schema(&dynamic));
                for value in values {
                    let payload = payload(value);
                    let found = validator.validate_submission(&payload);
                    prop_assert!(found.iter().all(|violation| violation.pointer.starts_with('#')));
                    if !has_address(&dynamic) {
                        let valid = library.as_ref().unwrap().is_valid(&payload) && payload["experiment"].is_object();
                        prop_assert_eq!(found.is_empty(), valid, "{}", payload);
                    }
                    validator.validate_update(&payload);
                }
            }
        }
    }

    #[test]
    fn arbitrary_json_never_panics(schema in value(), experiment in value()) {
        let _ = check_registration(&schema);
        let _ = check_registration(&type_with_definitions(experiment.clone(), schema.clone()));
        if let Ok(validator) = PayloadValidator::compile(&schema) {
            validator.validate_submission(&experiment);
            validator.validate_update(&experiment);
        }
        render_schema(&schema);
    }
}
