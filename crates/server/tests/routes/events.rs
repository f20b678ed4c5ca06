//! `GET /events`

use cantata_testkit::{Payload, SentEvent, TestServer, unique_md5};
use serde_json::json;

use crate::support::{keys, object_id, server_with_analysis, server_with_study};

/// Returns number, action and state of each event.
fn summary(events: &[SentEvent]) -> Vec<(u64, String, String)> {
    let text = |event: &SentEvent, name: &str| event.message()[name].as_str().unwrap().to_owned();
    events.iter().map(|event| (event.id, text(event, "action"), text(event, "state"))).collect()
}

fn event(id: u64, action: &str, state: &str) -> (u64, String, String) {
    (id, action.to_owned(), state.to_owned())
}

#[tokio::test]
async fn an_event_has_the_form_that_consumers_know() {
    let (server, analysis_id) = server_with_analysis().await;
    let events = server.events_after(0).await;
    assert_eq!(events.len(), 1);
    let message = events[0].message();
    assert_eq!(keys(&message), ["analysisId", "studyId", "state", "action", "songServerId", "analysis"]);
    assert_eq!((&message["analysisId"], &message["studyId"]), (&json!(analysis_id), &json!("S")));
    assert_eq!((&message["state"], &message["action"]), (&json!("UNPUBLISHED"), &json!("CREATE")));
    assert_eq!(message["songServerId"], "song.overture");
    assert_eq!(message["analysis"], server.analysis("S", &analysis_id).await);
    let shown = server.get(&format!("/studies/S/analysis/{analysis_id}")).await;
    assert!(events[0].text.contains(shown.text()), "byte for byte what a read shows");
}

#[tokio::test]
async fn every_change_of_an_analysis_has_its_event() {
    let server = server_with_study().await;
    let id = server.submit(&Payload::new("S").with_files(2)).await;
    let path = format!("/studies/S/analysis/{id}");
    let file = format!("/studies/S/files/{}", object_id(&server, &id, 1).await);
    server.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.ok();
    server.patch(&path, &json!({"a": 1})).await.assert_status(200);
    server.put_empty(&format!("/studies/S/analysis/unpublish/{id}")).await.ok();
    let update = json!({"analysisType": {"name": "sequencingRead"}, "experiment": {"libraryStrategy": "WGS"}});
    server.put(&path, &update).await.assert_status(200);
    server.put(&file, &json!({"fileMd5sum": unique_md5()})).await.ok();
    server.put(&file, &json!({})).await.ok();
    server.delete(&file).await.assert_status(200);
    server.put_empty(&format!("/studies/S/analysis/suppress/{id}")).await.ok();
    server.register_minimal("t").await;
    server.create_study("T").await;
    server.post("/submit/S", &json!({})).await.assert_status(400);
    let events = server.events_after(0).await;
    assert_eq!(
        summary(&events),
        [
            event(1, "CREATE", "UNPUBLISHED"),
            event(2, "PUBLISH", "PUBLISHED"),
            event(3, "UPDATE", "PUBLISHED"),
            event(4, "UNPUBLISH", "UNPUBLISHED"),
            event(5, "UPDATE", "UNPUBLISHED"),
            event(6, "UPDATE", "UNPUBLISHED"),
            event(7, "UPDATE", "UNPUBLISHED"),
            event(8, "SUPPRESS", "SUPPRESSED"),
        ]
    );
    let files = |event: &SentEvent| event.message()["analysis"]["files"].as_array().unwrap().len();
    assert_eq!((files(&events[5]), files(&events[6])), (2, 1), "each shows its own moment");
    assert_eq!(events[7].message()["analysis"], server.analysis("S", &id).await);
}

#[tokio::test]
async fn a_consumer_goes_on_where_it_was() {
    let server = server_with_study().await;
    for _ in 0..150 {
        server.submit(&Payload::new("S")).await;
    }
    let all = server.events_after(0).await;
    assert_eq!(all.iter().map(|event| event.id).collect::<Vec<_>>(), (1..=150).collect::<Vec<_>>());
    assert_eq!(server.events_after(148).await, all[148..]);
    assert_eq!(server.events_after(150).await, []);
    assert_eq!(server.events_after(u64::MAX).await, []);
    let mut reader = server.event_stream("follow=false&after=3", &[("last-event-id", "149")]).await;
    assert_eq!(reader.next().await.as_ref(), Some(&all[149]), "the header is stronger");
    assert_eq!(reader.next().await, None);
}

#[tokio::test]
async fn new_events_arrive_on_an_open_stream() {
    let server = server_with_study().await;
    let mut first = server.event_stream("", &[]).await;
    let mut second = server.event_stream("after=0&follow=true", &[]).await;
    for number in 1..=5 {
        let id = server.submit(&Payload::new("S")).await;
        for reader in [&mut first, &mut second] {
            let event = reader.next().await.unwrap();
            assert_eq!((event.id, &event.message()["analysisId"]), (number, &json!(id)));
        }
    }
}

#[tokio::test]
async fn an_open_stream_ends_when_the_server_stops() {
    let server = server_with_study().await;
    server.submit(&Payload::new("S")).await;
    let mut reader = server.event_stream("", &[]).await;
    assert!(reader.next().await.is_some());
    drop(server);
    assert_eq!(reader.next().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn reconnecting_during_writes_misses_none_and_doubles_none() {
    const WRITERS: usize = 4;
    const ANALYSES_PER_WRITER: usize = 60;
    let server = server_with_study().await;
    let mut writers = Vec::new();
    for _ in 0..WRITERS {
        let client = (*server).clone();
        writers.push(tokio::spawn(async move {
            let mut ids = Vec::new();
            for _ in 0..ANALYSES_PER_WRITER {
                ids.push(client.submit(&Payload::new("S")).await);
            }
            ids
        }));
    }
    let mut received: Vec<SentEvent> = Vec::new();
    let mut connections = 0;
    while received.len() < WRITERS * ANALYSES_PER_WRITER {
        let after = received.last().map_or(0, |event| event.id);
        let mut reader = server.event_stream(&format!("after={after}"), &[]).await;
        for _ in 0..=connections % 7 {
            if received.len() < WRITERS * ANALYSES_PER_WRITER {
                received.push(reader.next().await.unwrap());
            }
        }
        connections += 1;
    }
    let mut submitted = Vec::new();
    for writer in writers {
        submitted.extend(writer.await.unwrap());
    }
    let numbers: Vec<u64> = received.iter().map(|event| event.id).collect();
    assert_eq!(numbers, (1..=(WRITERS * ANALYSES_PER_WRITER) as u64).collect::<Vec<_>>());
    let mut told: Vec<String> =
        received.iter().map(|event| event.message()["analysisId"].as_str().unwrap().to_owned()).collect();
    told.sort();
    submitted.sort();
    assert_eq!(told, submitted);
}

#[tokio::test]
async fn the_stream_is_one_of_server_sent_events() {
    let server = TestServer::start().await;
    let response = server.get("/events?follow=false").await;
    response.assert_text(200, "");
    assert_eq!(response.header("content-type"), Some("text/event-stream"));
    assert_eq!(response.header("cache-control"), Some("no-cache"));
}

#[tokio::test]
async fn values_that_are_not_allowed_are_named() {
    let server = TestServer::start().await;
    for (query, text) in [
        ("after=-1", "The parameter 'after' is '-1', but must be an integer of 0 or more"),
        ("after=x", "The parameter 'after' is 'x', but must be an integer of 0 or more"),
        ("follow=x", "The parameter 'follow' is 'x', but must be true or false"),
    ] {
        let refused = server.get(&format!("/events?{query}")).await;
        refused.assert_error(400, "AnalysisService", "malformed.parameter", text);
    }
    let refused = server.send(http::Method::GET, "/events", &[("last-event-id", "x")], None).await;
    let text = "The parameter 'Last-Event-ID' is 'x', but must be an event number";
    refused.assert_error(400, "AnalysisService", "malformed.parameter", text);
}
