//! What is refused, with which status, code and text.

use std::cell::Cell;

use cantata_engine::{Cursor, Hit, HitsResult, SearchResponse};
use cantata_graphql::PlanResults;
use serde_json::{Value, json};

use crate::sample::{plan, refused, schema, schema_with, write_hits};

/// Holds that a request is refused with one error.
fn check(query: &str, variables: Value, code: &str, part_of_message: &str) {
    let (status, body) = refused(&schema(), query, variables);
    let error = &body["errors"][0];
    let message = error["message"].as_str().unwrap();
    assert_eq!((status, error["extensions"]["code"].as_str().unwrap()), (400, code), "{query}: {message}");
    assert!(message.contains(part_of_message), "{query}: {message}");
    assert!(body.get("data").is_none());
}

#[test]
fn faulty_requests_are_refused_with_their_code() {
    check("{ file { ", json!({}), "GRAPHQL_PARSE_FAILED", "");
    check("", json!({}), "GRAPHQL_PARSE_FAILED", "");
    check("# nothing", json!({}), "GRAPHQL_PARSE_FAILED", "");
    check("{ nothing }", json!({}), "GRAPHQL_VALIDATION_FAILED", "Cannot query field \"nothing\" on type \"Root\"");
    check("{ file { hits(most: 3) { total } } }", json!({}), "GRAPHQL_VALIDATION_FAILED", "most");
    check("{ file }", json!({}), "GRAPHQL_VALIDATION_FAILED", "");
    check("{ file { hits(first: \"a\") { total } } }", json!({}), "GRAPHQL_VALIDATION_FAILED", "");
    check("type A { b: Int }", json!({}), "GRAPHQL_VALIDATION_FAILED", "");
    check("subscription { file { mapping } }", json!({}), "GRAPHQL_VALIDATION_FAILED", "");
    let typed = "query($n: Int!) { file { hits(first: $n) { total } } }";
    check(typed, json!({}), "BAD_USER_INPUT", "n");
    check(typed, json!({ "n": "many" }), "BAD_USER_INPUT", "n");
    check(typed, json!({ "n": null }), "BAD_USER_INPUT", "n");
    check("query A { __typename } query B { __typename }", json!({}), "OPERATION_RESOLUTION_FAILURE", "operationName");
}

#[test]
fn errors_tell_where_they_are() {
    let (_, body) = refused(&schema(), "{\n  nothing\n}", json!({}));
    assert_eq!(body["errors"][0]["locations"], json!([{ "line": 2, "column": 3 }]));
}

#[test]
fn aliases_are_counted_through_fragments() {
    let schema = schema_with(json!({ "maxAliases": 2 }));
    let expected = |found: usize| {
        json!({ "errors": [{
            "message": format!("Query alias limit exceeded: found {found} aliases, maximum allowed is 2."),
            "extensions": { "code": "GRAPHQL_VALIDATION_FAILED" }
        }] })
    };
    plan(&schema, "{ a: file { mapping } b: file { mapping } }", json!({}));
    let (_, body) = refused(&schema, "{ a: file { mapping } b: file { mapping } c: file { mapping } }", json!({}));
    assert_eq!(body, expected(3));
    let spread = "{ file { ...F } viewer { file { ...F } } } fragment F on file { a: mapping b: mapping }";
    let (_, body) = refused(&schema, spread, json!({}));
    assert_eq!(body, expected(4));
}

#[test]
fn depth_is_counted_through_fragments_and_introspection_is_exempt() {
    let schema = schema_with(json!({ "maxDepth": 7 }));
    let deep = "{ file { hits { edges { node { donors { hits { edges { node { age } } } } } } } } }";
    let (status, body) = refused(&schema, deep, json!({}));
    assert_eq!(status, 400);
    let error = &body["errors"][0];
    assert_eq!(error["message"], "Query depth limit exceeded: current depth 8 exceeds maximum of 7.");
    assert_eq!(error["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(body["errors"].as_array().unwrap().len(), 1);
    let two = "{ file { hits { edges { node { donors { hits { total edges { node { age } searchAfter } } } } } } } }";
    assert_eq!(refused(&schema, two, json!({})).1["errors"].as_array().unwrap().len(), 2);
    let hidden = "{ file { hits { edges { node { donors { ...F } } } } } } \
                  fragment F on fileDonors { hits { edges { node { age } } } }";
    let (_, body) = refused(&schema, hidden, json!({}));
    assert_eq!(body["errors"][0]["message"], "Query depth limit exceeded: current depth 8 exceeds maximum of 7.");
    plan(&schema, "{ file { hits { edges { node { donors { hits { total } } } } } } }", json!({}));
    let introspection =
        "{ __schema { types { fields { type { ofType { ofType { ofType { ofType { name } } } } } } } } }";
    plan(&schema, introspection, json!({}));
}

#[test]
fn filters_can_be_switched_off() {
    let schema = schema_with(json!({ "disableFilters": true }));
    let query = "query($anything: JSON) { file { hits(filters: $anything) { total } } }";
    let filter = json!({ "op": "in", "content": { "fieldName": "tags", "value": "a" } });
    let (status, body) = refused(&schema, query, json!({ "anything": filter }));
    assert_eq!((status, body), (400, json!({ "error": "Filters are disabled for this server." })));
    plan(&schema, query, json!({ "anything": null }));
    plan(&schema, query, json!({}));
}

#[test]
fn what_is_selected_of_nested_elements_is_part_of_the_cost() {
    // The fields cost 7; each donor costs 2: a test or a sort key, and the value that it reads.
    let schema = schema_with(json!({ "maxCost": 100 }));
    let donors = |count: usize| {
        let donors = vec![json!({ "gender": "Other", "specimens": [{ "type": "a" }] }); count];
        json!({ "donors": donors })
    };
    for arguments in [
        "filters: {op: \"in\", content: {fieldName: \"donors.gender\", value: [\"Other\"]}}",
        "sort: [{fieldName: \"donors.gender\"}]",
    ] {
        let query = format!(
            "{{ file {{ hits(first: 1) {{ edges {{ node {{ donors {{ hits({arguments}) {{ total }} }} }} }} }} }} }}"
        );
        let planned = plan(&schema, &query, json!({}));
        assert!(planned.selects_elements());
        let body = write_hits(&planned, &[("R1", donors(46))]);
        assert_eq!(body["data"]["file"]["hits"]["edges"][0]["node"]["donors"]["hits"]["total"], 46, "{body}");
        let body = write_hits(&planned, &[("R1", donors(23)), ("R2", donors(24))]);
        let error = &body["errors"][0];
        assert_eq!((&body["data"], body["errors"].as_array().unwrap().len()), (&Value::Null, 1), "{body}");
        assert_eq!(error["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
        assert!(error["message"].as_str().unwrap().starts_with("Query cost limit exceeded"), "{error}");
    }
    let plain = "{ file { hits(first: 1) { edges { node { donors { hits(first: 3) { total } } } } } } }";
    let planned = plan(&schema, plain, json!({}));
    assert!(!planned.selects_elements());
    assert_eq!(write_hits(&planned, &[("R1", donors(1000))])["errors"], Value::Null);
}

#[test]
fn a_response_that_nobody_waits_for_is_not_written_to_its_end() {
    let query =
        "{ file { hits { edges { node { donors { hits(sort: [{fieldName: \"donors.age\"}]) { total } } } } } } }";
    let planned = plan(&schema(), query, json!({}));
    let hit = || Hit {
        cursor: Cursor { values: Vec::new(), id: "R1".to_owned() },
        document: Some(json!({ "donors": [{ "age": 1 }] }).into()),
        score: None,
    };
    let page = HitsResult { total: None, hits: vec![hit(), hit(), hit()] };
    let answer = SearchResponse { hits: vec![page], facets: Vec::new() };
    let results = PlanResults { records: Some(Ok(answer)), ..PlanResults::default() };
    let asked = Cell::new(0);
    planned.write_unless(&results, &|| asked.replace(asked.get() + 1) == 1);
    assert_eq!(asked.get(), 2, "the third record is not looked at");
}
