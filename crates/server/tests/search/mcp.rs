//! `/mcp`: the tools, resources and the prompt, message by message. The official client is asked in the tests of the
//! binary.

mod access;
mod analyses;
mod protocol;
mod queries;

use cantata_testkit::{TestClient, TestResponse};
use http::Method;
use serde_json::{Value, json};

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");
const JSON: (&str, &str) = ("content-type", "application/json");

/// Sends a message with more headers.
async fn send(server: &TestClient, message: &Value, headers: &[(&str, &str)]) -> TestResponse {
    let headers: Vec<(&str, &str)> = [ACCEPT, JSON].into_iter().chain(headers.iter().copied()).collect();
    server.send(Method::POST, "/mcp", &headers, Some(message.to_string().into_bytes())).await
}

/// Sends a request and returns its result.
async fn ask(server: &TestClient, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let mut answer = send(server, &message, &[]).await.ok();
    assert_eq!(answer["id"], 7, "{answer}");
    assert!(answer.get("error").is_none(), "{answer}");
    answer["result"].take()
}

/// Calls a tool that finds something, and returns what it found.
async fn call(server: &TestClient, tool: &str, arguments: Value) -> Value {
    let mut result = ask(server, "tools/call", json!({"name": tool, "arguments": arguments})).await;
    assert_eq!(result["isError"], false, "{result}");
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    result["structuredContent"].take()
}

/// Calls a tool that refuses, and returns what it says.
async fn call_error(server: &TestClient, tool: &str, arguments: Value) -> String {
    let result = ask(server, "tools/call", json!({"name": tool, "arguments": arguments})).await;
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}
