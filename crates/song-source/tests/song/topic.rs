//! A server with a topic, on a real broker.

use std::collections::HashSet;
use std::sync::Arc;

use cantata_core::AnalysisState;
use cantata_indexing::SourceError;
use cantata_kafka_client::{KafkaSettings, NewTopic};
use cantata_outbox::{Relay, RelaySettings};
use cantata_store::contract::builders;
use cantata_store::{DuplicateRule, NewAnalysis, Store};
use cantata_store_sqlite::SqliteStore;
use cantata_testkit::TestServer;
use cantata_testkit::kafka::{self, DedicatedBroker};
use serde_json::{Value, json};

use crate::{everything, next, next_of, published, source};

/// An event as SONG sends it.
fn event(id: &str, state: &str, analysis: Value) -> Vec<u8> {
    json!({"analysisId": id, "studyId": "S1", "state": state, "action": "PUBLISH", "songServerId": "song.overture",
        "analysis": analysis})
    .to_string()
    .into_bytes()
}

fn song(server: &TestServer, broker: &str, topic: &str) -> Value {
    json!({"url": server.base(), "pollSeconds": 1, "kafka": {"brokers": broker, "topic": topic}})
}

#[tokio::test]
async fn events_follow_the_snapshot_and_nonsense_is_left_out() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    kafka::create_topic(&broker, &topic, 2).await;
    let server = TestServer::start().await;
    server.create_study("S1").await;
    let id = published(&server, "S1").await;
    let source = source(song(&server, &broker, &topic), json!({}));
    kafka::send(&broker, &topic, 0, &event("before", "PUBLISHED", json!({"analysisId": "before"}))).await;
    let (documents, mut position) = everything(&*source, None).await;
    assert_eq!(documents.len(), 1);
    assert_eq!(source.lag(Some(&position)), Some(0));
    let nonsense: [&[u8]; 6] =
        [b"", b"no json", b"{}", b"[1]", b"\xff\xfe", br#"{"analysisId":"x","studyId":"S1","state":"ODD"}"#];
    for message in nonsense {
        kafka::send(&broker, &topic, 1, message).await;
    }
    kafka::send(&broker, &topic, 1, &event("a1", "SUPPRESSED", json!({"analysisId": "a1"}))).await;
    let found = next_of(&*source, &mut position, "a1").await;
    assert_eq!((found.state, found.study_id.as_str()), (AnalysisState::Suppressed, "S1"));
    assert_eq!(found.document.as_deref(), Some(r#"{"analysisId":"a1"}"#));
    // Older servers send no analysis with their events.
    kafka::send(&broker, &topic, 0, &event(&id, "PUBLISHED", Value::Null)).await;
    let found = next_of(&*source, &mut position, &id).await;
    let document: Value = serde_json::from_str(found.document.as_ref().unwrap()).unwrap();
    assert_eq!(document, server.analysis("S1", &id).await);
    assert_eq!(source.lag(Some(&position)), Some(0));
    assert_eq!(source.lag(None), Some(9));
    let first = next(&*source, None).await;
    assert!(first.analyses.iter().any(|analysis| analysis.analysis_id == "before"));
    for lost in ["0:99,1:0", "abc", "0:x"] {
        let changes = source.changes(Some(lost), 10).await;
        assert!(matches!(changes, Err(SourceError::UnknownPosition(unknown)) if unknown == lost));
    }
}

#[tokio::test]
async fn every_event_of_a_transactional_producer_is_read_once_through_restarts_of_the_broker() {
    let (broker, topic) = (DedicatedBroker::start(""), kafka::unique_topic());
    let server = TestServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
    store.create_study(builders::study("S1")).await.unwrap();
    let kafka = KafkaSettings {
        bootstrap_servers: vec![broker.address()],
        topic: topic.clone(),
        new_topic: Some(NewTopic { partitions: Some(3), replication_factor: Some(1) }),
        uses_tls: false,
        ca_certificate: None,
        credentials: None,
    };
    let settings = RelaySettings { kafka, server_id: "song.overture".to_owned() };
    let relay = Relay::start(Arc::clone(&store), settings, "test".to_owned());
    let mut expected = HashSet::new();
    let source = source(song(&server, &broker.address(), &topic), json!({}));
    let mut position = None;
    let mut found: Vec<String> = Vec::new();
    for round in 0..3 {
        for _ in 0..20 {
            let analysis = builders::analysis("S1", 1);
            store.insert_analysis(NewAnalysis::of(&analysis).unwrap(), DuplicateRule::Allow).await.unwrap();
            expected.insert(analysis.analysis_id.to_string());
        }
        while found.len() < expected.len() {
            match source.changes(position.as_deref(), 1000).await {
                Ok(changes) => {
                    found.extend(changes.analyses.into_iter().map(|analysis| analysis.analysis_id));
                    position = Some(changes.position);
                }
                Err(SourceError::Failed(text)) => {
                    assert!(!text.contains("127.0.0.1"), "{text}");
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
                Err(lost) => panic!("{lost}"),
            }
        }
        if round < 2 {
            broker.stop();
            assert!(matches!(source.changes(position.as_deref(), 10).await, Err(SourceError::Failed(_))));
            broker.restart();
        }
    }
    relay.stop().await;
    assert_eq!(found.len(), expected.len());
    assert_eq!(found.into_iter().collect::<HashSet<_>>(), expected);
}
