//! What is kept of requests.

use http::Method;
use serde_json::{Value, json};

use crate::support::Guarded;

fn shown(entry: &Value) -> [&str; 6] {
    ["who", "how", "method", "path", "study", "result"].map(|name| entry[name].as_str().unwrap_or("-"))
}

#[tokio::test]
async fn every_writing_and_every_denied_request_is_kept_and_no_other() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let key = guarded.key("ada", &["STUDY.ABC.WRITE"]);
    guarded.submit("ABC", &key).await.assert_status(200);
    guarded.submit("XYZ", &key).await.assert_status(403);
    guarded.submit("ABC", "").await.assert_status(401);
    guarded.submit("ABC", "nonsense").await.assert_status(401);
    guarded.send(Method::POST, "/submit/ABC?token=secret", &key, Some(&json!({}))).await.assert_status(400);
    guarded.get("/admin/indexes", &key).await.assert_status(403);
    for path in ["/studies/all", "/studies/ABC", "/isAlive", "/nothing", "/admin/indexes"] {
        guarded.get(path, &guarded.administrator).await;
    }
    let entries = guarded.audit();
    let found: Vec<_> = entries.iter().map(shown).collect();
    let expected = [
        ["administrator", "key", "POST", "/studies/ABC", "ABC", "done"],
        ["ada", "key", "POST", "/submit/ABC", "ABC", "done"],
        ["ada", "key", "POST", "/submit/XYZ", "XYZ", "denied"],
        ["anonymous", "no credential", "POST", "/submit/ABC", "ABC", "denied"],
        ["anonymous", "refused credential", "POST", "/submit/ABC", "ABC", "denied"],
        ["ada", "key", "POST", "/submit/ABC", "ABC", "failed"],
        ["ada", "key", "GET", "/admin/indexes", "-", "denied"],
    ];
    assert_eq!(found, expected);
    assert_eq!(entries[1]["status"], 200);
    let text = std::fs::read_to_string(guarded.folder.path().join("audit.log")).unwrap();
    assert!(!text.contains("secret") && !text.contains(&key) && !text.contains("nonsense"));
}

#[tokio::test]
async fn an_answer_carries_the_number_of_its_line() {
    let guarded = Guarded::open().await;
    let response = guarded.submit("ABC", "").await;
    assert_eq!(guarded.audit()[0]["requestId"], response.header("x-request-id").unwrap());
    for (given, is_taken) in [("trace-17.a_b", true), ("", false), ("a b", false), (&"x".repeat(65), false)] {
        let response = guarded.server.send(Method::POST, "/schemas", &[("x-request-id", given)], None).await;
        response.assert_status(401);
        let number = response.header("x-request-id").unwrap();
        assert_eq!(number == given, is_taken, "{given}");
        assert_eq!(guarded.audit().last().unwrap()["requestId"], number);
    }
}
