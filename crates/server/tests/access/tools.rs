//! `/mcp`: the tools allow what the routes allow.

use cantata_testkit::{Payload, TestResponse};
use http::Method;
use serde_json::{Value, json};

use crate::support::{Guarded, assert_unauthorized};

async fn call(guarded: &Guarded, credential: &str, tool: &str, arguments: &Value) -> TestResponse {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let authorization = format!("Bearer {credential}");
    let mut headers = vec![("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    if !credential.is_empty() {
        headers.push(("authorization", &authorization));
    }
    guarded.server.send(Method::POST, "/mcp", &headers, Some(message.to_string().into_bytes())).await
}

#[tokio::test]
async fn where_reading_is_closed_tools_need_a_credential() {
    let guarded = Guarded::closed().await;
    assert_unauthorized(&call(&guarded, "", "list_catalogues", &json!({})).await);
    assert_unauthorized(&call(&guarded, "forged", "list_catalogues", &json!({})).await);
    let reader = guarded.key("reader", &["STUDY.x1.READ"]).await;
    assert_eq!(call(&guarded, &reader, "list_catalogues", &json!({})).await.ok()["result"]["isError"], false);
}

#[tokio::test]
async fn who_may_not_submit_may_not_validate() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let writer = guarded.key("writer", &["STUDY.ABC.WRITE"]).await;
    let other = guarded.key("other", &["STUDY.XYZ.WRITE"]).await;
    let arguments = json!({"studyId": "ABC", "analysis": Payload::new("ABC").build()});
    let validate = async |credential: &str| {
        call(&guarded, credential, "validate_analysis", &arguments).await.ok()["result"].take()
    };
    assert_eq!(validate(&writer).await["structuredContent"], json!({"valid": true}));
    for (credential, words) in
        [("", "needs a credential with the scope 'STUDY.ABC.WRITE'"), (&*other, "does not allow")]
    {
        let refused = validate(credential).await;
        assert_eq!(refused["isError"], true);
        assert!(refused["content"][0]["text"].as_str().unwrap().contains(words), "{refused}");
    }
    let denied: Vec<Value> = guarded.audit().into_iter().filter(|line| line["path"] == "/mcp").collect();
    assert_eq!(denied.len(), 2, "{denied:?}");
    assert!(denied.iter().all(|line| line["study"] == "ABC"), "{denied:?}");
}
