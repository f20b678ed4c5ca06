//! `validateOnly`: every check of a submission, and nothing stored.

use cantata_testkit::{Payload, TestServer};
use serde_json::json;

use crate::support::server_with_study;

/// Requires that the study is as empty as before.
async fn assert_nothing_is_stored(server: &TestServer) {
    assert_eq!(server.get("/export/studies/S").await.ok(), json!([{"studyId": "S", "payloads": []}]));
    assert!(server.events_after(0).await.is_empty());
}

#[tokio::test]
async fn a_valid_payload_is_told_so_and_not_stored() {
    let server = server_with_study().await;
    let payload = Payload::new("S").build();
    for _ in 0..2 {
        assert_eq!(server.post("/submit/S?validateOnly=true", &payload).await.ok(), json!({"status": "OK"}));
    }
    assert_nothing_is_stored(&server).await;
    assert!(server.post("/submit/S?validateOnly=false", &payload).await.ok()["analysisId"].is_string());
}

#[tokio::test]
async fn what_a_submission_is_refused_for_is_told_alike() {
    let server = server_with_study().await;
    server.create_study("T").await;
    let wrong = [
        ("/submit/NONE", Payload::new("S").build()),
        ("/submit/S", Payload::new("T").build()),
        ("/submit/S", json!({"analysisType": {"name": "none"}})),
        ("/submit/S", json!({"studyId": "S"})),
        ("/submit/S", Payload::new("S").with_file_member(0, "fileSize", "large").build()),
        ("/submit/S", Payload::new("S").with_file_member(0, "fileSize", -1).build()),
    ];
    for (path, payload) in wrong {
        let checked = server.post(&format!("{path}?validateOnly=true"), &payload).await;
        let refused = server.post(path, &payload).await;
        assert_eq!(checked.status, refused.status, "{payload}");
        for member in ["errorId", "message"] {
            assert_eq!(checked.json()[member], refused.json()[member]);
        }
    }
    assert_nothing_is_stored(&server).await;
    server.post("/submit/S?validateOnly=perhaps", &json!({})).await.assert_error_id(400, "malformed.parameter");
}

#[tokio::test]
async fn files_that_are_stored_are_found() {
    let server = server_with_study().await;
    let payload = Payload::new("S").build();
    server.post("/submit/S", &payload).await.ok();
    let checked = server.post("/submit/S?validateOnly=true", &payload).await;
    let refused = server.post("/submit/S", &payload).await;
    checked.assert_error_id(409, "info.already.exists");
    assert_eq!(checked.json()["message"], refused.json()["message"]);
    server.post("/submit/S?validateOnly=true&allowDuplicates=true", &payload).await.ok();
    assert_eq!(server.events_after(0).await.len(), 1);
}
