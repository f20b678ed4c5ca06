//! What an accepted submission is answered with, and in which order the checks of a refused one run.

use cantata_testkit::{Payload, TestServer};
use http::Method;
use serde_json::json;

use crate::support::{keys, server_with_study};

#[tokio::test]
async fn an_accepted_payload_is_answered_with_its_id() {
    let server = server_with_study().await;
    let submitted = server.post("/submit/S", &Payload::new("S").build()).await.ok();
    assert_eq!(keys(&submitted), ["analysisId", "status"]);
    assert_eq!(submitted["status"], "OK");
    let id = uuid::Uuid::parse_str(submitted["analysisId"].as_str().unwrap()).unwrap();
    assert_eq!(id.get_version_num(), 4);
}

#[tokio::test]
async fn the_content_type_that_the_java_client_sends_is_taken() {
    let server = server_with_study().await;
    for content_type in ["application/json;charset=UTF-8", "Application/JSON; charset=\"utf-8\"", "application/json"] {
        let body = serde_json::to_vec(&Payload::new("S").build()).unwrap();
        server.send(Method::POST, "/submit/S", &[("content-type", content_type)], Some(body)).await.ok();
    }
    let body = serde_json::to_vec(&Payload::new("S").build()).unwrap();
    server.send(Method::POST, "/submit/S/", &[], Some(body)).await.ok();
}

/// Each payload breaks one rule more than the one before it; the first rule in the order is what is reported.
#[tokio::test]
async fn the_checks_run_in_the_order_that_clients_know() {
    let server = TestServer::builder().enforce_latest().start().await;
    server.post("/submit/S", &json!("no object")).await.assert_error_id(404, "study.id.does.not.exist");
    server.create_study("S").await;
    server.register_minimal("t").await;
    server.register_minimal("t").await;
    let taken = Payload::new("S");
    server.submit(&taken).await;

    let duplicate = Payload::new("S").of_type("t").with_file_member(0, "fileMd5sum", taken.md5(0));
    let refused = server.post("/submit/S", &duplicate.build()).await;
    refused.assert_error_id(409, "info.already.exists");
    let other_study = duplicate.with("studyId", "T");
    server.post("/submit/S", &other_study.build()).await.assert_error_id(409, "study.id.mismatch");
    let against_schema = other_study.with("experiment", 5);
    server.post("/submit/S", &against_schema.build()).await.assert_error_id(400, "schema.violation");
    let mut unknown_type = against_schema.build();
    unknown_type["analysisType"] = json!({"name": "none", "version": 7});
    server.post("/submit/S", &unknown_type).await.assert_error_id(404, "analysis.type.not.found");
    let old_version = against_schema.version(1);
    server.post("/submit/S", &old_version.build()).await.assert_error_id(409, "analysis.type.incorrect.version");
    let mut no_type = old_version.build();
    no_type["analysisType"] = json!(null);
    server.post("/submit/S", &no_type).await.assert_error_id(400, "malformed.parameter");
}
