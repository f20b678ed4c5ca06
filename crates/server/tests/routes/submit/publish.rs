//! `publish=true`: stored as published in one step, or not at all.

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

use crate::support::{column, keys, server_with_study};

/// Returns what an analysis has beside its ids and its times.
fn without_identity(mut analysis: Value) -> Value {
    for name in ["analysisId", "createdAt", "updatedAt", "firstPublishedAt", "publishedAt", "files"] {
        assert!(analysis[name].take() != Value::Null, "{name}");
    }
    assert!(analysis["analysisStateHistory"][0]["updatedAt"].take().is_string());
    analysis
}

#[tokio::test]
async fn the_analysis_is_as_if_it_was_published_right_after() {
    let server = server_with_study().await;
    let at_once = server.post("/submit/S?publish=true", &Payload::new("S").build()).await.ok();
    assert_eq!((keys(&at_once), &at_once["status"]), (vec!["analysisId", "status"], &json!("OK")));
    let at_once = server.analysis("S", at_once["analysisId"].as_str().unwrap()).await;
    let later = server.submit(&Payload::new("S")).await;
    server.put_empty(&format!("/studies/S/analysis/publish/{later}")).await.ok();
    let later = server.analysis("S", &later).await;
    assert_eq!(keys(&at_once), keys(&later));
    assert_eq!(at_once["publishedAt"], at_once["createdAt"]);
    assert_eq!(at_once["publishedAt"], at_once["analysisStateHistory"][0]["updatedAt"]);
    assert_eq!(without_identity(at_once), without_identity(later));
    let listed = server.get("/studies/S/analysis?analysisStates=PUBLISHED").await.ok();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let page = server.get("/studies/S/analysis/paginated?analysisStates=PUBLISHED&limit=1").await.ok();
    assert_eq!(page["totalAnalyses"], 2);
}

#[tokio::test]
async fn it_is_one_event_that_creates_a_published_analysis() {
    let server = server_with_study().await;
    server.post("/submit/S?publish=true", &Payload::new("S").build()).await.ok();
    server.post("/submit/S?publish=false", &Payload::new("S").build()).await.ok();
    let events: Vec<Value> = server.events_after(0).await.iter().map(|event| event.message()).collect();
    let told: Vec<_> = events.iter().map(|event| (&event["action"], &event["state"])).collect();
    let (create, published, unpublished) = (json!("CREATE"), json!("PUBLISHED"), json!("UNPUBLISHED"));
    assert_eq!(told, [(&create, &published), (&create, &unpublished)]);
    assert_eq!(events[0]["analysis"]["analysisState"], published);
}

#[tokio::test]
async fn what_is_published_at_once_can_be_taken_back_and_suppressed() {
    let server = server_with_study().await;
    let id = server.post("/submit/S?publish=true", &Payload::new("S").build()).await.ok()["analysisId"].clone();
    let id = id.as_str().unwrap();
    for verb in ["unpublish", "publish", "suppress"] {
        server.put_empty(&format!("/studies/S/analysis/{verb}/{id}")).await.ok();
    }
    let history = server.analysis("S", id).await["analysisStateHistory"].clone();
    assert_eq!(column(&history, "updatedState"), ["PUBLISHED", "UNPUBLISHED", "PUBLISHED", "SUPPRESSED"]);
}

#[tokio::test]
async fn nothing_is_stored_of_what_is_refused() {
    let server = server_with_study().await;
    let stored = Payload::new("S").build();
    server.post("/submit/S?publish=true", &stored).await.ok();
    server.post("/submit/S?publish=true", &stored).await.assert_error_id(409, "info.already.exists");
    server.post("/submit/S?publish=true", &json!({"studyId": "S"})).await.assert_error_id(400, "malformed.parameter");
    let refused = server.post("/submit/S?publish=perhaps", &Payload::new("S").build()).await;
    let text = "The parameter 'publish' is 'perhaps', but must be true or false";
    refused.assert_error(400, "SubmitService", "malformed.parameter", text);
    server.post("/submit/S?publish=true&validateOnly=true", &Payload::new("S").build()).await.ok();
    server.post("/submit/S?publish=true&allowDuplicates=true", &stored).await.ok();
    assert_eq!(server.events_after(0).await.len(), 2);
}

#[tokio::test]
async fn published_files_count_where_only_those_do() {
    let server = TestServer::builder().duplicates_in_published_only().start().await;
    server.create_study("S").await;
    let payload = Payload::new("S").build();
    let twins = json!([payload, payload]);
    let path = "/submit/S/batch?validateOnly=true";
    assert_eq!(column(&server.post(path, &twins).await.ok(), "status"), ["OK", "OK"]);
    let path = "/submit/S/batch?validateOnly=true&publish=true";
    assert_eq!(column(&server.post(path, &twins).await.ok(), "status"), ["OK", "ERROR"]);
    let path = "/submit/S/batch?publish=true";
    assert_eq!(column(&server.post(path, &twins).await.ok(), "status"), ["OK", "ERROR"]);
    server.post("/submit/S", &payload).await.assert_error_id(409, "info.already.exists");
}

#[tokio::test]
async fn a_server_that_looks_into_storage_cannot_publish_at_once() {
    // Nobody listens there; it is not asked either.
    let server = TestServer::builder().score_url("http://127.0.0.1:1").start().await;
    server.create_study("S").await;
    let payload = Payload::new("S").build();
    for path in ["/submit/S?publish=true", "/submit/S?publish=true&validateOnly=true"] {
        let refused = server.post(path, &payload).await;
        refused.assert_error_id(409, "missing.storage.objects");
        let message = refused.json()["message"].to_string();
        assert!(message.contains("upload the files, then publish"), "{message}");
    }
    let results = server.post("/submit/S/batch?publish=true", &json!([payload])).await.ok();
    assert_eq!(results[0]["errorId"], "missing.storage.objects");
    assert!(server.events_after(0).await.is_empty());
    server.post("/submit/S", &payload).await.ok();
}
