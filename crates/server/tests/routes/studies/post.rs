//! `POST /studies/{studyId}`

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

const ORIGIN: &str = "StudyService";

#[tokio::test]
async fn a_study_is_registered_with_and_without_the_slash() {
    let server = TestServer::start().await;
    let created = server.post("/studies/NEW1/", &json!({"studyId": "NEW1"})).await;
    created.assert_text(200, r#"{"message":"Successfully created study 'NEW1'"}"#);
    let created = server.post("/studies/NEW2", &json!({"studyId": "NEW2"})).await;
    created.assert_text(200, r#"{"message":"Successfully created study 'NEW2'"}"#);
}

#[tokio::test]
async fn ids_with_signs_and_letters_of_any_script_work_everywhere() {
    let server = TestServer::start().await;
    let longest = "é".repeat(36);
    for (study_id, encoded) in [
        ("A B", "A%20B"),
        ("a/b", "a%2Fb"),
        ("50%", "50%25"),
        ("q?x#y", "q%3Fx%23y"),
        ("研究", "%E7%A0%94%E7%A9%B6"),
        (longest.as_str(), longest.as_str()),
    ] {
        let created = server.post(&format!("/studies/{encoded}/"), &json!({"studyId": study_id})).await.ok();
        assert_eq!(created["message"], format!("Successfully created study '{study_id}'"));
        assert_eq!(server.get(&format!("/studies/{encoded}")).await.ok()["studyId"], study_id);
        let submitted = server.post(&format!("/submit/{encoded}"), &Payload::new(study_id).build()).await.ok();
        let path = format!("/studies/{encoded}/analysis/{}", submitted["analysisId"].as_str().unwrap());
        assert_eq!(server.get(&path).await.ok()["studyId"], study_id);
        assert_eq!(server.get(&format!("/export/studies/{encoded}")).await.ok()[0]["studyId"], study_id);
    }
}

#[tokio::test]
async fn the_body_must_name_the_study_of_the_path() {
    let server = TestServer::start().await;
    for (body, named) in [
        (json!({"studyId": "B"}), "B"),
        (json!({}), "null"),
        (json!({"studyId": null}), "null"),
        (json!({"studyId": "a"}), "a"),
    ] {
        let text = format!("The studyId in the URL path 'A' should match the studyId '{named}' in the payload");
        server.post("/studies/A/", &body).await.assert_error(409, ORIGIN, "study.id.mismatch", &text);
    }
    server.get("/studies/all").await.assert_text(200, "[]");
}

#[tokio::test]
async fn a_study_is_registered_once() {
    let server = TestServer::start().await;
    server.create_study("A").await;
    let text = "The studyId 'A' already exists. Cannot save the study: choose another studyId";
    let again = server.post("/studies/A/", &json!({"studyId": "A", "name": "other"})).await;
    again.assert_error(409, ORIGIN, "study.already.exists", text);
    server.get("/studies/A").await.assert_text(200, r#"{"studyId":"A"}"#);
}

#[tokio::test]
async fn ids_that_cannot_be_used() {
    let server = TestServer::start().await;
    let long = "x".repeat(37);
    let text = format!("The studyId '{long}' has 37 characters, but must have 1 to 36");
    let refused = server.post(&format!("/studies/{long}/"), &json!({"studyId": long})).await;
    refused.assert_error(400, ORIGIN, "malformed.parameter", &text);
    let refused = server.post("/studies/a%00b/", &json!({"studyId": "a\u{0}b"})).await;
    let text = "The studyId 'a\\0b' contains a control character; use letters, digits and signs only";
    refused.assert_error(400, ORIGIN, "malformed.parameter", text);
}

#[tokio::test]
async fn the_name_of_the_list_is_no_study() {
    let server = TestServer::start().await;
    let refused = server.post("/studies/all", &json!({"studyId": "all"})).await;
    assert!([400, 405].contains(&refused.status), "{}", refused.text());
    server.get("/studies/all").await.assert_text(200, "[]");
}

#[tokio::test]
async fn members_of_the_wrong_type() {
    let server = TestServer::start().await;
    let cases: [(Value, &str); 3] = [
        (json!({"studyId": 5}), "#/studyId: expected a string or nothing, found: 5"),
        (json!({"studyId": "A", "name": ["x"]}), "#/name: expected a string or nothing, found: [\"x\"]"),
        (json!({"studyId": "A", "info": "x"}), "#/info: expected an object or nothing, found: \"x\""),
    ];
    for (body, text) in cases {
        server.post("/studies/A/", &body).await.assert_error(400, ORIGIN, "malformed.request.body", text);
    }
}
