//! The options of analysis types: inherited when left out, cleared by an empty list.

use std::time::Duration;

use cantata_testkit::{MockServer, Payload, TestServer, minimal_type};
use serde_json::{Value, json};

use crate::support::server_with_study;

async fn register(server: &TestServer, options: Option<Value>) -> Value {
    let mut body = minimal_type("t");
    if let Some(options) = options {
        body["options"] = options;
    }
    server.post("/schemas", &body).await.ok()["options"].clone()
}

#[tokio::test]
async fn what_is_left_out_is_inherited_and_what_is_empty_clears() {
    let server = TestServer::start().await;
    let check = json!({"url": "http://127.0.0.1:1/{value}", "jsonPath": "experiment.a"});
    let none = json!({"fileTypes": [], "externalValidations": []});
    let both = json!({"fileTypes": ["bam", "cram"], "externalValidations": [check]});
    assert_eq!(register(&server, None).await, none);
    assert_eq!(register(&server, Some(both.clone())).await, both);
    assert_eq!(register(&server, None).await, both);
    assert_eq!(register(&server, Some(json!({}))).await, both);
    assert_eq!(register(&server, Some(json!({"fileTypes": null}))).await, both);
    let no_types = json!({"fileTypes": [], "externalValidations": [check]});
    assert_eq!(register(&server, Some(json!({"fileTypes": []}))).await, no_types);
    assert_eq!(register(&server, None).await, no_types, "cleared stays cleared");
    assert_eq!(register(&server, Some(json!({"externalValidations": []}))).await, none);
    let listed = server.get("/schemas/t").await.ok();
    assert_eq!(listed["resultSet"][6]["options"], both, "version 2 keeps its own");
}

#[tokio::test]
async fn file_types_apply_to_the_version_that_has_them() {
    let server = server_with_study().await;
    register(&server, Some(json!({"fileTypes": ["bam", "cram"]}))).await;
    register(&server, None).await;
    register(&server, Some(json!({"fileTypes": []}))).await;
    let vcf = Payload::new("S").of_type("t").with_files(2);
    for version in [1, 2] {
        let refused = server.post("/submit/S", &vcf.clone().version(version).build()).await;
        refused.assert_error(
            400,
            "SubmitService",
            "schema.violation",
            "#: file0.vcf name is not supported, supported formats are bam, cram,\
             #: file1.vcf name is not supported, supported formats are bam, cram",
        );
    }
    let upper = vcf.clone().version(1).with_file_member(0, "fileType", "BAM").with_file_member(1, "fileType", "bam");
    server.post("/submit/S", &upper.build()).await.assert_error_id(400, "schema.violation");
    server.submit(&upper.with_file_member(0, "fileType", "cram")).await;
    server.submit(&vcf.with_files(1)).await;
}

#[tokio::test]
async fn values_are_checked_by_the_outside_service_of_the_version() {
    let server = server_with_study().await;
    let outside =
        MockServer::start(|target| if target.contains("good") { (204, String::new()) } else { (404, "no".into()) });
    let outside = outside.await;
    let url = format!("{}/{{study}}/{{value}}", outside.url);
    register(&server, Some(json!({"externalValidations": [{"url": url, "jsonPath": "samples[*].donor"}]}))).await;
    register(&server, None).await;
    register(&server, Some(json!({"externalValidations": []}))).await;
    let payload = |version: u32, donors: &[&str]| {
        let samples: Vec<Value> = donors.iter().map(|donor| json!({"donor": donor})).collect();
        Payload::new("S").of_type("t").version(version).with("samples", samples)
    };
    for version in [1, 2] {
        server.submit(&payload(version, &["good1", "good2"])).await;
        assert_eq!(outside.take_targets(), ["/S/good1", "/S/good2"]);
        server.post("/submit/S", &payload(version, &["good1", "bad"]).build()).await.assert_error(
            400,
            "SubmitService",
            "schema.violation",
            "#: Value 'bad' from path 'samples[*].donor' is not permitted as it failed to validate with external \
             validation source.",
        );
        outside.take_targets();
        server.submit(&payload(version, &[])).await;
        assert!(outside.take_targets().is_empty(), "no value, no call");
    }
    server.submit(&payload(3, &["bad"])).await;
    assert!(outside.take_targets().is_empty());
    let not_text = payload(1, &[]).with("samples", json!([{"donor": 5}])).build();
    server.post("/submit/S", &not_text).await.assert_error(
        400,
        "SubmitService",
        "schema.violation",
        "#: Value at path 'samples[*].donor' must be a string or array of strings, but contains non-string elements.",
    );
}

#[tokio::test]
async fn the_schema_is_checked_before_anybody_is_asked() {
    let server = server_with_study().await;
    let outside = MockServer::start(|_| (200, String::new())).await;
    let url = format!("{}/{{value}}", outside.url);
    register(&server, Some(json!({"externalValidations": [{"url": url, "jsonPath": "experiment.donor"}]}))).await;
    let payload = Payload::new("S").of_type("t").with("experiment", json!({"donor": "d"}));
    let broken = payload.clone().with_file_member(0, "fileMd5sum", "none");
    server.post("/submit/S", &broken.build()).await.assert_error_id(400, "schema.violation");
    server
        .post("/submit/S", &payload.clone().with("studyId", "T").build())
        .await
        .assert_error_id(409, "study.id.mismatch");
    assert!(outside.take_targets().is_empty());
    server.submit(&payload).await;
    assert_eq!(outside.take_targets(), ["/d"]);
}

#[tokio::test]
async fn an_outside_service_that_does_not_answer_refuses_in_time() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = TestServer::builder().call_timeout(Duration::from_millis(200)).start().await;
    server.create_study("S").await;
    let url = format!("http://{}/{{value}}", silent.local_addr().unwrap());
    register(&server, Some(json!({"externalValidations": [{"url": url, "jsonPath": "experiment.donor"}]}))).await;
    let payload = Payload::new("S").of_type("t").with("experiment", json!({"donor": "d"}));
    server.post("/submit/S", &payload.build()).await.assert_error(
        400,
        "SubmitService",
        "schema.violation",
        "#: Value 'd' from path 'experiment.donor' is not permitted as it failed to validate with external validation \
         source.",
    );
}
