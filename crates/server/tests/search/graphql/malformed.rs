//! Filters that cannot be read: never all records, never a failure of the server, always the place.

use serde_json::{Value, json};

use crate::support::{leaf, refused, server};

#[tokio::test]
async fn a_malformed_filter_is_refused_by_place() {
    let server = server().await;
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    for (filter, place) in [
        (
            json!({"op": "and", "content": [leaf("in", "tags", json!("x")), {"op": "in", "content": {"value": ["x"]}}]}),
            "/content/1",
        ),
        (json!({"op": "nope", "content": []}), "nope"),
        (json!({"op": "IN", "content": {"fieldName": "tags", "value": "x"}}), "IN"),
        (json!({"op": 5, "content": []}), "op"),
        (json!({"op": "and"}), "content"),
        (json!({"op": "and", "content": {}}), "content"),
        (json!({"op": "and", "content": [5]}), "/content/0"),
        (json!({"op": "in", "content": []}), "content"),
        (json!({"op": "in", "content": {"fieldName": "tags"}}), "value"),
        (json!({"op": "in", "content": {"fieldName": 5, "value": "x"}}), "fieldName"),
        (json!({"op": "in", "content": {"fieldName": "", "value": "x"}}), "fieldName"),
        (json!({"op": "in", "content": {"fieldName": "tags", "value": {"a": 1}}}), "value"),
        (json!({"op": "in", "content": {"fieldName": "tags", "value": [["x"]]}}), "value"),
        (leaf("in", "unknown", json!("x")), "unknown"),
        (json!({"op": "wildcard", "content": {"fieldNames": ["tags", "unknown"], "value": "x*"}}), "unknown"),
        (leaf("all", "tags", json!([])), "value"),
        (leaf("between", "size", json!([1])), "value"),
        (leaf("between", "size", json!(1)), "value"),
        (leaf("gt", "size", json!("many")), "value"),
        (leaf("gt", "name", json!("x")), "name"),
        (leaf("gt", "created", json!("yesterday")), "value"),
        (json!({"op": "wildcard", "content": {"fieldName": "tags", "value": "x*"}}), "fieldNames"),
        (json!({"op": "wildcard", "content": {"fieldNames": [], "value": "x*"}}), "fieldNames"),
        (json!({"op": "wildcard", "content": {"fieldNames": ["tags"], "value": 5}}), "value"),
        (json!({"op": "fuzzy", "content": {"fieldNames": ["tags"], "value": "x", "fuzziness": 9}}), "fuzziness"),
        (json!({"op": "and", "pivot": "tags", "content": [leaf("in", "tags", json!("x"))]}), "pivot"),
        (json!({"op": "and", "pivot": "nothing", "content": [leaf("in", "tags", json!("x"))]}), "pivot"),
        (json!({"content": [leaf("in", "tags", json!("x"))]}), "op"),
    ] {
        let answer = server.graphql("/graphql", query, &json!({"f": filter})).await;
        let message = refused(&answer, 200, "BAD_USER_INPUT");
        assert!(message.contains(place), "{filter}: {message}");
        let body = answer.json();
        assert_eq!(body["data"], json!({"file": {"hits": null}}), "{filter}");
        assert_eq!(body["errors"][0]["path"], json!(["file", "hits"]));
        assert!(body["errors"][0]["locations"][0]["line"].is_u64());
    }
}

#[tokio::test]
async fn what_is_no_filter_at_all_is_refused_or_none() {
    let server = server().await;
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    for filter in [json!("x"), json!(5), json!(true), json!([1]), json!([]), json!({"a": 1}), json!({"content": []})] {
        let body = server.graphql("/graphql", query, &json!({"f": filter})).await.ok();
        let total = &body["data"]["file"]["hits"]["total"];
        let is_refused = body["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT";
        assert!(is_refused || *total == 5, "{filter}: {body}");
    }
}

#[tokio::test]
async fn the_rest_of_the_request_is_answered() {
    let server = server().await;
    let query = "query($f: JSON) { file { bad: hits(filters: $f) { total } hits { total } aggregations(filters: $f) { tags { \
        bucket_count } } mapping } }";
    let body = server.graphql("/graphql", query, &json!({"f": {"op": "nope"}})).await.ok();
    let file = &body["data"]["file"];
    assert_eq!((&file["bad"], &file["aggregations"], &file["hits"]["total"]), (&Value::Null, &Value::Null, &json!(5)));
    assert!(file["mapping"]["analysis"].is_object());
    assert_eq!(body["errors"].as_array().unwrap().len(), 2);
}
