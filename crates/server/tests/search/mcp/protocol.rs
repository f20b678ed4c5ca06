//! Messages: what is there, what is none, and from where it may come.

use cantata_testkit::{TestServer, raw};
use http::Method;
use serde_json::{Value, json};

use super::{ACCEPT, JSON, ask, send};
use crate::support::{flat, folders, server};

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

#[tokio::test]
async fn a_client_begins_without_a_session() {
    let server = server().await;
    let response = send(&server, &initialize(), &[]).await;
    let answer = response.ok();
    assert_eq!(response.header("mcp-session-id"), None);
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["serverInfo"]["name"], "cantata");
    for capability in ["tools", "resources", "prompts"] {
        assert!(answer["result"]["capabilities"][capability].is_object(), "{answer}");
    }
    assert!(answer["result"]["instructions"].as_str().unwrap().contains("build_sqon"));
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    send(&server, &initialized, &[("mcp-protocol-version", "2025-06-18")]).await.assert_status(202);
}

#[tokio::test]
async fn every_tool_says_what_it_takes() {
    let server = server().await;
    let tools = ask(&server, "tools/list", json!({})).await["tools"].take();
    let names: Vec<&str> = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "list_catalogues",
        "get_sqon_schema",
        "get_catalogue_fields",
        "build_sqon",
        "execute_query",
        "describe_analysis_types",
        "validate_analysis",
        "query_network",
    ];
    assert_eq!(names, expected);
    for tool in tools.as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert!(!tool.to_string().contains("$ref"), "{tool}");
        for (name, argument) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
            assert!(argument["description"].is_string(), "{name} of {}", tool["name"]);
        }
    }
    let query = &tools[4]["inputSchema"];
    assert_eq!(query["required"], json!(["catalogueId", "sqon"]));
    assert_eq!(query["properties"]["first"]["maximum"], 1000);
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_says_why() {
    let server = server().await;
    let body = Some(initialize().to_string().into_bytes());
    server.send(Method::POST, "/mcp", &[JSON], body.clone()).await.assert_error_id(415, "unsupported.media.type");
    server.send(Method::POST, "/mcp", &[ACCEPT], body).await.assert_error_id(415, "unsupported.media.type");
    for text in ["", "{", "{\"jsonrpc\": \"2.0\",}", "\u{feff}{}", &"[".repeat(5000)] {
        let response = server.send(Method::POST, "/mcp", &[ACCEPT, JSON], Some(text.into())).await;
        response.assert_status(400);
        let answer = response.json();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null), "{answer}");
    }
    for text in ["[]", "7", "{}", "{\"jsonrpc\":\"2.0\"}"] {
        let response = server.send(Method::POST, "/mcp", &[ACCEPT, JSON], Some(text.into())).await;
        assert!((400..500).contains(&response.status), "{text} -> {}", response.status);
        assert!(response.json().is_object());
    }
    for method in [Method::GET, Method::DELETE] {
        server.send(method, "/mcp", &[ACCEPT], None).await.assert_error_id(405, "method.not.allowed");
    }
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "drop_everything"}});
    let answer = send(&server, &unknown, &[]).await.ok();
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("tools/list"));
    let other = json!({"jsonrpc": "2.0", "id": 1, "method": "files/delete"});
    assert_eq!(send(&server, &other, &[]).await.json()["error"]["code"], -32601);
}

#[tokio::test]
async fn a_message_that_is_too_large_is_refused() {
    let server = TestServer::builder().limits(|limits| limits.search_body_limit = 2000);
    let server = server.catalogues(flat(json!({}))).start().await;
    let mut message = initialize();
    send(&server, &message, &[]).await.ok();
    message["params"]["clientInfo"]["name"] = "x".repeat(2000).into();
    send(&server, &message, &[]).await.assert_error_id(413, "payload.too.large");
}

/// Sends a message from a page of an origin; returns the status.
async fn from_page(server: &TestServer, origin: &str) -> u16 {
    let headers = ["accept: application/json, text/event-stream", "content-type: application/json"];
    let origin = format!("origin: {origin}");
    let body = initialize().to_string();
    let request = raw::request("POST", b"/mcp", &[headers[0], headers[1], &origin], body.as_bytes());
    raw::exchange(server.address(), &request).await.unwrap().status
}

#[tokio::test]
async fn pages_of_other_sites_are_refused() {
    let server = server().await;
    for (origin, status) in [("https://evil.example", 403), ("null", 403)] {
        assert_eq!(from_page(&server, origin).await, status, "{origin}");
    }
    let own = server.base().to_owned();
    let response = send(&server, &initialize(), &[("origin", &own)]).await;
    assert_eq!((response.status, response.header("access-control-allow-origin")), (200, None));
    let server = TestServer::builder().allowed_origins(["https://portal.example"]);
    let server = server.catalogues(flat(json!({}))).start().await;
    for (origin, status) in [("https://portal.example", 200), ("https://evil.example", 403)] {
        assert_eq!(from_page(&server, origin).await, status, "{origin}");
    }
}

#[tokio::test]
async fn resources_are_the_introspection() {
    let server = TestServer::with_catalogues(folders()).await;
    let listed = ask(&server, "resources/list", json!({})).await;
    let uris: Vec<&str> =
        listed["resources"].as_array().unwrap().iter().map(|resource| resource["uri"].as_str().unwrap()).collect();
    let catalogue = |id: &str| format!("arranger://introspection/catalog/{id}");
    let catalogues = ["alpha", "beta", "gamma"].map(catalogue);
    assert_eq!(uris[..2], ["arranger://introspection/server", "arranger://introspection/sqon"]);
    assert_eq!(uris[2..], catalogues);
    let templates = ask(&server, "resources/templates/list", json!({})).await;
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "arranger://introspection/catalog/{catalogueId}");
    for (uri, path) in
        [(uris[0], "/introspection"), (uris[1], "/introspection/sqon"), (uris[2], "/introspection/alpha")]
    {
        let read = ask(&server, "resources/read", json!({"uri": uri})).await;
        let text: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(read["contents"][0]["uri"], uri);
        assert_eq!(text, server.get(path).await.ok());
    }
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": catalogue("delta")}});
    let answer = send(&server, &read, &[]).await.json();
    assert!(answer["error"]["message"].as_str().unwrap().contains("list_catalogues"), "{answer}");
}

#[tokio::test]
async fn the_prompt_has_the_catalogues_and_the_question() {
    let server = TestServer::with_catalogues(folders()).await;
    let listed = ask(&server, "prompts/list", json!({})).await;
    assert_eq!(listed["prompts"][0]["name"], "query_arranger");
    assert_eq!(listed["prompts"][0]["arguments"][0]["name"], "goal");
    let wanted = json!({"name": "query_arranger", "arguments": {"goal": "How many donors are there?"}});
    let prompt = ask(&server, "prompts/get", wanted).await;
    let text = |place: usize| prompt["messages"][place]["content"]["text"].as_str().unwrap();
    assert!(text(0).contains("- alpha (records: file): The first\n") && text(0).contains("- gamma (records: donor)"));
    assert!(text(1).contains("How many donors are there?"));
    for params in [json!({"name": "query_arranger"}), json!({"name": "other", "arguments": {"goal": "x"}})] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": params});
        assert_eq!(send(&server, &message, &[]).await.json()["error"]["code"], -32602);
    }
}
