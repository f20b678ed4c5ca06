//! `/export/analysis/{analysisIds}` and `/export/studies/{studyId}`

use cantata_testkit::Payload;
use serde_json::{Value, json};

use crate::support::{keys, server_with_study};

#[tokio::test]
async fn an_exported_payload_is_the_submitted_one() {
    let server = server_with_study().await;
    let payload = Payload::new("S").with_files(2).version(1).with("extra", json!({"z": "", "a": null}));
    let payload = payload.with_file_member(0, "info", json!({"k": 1}));
    let id = server.submit(&payload).await;
    let exported = server.get(&format!("/export/analysis/{id}")).await.ok();
    assert_eq!(keys(&exported[0]), ["studyId", "payloads"]);
    let shown = &exported[0]["payloads"][0];
    assert_eq!(keys(shown), ["studyId", "analysisType", "files", "experiment", "extra"]);
    assert_eq!(
        keys(&shown["files"][0]),
        ["info", "fileName", "fileSize", "fileType", "fileMd5sum", "fileAccess", "dataType"]
    );
    assert_eq!(keys(&shown["files"][1])[0], "fileName", "an empty info is left out");
    assert_eq!(*shown, payload.build());
    assert_eq!(server.get("/export/studies/S").await.ok(), exported);
}

#[tokio::test]
async fn what_was_exported_can_be_submitted_again() {
    let server = server_with_study().await;
    let id = server.submit(&Payload::new("S").with_files(3)).await;
    server.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.ok();
    server.patch(&format!("/studies/S/analysis/{id}"), &json!({"more": [1, null, ""]})).await.assert_text(200, "");
    let exported = server.get(&format!("/export/analysis/{id}")).await.ok();
    let again = server.post("/submit/S?allowDuplicates=true", &exported[0]["payloads"][0]).await.ok();
    let id = again["analysisId"].as_str().unwrap();
    assert_eq!(server.get(&format!("/export/analysis/{id}")).await.ok(), exported);
}

#[tokio::test]
async fn analyses_are_grouped_by_study_in_the_order_asked_for() {
    let server = server_with_study().await;
    server.create_study("T").await;
    let mut ids = Vec::new();
    for (study_id, tag) in [("S", 0), ("T", 1), ("S", 2)] {
        ids.push(server.submit(&Payload::new(study_id).with("tag", tag)).await);
    }
    let path = format!("/export/analysis/{},{},{},{}", ids[1], ids[2], ids[0], ids[2]);
    let exported = server.get(&path).await.ok();
    let tags = |group: &Value| -> Vec<Value> {
        group["payloads"].as_array().unwrap().iter().map(|payload| payload["tag"].clone()).collect()
    };
    assert_eq!((&exported[0]["studyId"], tags(&exported[0])), (&json!("T"), vec![json!(1)]));
    assert_eq!((&exported[1]["studyId"], tags(&exported[1])), (&json!("S"), vec![json!(2), json!(0), json!(2)]));
    assert_eq!(exported.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_study_is_exported_in_all_states() {
    let server = server_with_study().await;
    for verb in ["publish", "unpublish", "suppress"] {
        let id = server.submit(&Payload::new("S")).await;
        server.put_empty(&format!("/studies/S/analysis/{verb}/{id}")).await.ok();
    }
    let exported = server.get("/export/studies/S?includeInfo=true&includeAnalysisId=false").await.ok();
    assert_eq!(exported[0]["payloads"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_study_without_analyses_has_no_payloads() {
    let server = server_with_study().await;
    server.get("/export/studies/S").await.assert_text(200, r#"[{"studyId":"S","payloads":[]}]"#);
}

#[tokio::test]
async fn what_is_not_there_is_said_and_nothing_else_exported() {
    let server = server_with_study().await;
    let text = "The studyId 'none' does not exist; GET /studies/all lists the registered ones";
    server.get("/export/studies/none").await.assert_error(404, "StudyService", "study.id.does.not.exist", text);
    let id = server.submit(&Payload::new("S")).await;
    for (ids, unknown) in [("none".to_owned(), "none"), (format!("{id},none"), "none"), (format!("{id},"), "")] {
        let text = format!("The analysisId '{unknown}' was not found");
        let refused = server.get(&format!("/export/analysis/{ids}")).await;
        refused.assert_error(404, "AnalysisService", "analysis.id.not.found", &text);
    }
}
