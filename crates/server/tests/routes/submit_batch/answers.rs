//! One result for each payload, in the same order and form.

use cantata_testkit::{Payload, TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};

use crate::support::{keys, server_with_study};

pub(super) async fn send_lines(server: &TestServer, lines: &str) -> TestResponse {
    let headers = [("content-type", "application/x-ndjson")];
    server.send(Method::POST, "/submit/S/batch", &headers, Some(lines.as_bytes().to_vec())).await
}

#[tokio::test]
async fn an_array_is_answered_with_an_array() {
    let server = server_with_study().await;
    let payloads: Vec<Value> = (0..5).map(|tag| Payload::new("S").with("tag", tag).build()).collect();
    let response = server.post("/submit/S/batch", &json!(payloads)).await;
    assert_eq!(response.header("content-type"), Some("application/json"));
    let results = response.ok();
    assert_eq!(results.as_array().unwrap().len(), 5);
    for (index, result) in results.as_array().unwrap().iter().enumerate() {
        assert_eq!(keys(result), ["index", "status", "analysisId"]);
        assert_eq!((&result["index"], &result["status"]), (&json!(index), &json!("OK")));
        let analysis = server.analysis("S", result["analysisId"].as_str().unwrap()).await;
        assert_eq!(analysis["tag"], index, "in the order of the payloads");
    }
}

#[tokio::test]
async fn lines_are_answered_with_lines() {
    let server = server_with_study().await;
    let lines: String = (0..3).map(|tag| format!("{}\r\n\n", Payload::new("S").with("tag", tag).build())).collect();
    for content_type in ["application/x-ndjson", "application/ndjson", "application/jsonl; charset=utf-8"] {
        let headers = [("content-type", content_type)];
        let path = "/submit/S/batch?allowDuplicates=true";
        let response = server.send(Method::POST, path, &headers, Some(lines.clone().into_bytes())).await;
        assert_eq!(response.header("content-type"), Some("application/x-ndjson"));
        response.assert_status(200);
        assert!(response.text().ends_with('\n'));
        let results: Vec<Value> = response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(results.len(), 3);
        for (index, result) in results.iter().enumerate() {
            let analysis = server.analysis("S", result["analysisId"].as_str().unwrap()).await;
            assert_eq!(analysis["tag"], index);
        }
    }
}

#[tokio::test]
async fn a_refused_payload_does_not_stop_the_others() {
    let server = server_with_study().await;
    server.create_study("T").await;
    let good = || Payload::new("S").build().to_string();
    let payloads = [
        good(),
        "{\"analysisType\":".to_owned(),
        good(),
        "{}".to_owned(),
        Payload::new("T").build().to_string(),
        "5".to_owned(),
        json!({"analysisType": {"name": "none"}}).to_string(),
        Payload::new("S").with("experiment", 1).build().to_string(),
        good(),
    ];
    let expected = [
        ("OK", 0, ""),
        ("ERROR", 422, "payload.parsing"),
        ("OK", 0, ""),
        ("ERROR", 400, "malformed.parameter"),
        ("ERROR", 409, "study.id.mismatch"),
        ("ERROR", 400, "malformed.parameter"),
        ("ERROR", 404, "analysis.type.not.found"),
        ("ERROR", 400, "schema.violation"),
        ("OK", 0, ""),
    ];
    let response = send_lines(&server, &payloads.join("\n")).await;
    let results: Vec<Value> = response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (index, (result, (status, code, error_id))) in results.iter().zip(expected).enumerate() {
        assert_eq!((&result["index"], &result["status"]), (&json!(index), &json!(status)), "{result}");
        if status == "ERROR" {
            assert_eq!(keys(result), ["index", "status", "errorId", "httpStatusCode", "message"]);
            assert_eq!((&result["errorId"], &result["httpStatusCode"]), (&json!(error_id), &json!(code)));
            assert!(result["message"].as_str().unwrap().contains(&format!("::{error_id}] - ")), "{result}");
        }
    }
    assert_eq!(results.len(), 9);
    assert_eq!(server.get("/export/studies/S").await.ok()[0]["payloads"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn an_empty_batch_has_no_results() {
    let server = server_with_study().await;
    for body in ["[]", " [ \n ] \n"] {
        let response = server.send(Method::POST, "/submit/S/batch", &[], Some(body.into())).await;
        response.assert_text(200, "[]");
    }
    send_lines(&server, "").await.assert_text(200, "");
    send_lines(&server, "\n \r\n").await.assert_text(200, "");
}

#[tokio::test]
async fn the_first_of_equal_payloads_wins() {
    let server = server_with_study().await;
    let payload = Payload::new("S").build();
    let batch = json!(vec![payload.clone(); 20]);
    let results = server.post("/submit/S/batch", &batch).await.ok();
    let statuses: Vec<&str> = crate::support::column(&results, "status");
    assert_eq!(statuses[0], "OK");
    assert!(statuses[1..].iter().all(|status| *status == "ERROR"));
    assert_eq!(results[1]["errorId"], "info.already.exists");
    assert!(results[1]["message"].as_str().unwrap().contains(results[0]["analysisId"].as_str().unwrap()));
    let again = server.post("/submit/S/batch?allowDuplicates=true", &batch).await.ok();
    assert!(crate::support::column(&again, "status").iter().all(|status| *status == "OK"));
}

#[tokio::test]
async fn events_come_in_the_order_of_the_payloads() {
    let server = server_with_study().await;
    let payloads: Vec<Value> = (0..1_000).map(|_| Payload::new("S").build()).collect();
    let results = server.post("/submit/S/batch", &json!(payloads)).await.ok();
    let told: Vec<Value> =
        server.events_after(0).await.iter().map(|event| event.message()["analysisId"].clone()).collect();
    assert_eq!(json!(told), json!(crate::support::column(&results, "analysisId")));
}

#[tokio::test]
async fn what_is_wrong_with_the_request_itself_is_a_plain_error() {
    let server = server_with_study().await;
    let batch = json!([Payload::new("none").build()]);
    let text = "The studyId 'none' does not exist; GET /studies/all lists the registered ones";
    let refused = server.post("/submit/none/batch", &batch).await;
    refused.assert_error(404, "StudyService", "study.id.does.not.exist", text);
    let refused = server.post("/submit/S/batch?allowDuplicates=x", &batch).await;
    let text = "The parameter 'allowDuplicates' is 'x', but must be true or false";
    refused.assert_error(400, "SubmitService", "malformed.parameter", text);
    let headers = [("content-type", "text/csv")];
    let refused = server.send(Method::POST, "/submit/S/batch", &headers, Some(b"a,b".to_vec())).await;
    let text = "The Content-Type is 'text/csv', but must be application/json or application/x-ndjson, in UTF-8";
    refused.assert_error(415, "HttpServer", "unsupported.media.type", text);
}
