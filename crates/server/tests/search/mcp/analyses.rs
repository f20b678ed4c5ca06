//! The tools about submissions.

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

use super::{call, call_error};

#[tokio::test]
async fn types_are_listed_by_their_latest_versions_and_described_one_by_one() {
    let server = TestServer::start().await;
    server.register_minimal("variants").await;
    server.register_minimal("variants").await;
    let listed = call(&server, "describe_analysis_types", json!({})).await;
    let types = listed["analysisTypes"].as_array().unwrap();
    let variants: Vec<&Value> = types.iter().filter(|described| described["name"] == "variants").collect();
    assert_eq!(variants.len(), 1, "{listed}");
    assert_eq!((&variants[0]["version"], variants[0].get("schema")), (&json!(2), None));
    for (arguments, version) in [(json!({"name": "variants"}), 2), (json!({"name": "variants", "version": 1}), 1)] {
        let described = call(&server, "describe_analysis_types", arguments).await;
        let path = format!("/schemas/variants?version={version}");
        assert_eq!(described, server.get(&path).await.ok());
    }
    let text = call_error(&server, "describe_analysis_types", json!({"name": "nothing"})).await;
    assert!(text.contains("'nothing' was not found"), "{text}");
    assert!(call_error(&server, "describe_analysis_types", json!({"version": 1})).await.contains("name"));
}

#[tokio::test]
async fn an_analysis_is_checked_as_a_submission_and_nothing_is_stored() {
    let server = TestServer::start().await;
    server.create_study("S1").await;
    server.register_minimal("variants").await;
    let payload = Payload::new("S1").of_type("variants").with_files(2);
    let check = |analysis: Value| json!({"studyId": "S1", "analysis": analysis});
    let arguments = check(payload.build());
    assert_eq!(call(&server, "validate_analysis", arguments.clone()).await, json!({"valid": true}));
    assert_eq!(call(&server, "validate_analysis", arguments.clone()).await, json!({"valid": true}));
    let stored = server.get("/studies/S1/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED").await.ok();
    assert_eq!(stored, json!([]));
    let submitted = server.post("/submit/S1", &payload.build()).await;
    submitted.ok();
    let found = call(&server, "validate_analysis", arguments.clone()).await;
    assert_eq!(found["errors"][0]["errorId"], "info.already.exists", "{found}");
    let mut allowed = arguments.clone();
    allowed["allowDuplicates"] = true.into();
    assert_eq!(call(&server, "validate_analysis", allowed).await, json!({"valid": true}));
    let mut broken = arguments;
    broken["analysis"]["files"] = json!([]);
    let refused = server.post("/submit/S1", &broken["analysis"]).await;
    let found = call(&server, "validate_analysis", broken).await;
    assert_eq!(found["valid"], false);
    let message = found["errors"][0]["message"].as_str().unwrap();
    assert!(refused.json()["message"].as_str().unwrap().ends_with(message), "{message}");
    let unknown = json!({"studyId": "S2", "analysis": {}});
    let found = call(&server, "validate_analysis", unknown).await;
    assert_eq!(found["errors"][0]["errorId"], "study.id.does.not.exist");
}
