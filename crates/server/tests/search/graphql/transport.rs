//! How a request comes: by POST as JSON or as a form, by GET, by its hash, with others in one body.

use cantata_testkit::{TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{data, refused, server, server_with};

const TOTAL: &str = "{ file { hits { total } } }";
const BY_TAG: &str = "query($t: JSON) { file { hits(filters: $t) { total } } }";

fn tag(value: &str) -> Value {
    json!({"t": {"op": "in", "content": {"fieldName": "tags", "value": value}}})
}

fn encoded(members: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(members).finish()
}

async fn get(server: &TestServer, members: &[(&str, &str)]) -> TestResponse {
    server.get(&format!("/graphql?{}", encoded(members))).await
}

async fn post(server: &TestServer, body: &str) -> TestResponse {
    server.send(Method::POST, "/graphql", &[("content-type", "application/json")], Some(body.into())).await
}

#[track_caller]
fn total(response: &TestResponse) -> Value {
    data(response)["file"]["hits"]["total"].take()
}

#[tokio::test]
async fn a_request_comes_as_json_as_a_form_or_in_the_address() {
    let server = server().await;
    let variables = tag("y").to_string();
    let form = [("query", BY_TAG), ("variables", variables.as_str())];
    assert_eq!(total(&server.graphql("/graphql", BY_TAG, &tag("y")).await), 2);
    assert_eq!(total(&server.post_form("/graphql", &form).await), 2);
    assert_eq!(total(&get(&server, &form).await), 2);
    let as_text = json!({"query": BY_TAG, "variables": variables});
    assert_eq!(total(&server.post("/graphql", &as_text).await), 2);
    for nothing in [json!(null), json!({}), json!(""), json!("null")] {
        let body = json!({"query": BY_TAG, "variables": nothing, "operationName": null, "extensions": null});
        assert_eq!(total(&server.post("/graphql", &body).await), 5, "{nothing}");
    }
    // Some clients forget to say that it is JSON, or say more than that.
    let body = json!({"query": TOTAL}).to_string();
    for headers in [&[][..], &[("content-type", "application/json; charset=utf-8")], &[("content-type", "text/plain")]]
    {
        let answer = server.send(Method::POST, "/graphql", headers, Some(body.clone().into())).await;
        assert_eq!(total(&answer), 5, "{headers:?}");
    }
    let head = server.send(Method::HEAD, &format!("/graphql?{}", encoded(&[("query", TOTAL)])), &[], None).await;
    head.assert_text(200, "");
}

#[tokio::test]
async fn one_of_several_operations_is_run_by_name() {
    let server = server().await;
    let query = "query A { file { hits { total } } } query B { file { hits(first: 1) { edges { node { id } } } } }";
    let by_name = async |name: Value| server.post("/graphql", &json!({"query": query, "operationName": name})).await;
    assert_eq!(data(&by_name(json!("A")).await), json!({"file": {"hits": {"total": 5}}}));
    assert!(data(&by_name(json!("B")).await)["file"]["hits"]["edges"].is_array());
    assert_eq!(data(&get(&server, &[("query", query), ("operationName", "A")]).await)["file"]["hits"]["total"], 5);
    for name in [json!("C"), json!(null), json!("")] {
        refused(&by_name(name).await, 400, "OPERATION_RESOLUTION_FAILURE");
    }
    by_name(json!(5)).await.assert_text(400, "The operationName must be a string.");
}

#[tokio::test]
async fn several_requests_in_one_body_must_be_allowed() {
    let several = json!([{"query": TOTAL}, {"query": BY_TAG, "variables": tag("x")}, {"query": "{ nothing }"}]);
    let message = refused(&server().await.post("/graphql", &several).await, 400, "INTERNAL_SERVER_ERROR");
    assert_eq!(message, "Operation batching disabled.");
    let server = server_with(json!({"enableGraphQLBatching": true})).await;
    let answers = server.post("/graphql", &several).await.ok();
    let totals: Vec<&Value> =
        answers.as_array().unwrap().iter().map(|answer| &answer["data"]["file"]["hits"]["total"]).collect();
    assert_eq!(totals, [&json!(5), &json!(1), &Value::Null]);
    assert_eq!(answers[2]["errors"][0]["extensions"]["code"], "GRAPHQL_VALIDATION_FAILED");
    assert_eq!(server.post("/graphql", &json!([])).await.ok(), json!([]));
    assert_eq!(total(&server.graphql("/graphql", TOTAL, &json!({})).await), 5);
    let too_many: Value = (0..101).map(|_| json!({"query": TOTAL})).collect();
    let message = refused(&server.post("/graphql", &too_many).await, 400, "BAD_USER_INPUT");
    assert!(message.contains("101") && message.contains("100"), "{message}");
    server.post("/graphql", &json!([5])).await.assert_status(400);
}

#[tokio::test]
async fn a_query_may_be_named_by_its_hash_once_it_was_sent() {
    let server = server().await;
    let digest = Sha256::digest(TOTAL.as_bytes());
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let extensions = json!({"persistedQuery": {"version": 1, "sha256Hash": hash}});
    let by_hash = json!({"extensions": extensions});
    let unknown = refused(&server.post("/graphql", &by_hash).await, 200, "PERSISTED_QUERY_NOT_FOUND");
    assert_eq!(unknown, "PersistedQueryNotFound");
    let wrong = json!({"query": "{ __typename }", "extensions": extensions});
    server.post("/graphql", &wrong).await.assert_status(400);
    assert_eq!(total(&server.post("/graphql", &json!({"query": TOTAL, "extensions": extensions})).await), 5);
    assert_eq!(total(&server.post("/graphql", &by_hash).await), 5);
    assert_eq!(total(&get(&server, &[("extensions", &extensions.to_string())]).await), 5);
    // Long ones are run and not kept.
    let long = format!("#{}\n{TOTAL}", "x".repeat(64 * 1024));
    let hash: String = Sha256::digest(long.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let extensions = json!({"persistedQuery": {"version": 1, "sha256Hash": hash}});
    assert_eq!(total(&server.post("/graphql", &json!({"query": long, "extensions": extensions})).await), 5);
    let by_hash = json!({"extensions": extensions});
    refused(&server.post("/graphql", &by_hash).await, 200, "PERSISTED_QUERY_NOT_FOUND");
}

#[tokio::test]
async fn what_is_no_request_is_refused_in_words() {
    let server = server().await;
    let missing = "POST body missing, invalid Content-Type, or JSON object has no keys.";
    for body in ["", "  \n", "{}", "5", "\"{ file }\"", "null", "{\"other\":1}", "{\"query\":null}"] {
        post(&server, body).await.assert_text(400, missing);
    }
    for body in ["{", "{\"query\":}", "nope", "{\"query\":\"{ file }\"} x", "{'query':'x'}"] {
        let answer = post(&server, body).await;
        answer.assert_status(400);
        assert!(answer.text().starts_with("The body is not JSON: "), "{body}: {}", answer.text());
    }
    for query in [json!(5), json!({}), json!([]), json!(true)] {
        server.post("/graphql", &json!({"query": query})).await.assert_text(400, "GraphQL queries must be strings.");
    }
    for variables in [json!("{"), json!([1]), json!(5), json!("[1]")] {
        let answer = server.post("/graphql", &json!({"query": TOTAL, "variables": variables})).await;
        answer.assert_text(400, "Variables are invalid JSON.");
    }
    // Some languages write an empty object as an empty list.
    server.post("/graphql", &json!({"query": TOTAL, "variables": []})).await.assert_status(200);
    get(&server, &[("query", TOTAL), ("variables", "{")]).await.assert_text(400, "Variables are invalid JSON.");
    server.get("/graphql").await.assert_text(400, "GET query missing.");
    server.get("/graphql?other=1").await.assert_text(400, "GET query missing.");
    refused(&server.post("/graphql", &json!({"query": ""})).await, 400, "GRAPHQL_PARSE_FAILED");
    server.post_form("/graphql", &[]).await.assert_text(400, missing);
}

#[tokio::test]
async fn a_mutation_does_not_come_by_get() {
    let server = server_with(json!({"enableSets": true})).await;
    let answer = get(&server, &[("query", "mutation { deleteSet(setId: \"x\") }")]).await;
    answer.assert_status(405);
    assert_eq!(answer.json()["errors"][0]["message"], "GET supports only query operation");
    assert_eq!(answer.header("allow"), Some("POST"));
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused() {
    let builder = TestServer::builder().limits(|limits| limits.search_body_limit = 1000);
    let server = builder.catalogues(crate::support::flat(json!({}))).start().await;
    let long = json!({"query": TOTAL, "variables": {"x": "y".repeat(2_000_000)}});
    server.post("/graphql", &long).await.assert_status(413);
    server.post("/download", &long).await.assert_status(413);
    assert_eq!(total(&server.graphql("/graphql", TOTAL, &json!({})).await), 5);
}
