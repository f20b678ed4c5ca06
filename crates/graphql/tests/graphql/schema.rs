//! The generated schema.

use std::sync::Arc;

use cantata_catalogue::{Catalogue, CatalogueConfig, ConfigDefaults};
use cantata_graphql::CatalogueSchema;
use cantata_mapping::IndexMapping;
use proptest::collection::hash_map;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::sample::{golden, plan, refused, request, schema, schema_of, schema_with, write_hits};

#[test]
fn sdl_is_that_of_the_golden_file() {
    golden("sample.graphql", schema().sdl());
}

#[test]
fn a_catalogue_without_fields_has_a_schema() {
    let schema = schema_of(&json!({ "documentType": "thing", "esIndex": "things" }), &json!({ "properties": {} }));
    let planned = plan(&schema, "{ thing { hits { total edges { node { id score } } } mapping } }", json!({}));
    let body = write_hits(&planned, &[("a", json!({}))]);
    assert_eq!(
        body,
        json!({ "data": { "thing": {
            "hits": { "total": 1, "edges": [{ "node": { "id": "a", "score": 1.5 } }] },
            "mapping": {}
        } } })
    );
}

#[test]
fn introspection_is_answered_and_can_be_mixed_and_repeated() {
    let schema = schema();
    let query = "{ __schema { queryType { name } } t: __type(name: \"fileNode\") { name kind } __typename \
                 file { __typename } }";
    for _ in 0..2 {
        let body = write_hits(&plan(&schema, query, json!({})), &[]);
        assert_eq!(
            body,
            json!({ "data": {
                "__schema": { "queryType": { "name": "Root" } },
                "t": { "name": "fileNode", "kind": "OBJECT" },
                "__typename": "Root",
                "file": { "__typename": "file" }
            } })
        );
    }
    let by_variable = "query($n: String!) { __type(name: $n) { name } }";
    for name in ["Root", "Sort"] {
        let body = write_hits(&plan(&schema, by_variable, json!({ "n": name })), &[]);
        assert_eq!(body, json!({ "data": { "__type": { "name": name } } }));
    }
}

#[test]
fn an_unknown_field_is_told_and_nothing_else() {
    let schema = schema();
    for (query, told) in [
        ("{ file { hits { edges { node { nope } } } } }", "Cannot query field \"nope\" on type \"fileNode\"."),
        ("{ file { aggregations { nope { buckets { key } } } } }", "Cannot query field \"nope\" on type"),
        ("{ file { hits } }", "Field \"hits\" of type \"file\" must have a selection of subfields."),
    ] {
        let (status, body) = refused(&schema, query, json!({}));
        let messages: Vec<&str> =
            body["errors"].as_array().unwrap().iter().map(|error| error["message"].as_str().unwrap()).collect();
        assert_eq!((status, messages.len()), (400, 1), "{messages:?}");
        assert!(messages[0].starts_with(told), "{messages:?}");
    }
}

#[test]
fn introspection_can_be_switched_off() {
    let schema = schema_with(json!({ "disableGraphQLIntrospection": true }));
    for query in
        ["{ __schema { queryType { name } } }", "{ ...F } fragment F on Root { __type(name: \"Root\") { name } }"]
    {
        let (status, body) = refused(&schema, query, json!({}));
        assert_eq!(status, 400);
        let message = body["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains("GraphQL introspection is not allowed"), "{message}");
        assert_eq!(body["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    }
    assert!(schema.prepare(&request("{ __typename }", Value::Null)).is_ok());
}

#[test]
fn has_valid_config_tells_whether_index_and_type_fit() {
    let schema = schema();
    let answer = |document_type: &str, index: &str| {
        let query = "query($d: String!, $i: String!) { hasValidConfig(documentType: $d, index: $i) }";
        write_hits(&plan(&schema, query, json!({ "d": document_type, "i": index })), &[])
    };
    assert_eq!(answer("file", "files"), json!({ "data": { "hasValidConfig": true } }));
    assert_eq!(answer("file", "others"), json!({ "data": { "hasValidConfig": false } }));
    for (document_type, index, message) in [
        ("donor", "files", "No index was found by the name/alias \"files\""),
        ("", "files", "This endpoint requires a \"Document Type\""),
        ("file", "", "This endpoint requires an \"Index\""),
    ] {
        let body = answer(document_type, index);
        assert_eq!(body["data"], json!({ "hasValidConfig": null }));
        assert_eq!(body["errors"][0]["message"], message);
        assert_eq!(body["errors"][0]["path"], json!(["hasValidConfig"]));
    }
}

#[test]
fn fixed_root_fields_answer() {
    let query = "{ node(id: \"1\") { id } query(query: \"x\") { total } viewer { viewer { file { __typename } } } }";
    let body = write_hits(&plan(&schema(), query, json!({})), &[]);
    assert_eq!(
        body,
        json!({ "data": { "node": null, "query": null, "viewer": { "viewer": { "file": { "__typename": "file" } } } } })
    );
}

#[test]
fn configs_and_mapping_come_from_the_catalogue() {
    let query = "{ file { mapping configs { __typename downloads { maxRows } one: extended(fieldNames: \
                 [\"donors.gender\"]) facets { aggregations { fieldName displayName __typename type } } \
                 table { rowIdFieldName columns { fieldName query } } matchbox { fieldName } charts } } }";
    let body = write_hits(&plan(&schema(), query, json!({})), &[]);
    let configs = &body["data"]["file"]["configs"];
    assert_eq!(body["data"]["file"]["mapping"]["size"], json!({ "type": "long" }));
    assert_eq!(configs["__typename"], "ConfigsWithState");
    assert_eq!(configs["downloads"], json!({ "maxRows": 0 }));
    assert_eq!(configs["one"].as_array().unwrap().len(), 1);
    assert_eq!(configs["one"][0]["displayName"], "Gender");
    assert_eq!(
        configs["facets"]["aggregations"],
        json!([{ "fieldName": "donors__gender", "displayName": "Gender", "__typename": "AggregationMapping", "type": null }])
    );
    assert_eq!(
        configs["table"]["columns"],
        json!([
            { "fieldName": "analysis_id", "query": "analysis_id" },
            { "fieldName": "donors.age", "query": "donors{hits{edges{node{age}}}}" }
        ])
    );
    assert_eq!(configs["matchbox"], json!([]));
    assert_eq!(configs["charts"], json!({ "query": "" }));
}

#[test]
fn no_document_type_has_the_name_of_a_type_that_every_schema_has() {
    let sdl = schema().sdl().to_owned();
    let defined = sdl.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        matches!(words.next()?, "type" | "enum" | "scalar" | "input" | "interface").then(|| words.next())?
    });
    let shared: Vec<&str> = defined.filter(|name| !name.starts_with("file")).collect();
    assert!(shared.contains(&"Mode") && shared.len() > 25, "{shared:?}");
    for name in shared {
        let config = CatalogueConfig::from_value(
            "things",
            &json!({ "documentType": name, "esIndex": "things" }),
            &ConfigDefaults::default(),
        );
        let mapping = IndexMapping::parse(&json!({ "properties": {} })).unwrap();
        assert!(Catalogue::build(&config.unwrap(), &mapping).is_err(), "{name}");
    }
}

#[test]
fn fields_of_one_name_are_shown_by_two() {
    let keyword = || json!({ "type": "keyword" });
    let mapping = json!({ "properties": { "tumour-grade": keyword(), "tumour_grade": keyword() } });
    let schema = schema_of(&json!({ "documentType": "file", "esIndex": "files" }), &mapping);
    let query = "{ file { hits { edges { node { tumour_grade tumour_grade_2 } } } } }";
    let body = write_hits(
        &plan(&schema, query, json!({})),
        &[("a", json!({ "tumour-grade": "changed", "tumour_grade": "as it is" }))],
    );
    assert_eq!(
        body["data"]["file"]["hits"]["edges"][0]["node"],
        json!({ "tumour_grade": "as it is", "tumour_grade_2": "changed" })
    );
}

/// A property name; few letters and many signs, so that names collide often.
fn property() -> impl Strategy<Value = String> {
    prop_oneof!["[ab][-_ ]{1,2}[ab](_[23])?", "[-_1é]{1,3}", Just("id".to_owned()), Just("score".to_owned())]
}

fn properties() -> impl Strategy<Value = Value> {
    let leaf = select(vec!["keyword", "long", "date", "flattened", "text"]).prop_map(|name| json!({ "type": name }));
    let definition = leaf.prop_recursive(2, 24, 5, |inner| {
        (hash_map(property(), inner, 1..5), select(vec!["object", "nested"]))
            .prop_map(|(properties, kind)| json!({ "type": kind, "properties": properties }))
    });
    hash_map(property(), definition, 0..8).prop_map(|properties| json!({ "properties": properties }))
}

proptest! {
    #[test]
    fn any_names_of_fields_give_a_valid_schema(mapping in properties()) {
        let mapping = IndexMapping::parse(&mapping).unwrap();
        let config = json!({ "documentType": "file", "esIndex": "files" });
        let config = CatalogueConfig::from_value("files", &config, &ConfigDefaults::default()).unwrap();
        let catalogue = Catalogue::build(&config, &mapping).unwrap();
        let schema = CatalogueSchema::build(Arc::new(catalogue));
        prop_assert!(schema.is_ok(), "{:?}", schema);
    }
}
