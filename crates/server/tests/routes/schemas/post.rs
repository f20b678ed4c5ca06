//! `POST /schemas`: what registering gives.

use cantata_testkit::{Payload, TestServer, minimal_type};
use serde_json::json;

use crate::support::{assert_local_time, keys, server_with_study};

#[tokio::test]
async fn registering_answers_with_the_rendered_schema() {
    let server = TestServer::start().await;
    let registered = server.post("/schemas", &minimal_type("minimalExample")).await.ok();
    assert_eq!(keys(&registered), ["name", "version", "createdAt", "options", "schema"]);
    assert_eq!(registered["name"], "minimalExample");
    assert_eq!(registered["version"], 1);
    assert_local_time(&registered["createdAt"]);
    assert_eq!(registered["options"].to_string(), r#"{"fileTypes":[],"externalValidations":[]}"#);
    let schema = &registered["schema"];
    assert_eq!(keys(schema), ["$schema", "id", "type", "definitions", "required", "properties"]);
    assert_eq!(schema["id"], "analysisPayload");
    assert_eq!(keys(&schema["definitions"]), ["common", "file", "analysisType"]);
    assert_eq!(keys(&schema["definitions"]["common"]), ["md5", "submitterId", "info"]);
    assert_eq!(keys(&schema["definitions"]["file"]), ["fileType", "fileData"]);
    assert_eq!(schema["required"], json!(["studyId", "analysisType", "files", "experiment"]));
    assert_eq!(keys(&schema["properties"]), ["analysisId", "studyId", "analysisType", "files", "experiment"]);
}

#[tokio::test]
async fn each_registration_of_a_name_is_its_next_version() {
    let server = TestServer::start().await;
    for version in 1..=3 {
        assert_eq!(server.post("/schemas", &minimal_type("t")).await.ok()["version"], version);
        assert_eq!(server.post("/schemas", &minimal_type("T")).await.ok()["version"], version, "case matters");
    }
    assert_eq!(server.post("/schemas", &minimal_type("variantCall")).await.ok()["version"], 2);
}

#[tokio::test]
async fn unknown_members_of_the_body_are_not_minded() {
    let server = TestServer::start().await;
    let mut body = minimal_type("t");
    body["extra"] = json!({"a": 1});
    body["options"] = json!({"fileTypes": ["bam"]});
    let registered = server.post("/schemas", &body).await.ok();
    assert_eq!(registered["options"], json!({"fileTypes": ["bam"], "externalValidations": []}));
    assert_eq!(registered.get("extra"), None);
}

#[tokio::test]
async fn every_name_that_the_rule_allows_can_be_used() {
    let server = server_with_study().await;
    let longest = "x".repeat(225);
    for name in ["a", "A.b_c-9", "Registration", "...", "-", longest.as_str()] {
        server.register_minimal(name).await;
        server.submit(&Payload::new("S").of_type(name)).await;
        let found = server.get(&format!("/schemas/{name}?version=1")).await;
        assert_eq!(found.ok()["name"], name);
    }
}

#[tokio::test]
async fn definitions_of_the_registered_schema_can_be_referred_to() {
    let server = server_with_study().await;
    let body = json!({
        "name": "t",
        "schema": {
            "type": "object",
            "definitions": {"donor": {"type": "string", "pattern": "^D[0-9]+$"}},
            "required": ["experiment"],
            "properties": {
                "experiment": {"type": "object", "properties": {"donorId": {"$ref": "#/definitions/donor"}}},
            },
        },
    });
    let registered = server.post("/schemas", &body).await.ok();
    assert_eq!(keys(&registered["schema"]["definitions"]), ["common", "file", "analysisType", "donor"]);
    let payload = Payload::new("S").of_type("t");
    server.submit(&payload.clone().with("experiment", json!({"donorId": "D1"}))).await;
    let refused = server.post("/submit/S", &payload.with("experiment", json!({"donorId": "x"})).build()).await;
    refused.assert_error(
        400,
        "SubmitService",
        "schema.violation",
        "#/experiment/donorId: string [x] does not match pattern ^D[0-9]+$",
    );
}
