//! The description of the language that clients get.

use cantata_sqon::json_schema;
use cantata_sqon::operators::OPERATORS;
use serde_json::{Value, json};

#[test]
fn body() {
    let body = json_schema();
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["$schema", "title", "description", "version", "aliases", "operators", "$ref", "$defs", "schema"]);
    assert_eq!(body["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(body["title"], "Serialized Query Object Notation");
    assert_eq!(body["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        body["aliases"],
        json!({
            "filter": "wildcard", ">": "gt", ">=": "gte", "=": "in", "==": "in", "===": "in", "<": "lt", "<=": "lte",
            "!=": "not-in", "!==": "not-in",
        })
    );
}

#[test]
fn operators() {
    let body = json_schema();
    assert_eq!(body["operators"]["combination"], json!(["and", "or", "not"]));
    let field = body["operators"]["field"].as_array().unwrap();
    let column = |key: &str| field.iter().map(|entry| entry[key].clone()).collect::<Vec<Value>>();
    let any = json!("string | number | boolean | Array<string | number | boolean>");
    let expected = [
        ("in", "fieldName", any.clone()),
        ("not-in", "fieldName", any.clone()),
        ("some-not-in", "fieldName", any),
        ("all", "fieldName", json!("Array<string | number | boolean>")),
        ("gt", "fieldName", json!("number | date | string")),
        ("gte", "fieldName", json!("number | date | string")),
        ("lt", "fieldName", json!("number | date | string")),
        ("lte", "fieldName", json!("number | date | string")),
        ("between", "fieldName", json!("Array<number | date | string>")),
        ("wildcard", "fieldNames", json!("string")),
        ("fuzzy", "fieldNames", json!("string")),
    ];
    assert_eq!(column("op"), expected.clone().map(|(op, _, _)| op));
    assert_eq!(column("fieldRef"), expected.clone().map(|(_, field_ref, _)| field_ref));
    assert_eq!(column("valueType"), expected.map(|(_, _, value_type)| value_type));
    for (entry, operator) in field.iter().zip(OPERATORS) {
        assert_eq!(entry["description"], operator.description);
        match operator.name {
            "in" | "not-in" | "some-not-in" | "all" => assert_eq!(entry["applicableTo"], "all"),
            "wildcard" | "fuzzy" => assert!(entry["applicableTo"].as_array().unwrap().contains(&json!("keyword"))),
            _ => {
                for type_name in ["long", "integer", "float", "double", "date", "byte", "unsigned_long"] {
                    assert!(entry["applicableTo"].as_array().unwrap().contains(&json!(type_name)), "{type_name}");
                }
            }
        }
    }
}

#[test]
fn definitions() {
    let schema = &json_schema()["schema"];
    assert_eq!(schema["$ref"], "#/$defs/SQON");
    let names: Vec<&String> = schema["$defs"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        ["SQON", "Group", "Leaf", "InLike", "All", "RangeLike", "Between", "Wildcard", "Fuzzy", "Scalar"]
    );
    let op = |name: &str| schema["$defs"][name]["properties"]["op"].clone();
    assert_eq!(op("Group"), json!({ "enum": ["and", "or", "not"] }));
    assert_eq!(op("InLike"), json!({ "enum": ["in", "not-in", "some-not-in", "=", "==", "===", "!=", "!=="] }));
    assert_eq!(op("RangeLike"), json!({ "enum": ["gt", "gte", "lt", "lte", ">", ">=", "<", "<="] }));
    assert_eq!(op("All"), json!({ "const": "all" }));
    assert_eq!(op("Wildcard"), json!({ "enum": ["wildcard", "filter"] }));
}

#[test]
fn the_body_and_its_member_are_schemas_of_their_draft() {
    let body = json_schema();
    let filter = json!({ "op": "and", "content": [{ "op": "in", "content": { "fieldName": "a", "value": ["x"] } }] });
    for schema in [&body, &body["schema"]] {
        assert!(jsonschema::draft202012::meta::is_valid(schema));
        let validator = jsonschema::draft202012::options().build(schema).unwrap();
        assert!(validator.is_valid(&filter));
        for no_filter in [json!(5), json!({}), json!({ "op": "nope", "content": [] }), json!({ "op": "in" })] {
            assert!(!validator.is_valid(&no_filter), "{no_filter}");
        }
    }
    assert_eq!(body["$defs"], body["schema"]["$defs"]);
}
