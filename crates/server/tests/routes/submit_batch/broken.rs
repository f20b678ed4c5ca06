//! Batches that end badly: what came before is stored, and the last result says what is wrong.

use cantata_testkit::{Payload, TestServer, raw};
use http::Method;
use serde_json::{Value, json};

use super::answers::send_lines;
use crate::support::{column, server_with_study};

async fn send(server: &TestServer, body: &str) -> Value {
    server.send(Method::POST, "/submit/S/batch", &[], Some(body.as_bytes().to_vec())).await.ok()
}

#[tokio::test]
async fn an_array_that_breaks_off_keeps_what_came_before() {
    let server = server_with_study().await;
    for (end, reason) in [
        ("", "the body ended before the array was closed by a ']'"),
        (",", "the body ended before the array was closed by a ']'"),
        (",{\"a\":", "the body ended before the array was closed by a ']'"),
        (",]", "a payload is missing between two commas or before the ']'"),
        ("] 5", "there is more after the ']' that closes the array"),
    ] {
        let body = format!("[{},{}{end}", Payload::new("S").build(), Payload::new("S").build());
        let results = send(&server, &body).await;
        let statuses = column(&results, "status");
        assert_eq!(statuses.last(), Some(&"ERROR"), "{end}");
        let last = results.as_array().unwrap().last().unwrap();
        assert_eq!((&last["errorId"], &last["httpStatusCode"]), (&json!("payload.parsing"), &json!(422)));
        assert_eq!(last["message"], format!("[SubmitService::payload.parsing] - Unable to read the batch: {reason}"));
        assert_eq!(statuses[0], "OK", "{end}");
    }
}

#[tokio::test]
async fn what_is_no_array_has_one_result() {
    let server = server_with_study().await;
    let reason = "Unable to read the batch: the body is not a JSON array; begin it with '[', or send one payload per \
                  line with Content-Type application/x-ndjson";
    for body in [Payload::new("S").build().to_string(), "x".to_owned(), "\u{feff}[]".to_owned()] {
        let results = send(&server, &body).await;
        assert_eq!(results.as_array().unwrap().len(), 1, "{body}");
        assert_eq!(results[0]["message"], format!("[SubmitService::payload.parsing] - {reason}"));
    }
    let results = send(&server, "").await;
    assert_eq!(results[0]["errorId"], "payload.parsing");
}

#[tokio::test]
async fn bytes_that_are_no_text_are_the_fault_of_their_payload() {
    let server = server_with_study().await;
    let mut body = Payload::new("S").build().to_string().into_bytes();
    body.extend_from_slice(b"\n\"\xff\xfe\"\n");
    body.extend_from_slice(Payload::new("S").build().to_string().as_bytes());
    let headers = [("content-type", "application/x-ndjson")];
    let response = server.send(Method::POST, "/submit/S/batch", &headers, Some(body)).await;
    let statuses: Vec<Value> =
        response.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["status"].clone()).collect();
    assert_eq!(statuses, ["OK", "ERROR", "OK"]);
}

#[tokio::test]
async fn deep_payloads_are_refused_one_by_one() {
    let server = server_with_study().await;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let lines = format!("{}\n{deep}\n{}", Payload::new("S").build(), Payload::new("S").build());
    let response = send_lines(&server, &lines).await;
    let results: Vec<Value> = response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results[1]["errorId"], "payload.parsing");
    assert_eq!((&results[0]["status"], &results[2]["status"]), (&json!("OK"), &json!("OK")));
    let results = send(&server, &format!("[{},{deep}]", Payload::new("S").build())).await;
    assert_eq!(column(&results, "status"), ["OK", "ERROR"]);
}

#[tokio::test]
async fn a_payload_over_the_limit_ends_the_batch() {
    let server = TestServer::builder().body_limit(2_000).start().await;
    server.create_study("S").await;
    let batch: Vec<String> = (0..20).map(|_| Payload::new("S").build().to_string()).collect();
    assert!(batch.join("\n").len() > 2_000, "the limit is for each payload");
    let response = send_lines(&server, &batch.join("\n")).await;
    assert_eq!(response.text().matches("\"OK\"").count(), 20);
    let large = Payload::new("S").with("text", "x".repeat(3_000)).build();
    let results =
        send(&server, &json!([Payload::new("S").build(), large, Payload::new("S").build()]).to_string()).await;
    assert_eq!(column(&results, "status"), ["OK", "ERROR"]);
    assert_eq!((&results[1]["errorId"], &results[1]["httpStatusCode"]), (&json!("payload.too.large"), &json!(413)));
    let text = "A payload of the batch is larger than the limit of 2000 bytes; split it";
    assert_eq!(results[1]["message"], format!("[SubmitService::payload.too.large] - {text}"));
}

/// A client that goes away in the middle leaves what it sent completely, and a server that works.
#[tokio::test]
async fn a_client_that_goes_away_leaves_whole_payloads() {
    let server = server_with_study().await;
    let first = Payload::new("S").build().to_string();
    let second = Payload::new("S").build().to_string();
    let body = format!("{first}\n{second}");
    let mut request =
        raw::request("POST", b"/submit/S/batch", &["content-type: application/x-ndjson"], body.as_bytes());
    request.truncate(request.len() - 10);
    raw::exchange_half_closed(server.address(), &request).await;
    server.get("/isAlive").await.assert_text(200, "true");
    let stored = server.get("/export/studies/S").await.ok()[0]["payloads"].as_array().unwrap().len();
    assert!(stored <= 1, "half a payload was stored");
}
