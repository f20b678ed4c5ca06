//! What consumers find in the topic, to the letter.

use cantata_core::{AnalysisState, EventAction};
use cantata_kafka_client::partition_of;
use cantata_testkit::kafka;

use crate::support::{TestStore, settings};

const BEGINNINGS: [(AnalysisState, EventAction, &str); 5] = [
    (AnalysisState::Unpublished, EventAction::Create, r#""state":"UNPUBLISHED","action":"CREATE""#),
    (AnalysisState::Published, EventAction::Publish, r#""state":"PUBLISHED","action":"PUBLISH""#),
    (AnalysisState::Published, EventAction::Update, r#""state":"PUBLISHED","action":"UPDATE""#),
    (AnalysisState::Unpublished, EventAction::Unpublish, r#""state":"UNPUBLISHED","action":"UNPUBLISH""#),
    (AnalysisState::Suppressed, EventAction::Suppress, r#""state":"SUPPRESSED","action":"SUPPRESS""#),
];

#[tokio::test]
async fn every_change_is_one_message_with_the_whole_analysis() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = TestStore::new().await;
    let mut analysis = store.submit(2).await;
    let id = analysis.id();
    let mut expected = Vec::new();
    for (state, action, words) in BEGINNINGS {
        if action != EventAction::Create {
            analysis.change(state, action).await;
        }
        let document = analysis.document().await;
        expected.push(format!(
            r#"{{"analysisId":"{id}","studyId":"ABC123",{words},"songServerId":"song.overture","analysis":{document}}}"#
        ));
    }
    let relay = store.relay(&settings(&broker, &topic, 5));
    store.until_sent(&relay).await;
    relay.stop().await;

    let records = kafka::records(&broker, &topic).await;
    let values: Vec<&str> = records.iter().map(|record| record.value.as_str()).collect();
    assert_eq!(values, expected);
    assert!(expected[4].contains("0.vcf.gz") && expected[4].contains("1.vcf.gz"), "the files belong to the analysis");
    let partition = i32::try_from(partition_of(id.to_string().as_bytes(), 5)).unwrap();
    for (record, event) in records.iter().zip(1..) {
        assert_eq!(record.key, id.to_string());
        assert_eq!(record.partition, partition);
        assert_eq!(record.event, event);
    }
}

#[tokio::test]
async fn events_come_as_they_happen() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = TestStore::new().await;
    let relay = store.relay(&settings(&broker, &topic, 1));
    for count in 1..=5 {
        store.submit(0).await;
        store.until_sent(&relay).await;
        assert_eq!(kafka::records(&broker, &topic).await.len(), count);
    }
    relay.stop().await;
}

#[tokio::test]
async fn a_relay_goes_on_where_the_last_one_stopped() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = TestStore::new().await;
    for _ in 0..3 {
        store.make_history(10, 2).await;
        let relay = store.relay(&settings(&broker, &topic, 3));
        store.until_sent(&relay).await;
        relay.stop().await;
    }
    let mut events: Vec<u64> = kafka::records(&broker, &topic).await.iter().map(|record| record.event).collect();
    events.sort_unstable();
    assert_eq!(events, (1..=store.latest()).collect::<Vec<_>>(), "each event once");
}

#[tokio::test]
async fn an_analysis_that_is_larger_than_a_message_may_be_is_compressed() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = TestStore::new().await;
    let small = store.submit(1).await;
    let large = store.submit(5_000).await;
    store.submit(1).await;
    let relay = store.relay(&settings(&broker, &topic, 1));
    store.until_sent(&relay).await;
    relay.stop().await;
    let records = kafka::records(&broker, &topic).await;
    assert_eq!(records.len(), 3);
    assert_eq!(records[0].key, small.id().to_string());
    assert!(records[1].value.len() > 1 << 20, "{} bytes are not enough", records[1].value.len());
    assert!(records[1].value.ends_with(&format!("{}}}", large.document().await)));
}
