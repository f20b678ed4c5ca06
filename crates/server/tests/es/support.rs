//! Small questions that many tests ask.

use cantata_testkit::{TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};

/// A server with the index `files`.
pub(crate) async fn server_with_index() -> TestServer {
    let server = TestServer::start().await;
    let mapping = json!({"properties": {"name": {"type": "keyword"}, "size": {"type": "long"}}});
    server.put("/_es/files", &json!({"mappings": mapping})).await.assert_status(200);
    server
}

/// Sends a request without a body.
pub(crate) async fn send(server: &TestServer, method: Method, path: &str) -> TestResponse {
    server.send(method, path, &[], None).await
}

/// Sends operations, one or two lines each.
pub(crate) async fn bulk(server: &TestServer, path: &str, lines: &[Value]) -> TestResponse {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let headers = [("content-type", "application/x-ndjson")];
    server.send(Method::POST, path, &headers, Some(text.into_bytes())).await
}

/// Returns the number of documents.
pub(crate) async fn count(server: &TestServer, index: &str) -> Value {
    server.get(&format!("/_es/{index}/_count")).await.ok()["count"].clone()
}

/// Requires an error of a status and a kind, in the form of Elasticsearch; returns its reason.
#[track_caller]
pub(crate) fn assert_es_error(response: &TestResponse, status: u16, kind: &str) -> String {
    response.assert_status(status);
    assert_eq!(response.header("x-elastic-product"), Some("Elasticsearch"));
    let body = response.json();
    let reason = body["error"]["reason"].as_str().unwrap();
    let cause = json!({"type": kind, "reason": reason});
    assert_eq!(body, json!({"error": {"root_cause": [cause], "type": kind, "reason": reason}, "status": status}));
    reason.to_owned()
}
