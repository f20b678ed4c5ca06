//! How many aliases and how much depth a request may have, fragments included.

use cantata_catalogue::{ConfigDefaults, RequestLimits};
use cantata_testkit::TestServer;
use serde_json::{Value, json};

use crate::support::{data, flat, leaf, refused, server_with};

const FAILED: &str = "GRAPHQL_VALIDATION_FAILED";

fn aliased(count: usize) -> String {
    let fields: String = (0..count).map(|place| format!("a{place}: hits {{ total }} ")).collect();
    format!("{{ file {{ {fields} }} }}")
}

#[tokio::test]
async fn aliases_are_counted_wherever_they_are() {
    let server = server_with(json!({"maxAliases": 2})).await;
    server.graphql("/graphql", &aliased(2), &json!({})).await.assert_status(200);
    let answer = server.graphql("/graphql", &aliased(3), &json!({})).await;
    let message = refused(&answer, 400, FAILED);
    assert_eq!(message, "Query alias limit exceeded: found 3 aliases, maximum allowed is 2.");
    assert_eq!(answer.json()["errors"][0].get("locations"), None);
    let spread = "{ file { ...A } b: file { ...A } } fragment A on file { a: hits { total } }";
    let message = refused(&server.graphql("/graphql", spread, &json!({})).await, 400, FAILED);
    assert!(message.contains("found 3 aliases"), "{message}");
}

#[tokio::test]
async fn depth_is_counted_through_fragments() {
    let server = server_with(json!({"maxDepth": 5})).await;
    let allowed = "{ file { hits { edges { node { id } } } } }";
    server.graphql("/graphql", allowed, &json!({})).await.assert_status(200);
    let deep = "{ file { hits { edges { node { file { format } donors { hits { total } } } } } } }";
    let answer = server.graphql("/graphql", deep, &json!({})).await;
    let body = answer.json();
    refused(&answer, 400, FAILED);
    let messages: Vec<&str> =
        body["errors"].as_array().unwrap().iter().map(|error| error["message"].as_str().unwrap()).collect();
    assert_eq!(messages, ["Query depth limit exceeded: current depth 6 exceeds maximum of 5."; 2]);
    for hidden in [
        "{ file { ...A } } fragment A on file { hits { edges { ...B } } } fragment B on fileEdge { node { file { format } } }",
        "{ file { ... on file { hits { edges { ... { node { file { format } } } } } } } }",
    ] {
        let message = refused(&server.graphql("/graphql", hidden, &json!({})).await, 400, FAILED);
        assert!(message.contains("current depth 6"), "{message}");
    }
}

#[tokio::test]
async fn the_introspection_query_of_tools_is_no_depth() {
    let server = server_with(json!({"maxDepth": 3})).await;
    let query = "{ __schema { types { fields { type { ofType { ofType { ofType { name } } } } } } } }";
    server.graphql("/graphql", query, &json!({})).await.assert_status(200);
}

#[tokio::test]
async fn files_win_over_the_environment() {
    let limits = RequestLimits { max_aliases: 1, max_depth: 3, max_results_window: 2, ..RequestLimits::default() };
    let defaults = ConfigDefaults { limits, ..ConfigDefaults::default() };
    let server = TestServer::with_catalogues(flat(json!({"maxDepth": 9})).defaults(defaults)).await;
    let shown = server.get("/introspection/fields").await.ok()["limits"].clone();
    assert_eq!(
        shown,
        json!({"maxAliases": 1, "maxDepth": 9, "maxCost": 10_000_000, "maxResponseBytes": 268_435_456,
        "maxResultsWindow": 2})
    );
    refused(&server.graphql("/graphql", &aliased(2), &json!({})).await, 400, FAILED);
    let page: Value = crate::support::ask(&server, "hits(first: 5) { total edges { node { id } } }", &json!({})).await;
    assert_eq!(page["hits"]["edges"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_request_may_cost_so_much() {
    // The root and `hits` cost 1 each, so do `edges` and `total`; each of 10 records costs 2.
    let page = "{ file { hits(first: 10) { total edges { node { id } } } } }";
    // The root, `aggregations`, `tags` and each member cost 1, and what is counted 1000 more.
    let facet = "{ file { aggregations(filters: $f) { tags { bucket_count buckets { doc_count \
        filter_by_term(filter: $f) top_hits(_source: \"size\") } stats: bucket_count } } } }";
    let facet = format!("query($f: JSON) {facet}");
    let variables = json!({"f": leaf("in", "tags", json!("x"))});
    for (query, cost) in [(page, 24), (facet.as_str(), 5006)] {
        let server = server_with(json!({"maxCost": cost})).await;
        data(&server.graphql("/graphql", query, &variables).await);
        let server = server_with(json!({"maxCost": cost - 1})).await;
        let message = refused(&server.graphql("/graphql", query, &variables).await, 400, FAILED);
        let limit = cost - 1;
        assert_eq!(message, format!("Query cost limit exceeded: found a cost of {cost}, maximum allowed is {limit}."));
    }
    let server = server_with(json!({"maxCost": 1000})).await;
    let variable = "query($n: Int) { file { hits(first: $n) { edges { node { id } } } } }";
    refused(&server.graphql("/graphql", variable, &json!({"n": 5000})).await, 400, FAILED);
    server.graphql("/graphql", variable, &json!({"n": 5})).await.assert_status(200);
    // A page has no more records than the window, whatever is asked for.
    let server = TestServer::with_catalogues(
        flat(json!({"maxCost": 1000})).file("table.json", &json!({"table": {"maxResultsWindow": 2}})),
    )
    .await;
    server.graphql("/graphql", variable, &json!({"n": 1_000_000})).await.assert_status(200);
}

#[tokio::test]
async fn an_answer_may_have_so_many_bytes() {
    let query = "{ file { hits(first: 5) { edges { node { id analysis name } } } } }";
    let bytes = server_with(json!({})).await.graphql("/graphql", query, &json!({})).await.body.len();
    let server = server_with(json!({"maxResponseBytes": bytes})).await;
    data(&server.graphql("/graphql", query, &json!({})).await);
    let server = server_with(json!({"maxResponseBytes": bytes / 2})).await;
    let answer = server.graphql("/graphql", query, &json!({})).await.ok();
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert_eq!(answer["data"], Value::Null);
    let limit = bytes / 2;
    assert_eq!(
        message,
        format!("The answer would have more than {limit} bytes; ask for fewer records, fields or buckets")
    );
}

#[tokio::test]
async fn a_filter_may_have_so_many_patterns() {
    let server = server_with(json!({"maxPatterns": 2})).await;
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let filter = |values: Value| json!({"f": leaf("in", "tags", values)});
    data(&server.graphql("/graphql", query, &filter(json!(["*a*", "*b*", "c", "d"]))).await);
    let answer = server.graphql("/graphql", query, &filter(json!(["*a*", "*b*", "*c*"]))).await.json();
    let message = answer["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("found 3 patterns") && message.contains("at most 2 are allowed"), "{message}");
    let download = json!({"files": [{"sqon": leaf("in", "tags", json!(["*a*", "*b*", "*c*"]))}]});
    let answer = server.post("/download", &download).await;
    answer.assert_status(400);
    assert!(answer.text().contains("at most 2 are allowed"), "{}", answer.text());
}

#[tokio::test]
async fn the_default_limits_are_15_and_7() {
    let catalogues = cantata_testkit::TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .index("files", &crate::support::mapping(), crate::support::documents());
    let server = TestServer::with_catalogues(catalogues).await;
    server.graphql("/graphql", &aliased(15), &json!({})).await.assert_status(200);
    refused(&server.graphql("/graphql", &aliased(16), &json!({})).await, 400, FAILED);
    let seven = "{ file { hits { edges { node { donors { hits { total } } } } } } }";
    server.graphql("/graphql", seven, &json!({})).await.assert_status(200);
    let nine = "{ file { hits { edges { node { donors { hits { edges { node { age } } } } } } } } }";
    refused(&server.graphql("/graphql", nine, &json!({})).await, 400, FAILED);
}
