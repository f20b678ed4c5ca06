//! A server without a topic, which is asked again and again.

use cantata_core::AnalysisState;
use cantata_indexing::SourceError;
use cantata_testkit::{MockServer, TestServer};
use serde_json::{Value, json};

use crate::{everything, next, next_of, published, source, state};

async fn song() -> TestServer {
    let server = TestServer::start().await;
    server.create_study("S1").await;
    server.create_study("S2").await;
    server
}

#[tokio::test]
async fn a_snapshot_and_the_changes_after_it_are_everything() {
    let server = song().await;
    let mut expected = Vec::new();
    for place in 0..130 {
        expected.push(published(&server, if place < 120 { "S1" } else { "S2" }).await);
    }
    server.submit(&cantata_testkit::Payload::new("S1")).await;
    let source = source(json!({"url": server.base(), "pollSeconds": 1}), json!({}));
    let (documents, mut position) = everything(&*source, None).await;
    let mut ids: Vec<&str> = documents.iter().map(|document| document["analysisId"].as_str().unwrap()).collect();
    ids.sort_unstable();
    expected.sort_unstable();
    assert_eq!(ids, expected);
    assert_eq!(documents[0], server.analysis("S1", documents[0]["analysisId"].as_str().unwrap()).await);
    assert_eq!(source.lag(Some(&position)), Some(0));
    // Only what is another than before is a change.
    let id = published(&server, "S2").await;
    let changes = next(&*source, Some(&position)).await;
    assert_eq!(changes.analyses.len(), 1);
    assert_eq!((&changes.analyses[0].analysis_id, changes.analyses[0].state), (&id, AnalysisState::Published));
    let document: Value = serde_json::from_str(changes.analyses[0].document.as_ref().unwrap()).unwrap();
    assert_eq!(document, server.analysis("S2", &id).await);
    assert_eq!(next(&*source, Some(&position)).await, changes);
    position = changes.position;
    state(&server, "S2", &id, "unpublish").await;
    assert_eq!(next_of(&*source, &mut position, &id).await.document, None);
    state(&server, "S2", &id, "publish").await;
    assert!(next_of(&*source, &mut position, &id).await.document.is_some());
    state(&server, "S2", &id, "suppress").await;
    assert_eq!(next_of(&*source, &mut position, &id).await.document, None);
    // Without a position, all of them are delivered.
    let mut all = std::collections::HashSet::new();
    let mut after = None;
    while all.len() < 131 {
        let changes = next(&*source, after.as_deref()).await;
        all.extend(changes.analyses.into_iter().map(|analysis| analysis.analysis_id));
        after = Some(changes.position);
    }
    assert_eq!(source.lag(after.as_deref()), Some(0));
}

#[tokio::test]
async fn a_change_of_a_file_is_a_change_of_its_analysis() {
    let server = song().await;
    let id = published(&server, "S1").await;
    let source = source(json!({"url": server.base(), "pollSeconds": 1}), json!({}));
    let (documents, position) = everything(&*source, None).await;
    let object_id = documents[0]["files"][0]["objectId"].as_str().unwrap();
    let path = format!("/studies/S1/files/{object_id}");
    server.put(&path, &json!({"info": {"note": "seen"}})).await.assert_status(200);
    let changes = next(&*source, Some(&position)).await;
    assert_eq!(changes.analyses[0].analysis_id, id);
    assert!(changes.analyses[0].document.as_ref().unwrap().contains("seen"));
}

#[tokio::test]
async fn only_the_studies_and_states_of_the_catalogue_are_followed() {
    let server = song().await;
    published(&server, "S2").await;
    let more = json!({"studies": ["S1", "S9"], "states": ["UNPUBLISHED"]});
    let source = source(json!({"url": server.base(), "pollSeconds": 1}), more);
    published(&server, "S1").await;
    let id = server.submit(&cantata_testkit::Payload::new("S1")).await;
    let changes = next(&*source, None).await;
    assert_eq!(changes.analyses.iter().map(|analysis| &analysis.analysis_id).collect::<Vec<_>>(), [&id]);
    let (documents, _) = everything(&*source, Some(&["S2".to_owned()])).await;
    assert_eq!(documents.len(), 1);
}

#[tokio::test]
async fn positions_of_another_process_are_lost() {
    let server = song().await;
    published(&server, "S1").await;
    let song = json!({"url": server.base(), "pollSeconds": 1});
    let (_, position) = everything(&*source(song.clone(), json!({})), None).await;
    let again = source(song, json!({}));
    for position in [&*position, "0:12", "", "7"] {
        let changes = again.changes(Some(position), 10).await;
        assert!(matches!(changes, Err(SourceError::UnknownPosition(unknown)) if unknown == position));
        assert_eq!(again.lag(Some(position)), None);
    }
}

#[tokio::test]
async fn types_come_with_all_their_versions_as_they_were_registered() {
    let server = song().await;
    let source = source(json!({"url": server.base(), "pollSeconds": 1}), json!({}));
    let before = source.types_version().await.unwrap();
    for _ in 0..105 {
        server.register_minimal("many").await;
    }
    let types = source.types().await.unwrap();
    assert_eq!(types.len() as u64, before + 105);
    let latest = types.iter().rfind(|found| found.id.name == "many").unwrap();
    let registered = server.get("/schemas/many?version=105&unrenderedOnly=true").await.ok();
    assert_eq!((latest.id.version, &latest.schema), (105, &registered["schema"]));
}

#[tokio::test]
async fn a_server_that_fails_is_told_of_without_its_address() {
    let nowhere = source(json!({"url": "http://127.0.0.1:1/secret-path"}), json!({}));
    let server = MockServer::start(|_| (200, "[\"S1\"".to_owned())).await;
    let nonsense = source(json!({"url": server.url}), json!({}));
    for source in [nowhere, nonsense] {
        let Err(SourceError::Failed(text)) = source.changes(None, 10).await else { panic!("no failure") };
        assert!(text.contains("SONG") && !text.contains("127.0.0.1") && !text.contains("secret"), "{text}");
        assert!(source.types().await.is_err());
    }
}

#[tokio::test]
async fn a_server_cannot_send_to_another_one() {
    let elsewhere = MockServer::start(|_| (200, "{}".to_owned())).await;
    let location = elsewhere.url.clone();
    let server = MockServer::start(move |_| (302, location.clone())).await;
    let source = source(json!({"url": server.url, "token": "secret"}), json!({}));
    assert!(matches!(source.changes(None, 10).await, Err(SourceError::Failed(_))));
    assert!(source.types().await.is_err());
    assert_eq!(elsewhere.take_requests(), [""; 0]);
}
