//! What happens when the topic is not there.

use cantata_kafka_client::KafkaSettings;
use cantata_outbox::RelayActivity;
use cantata_testkit::kafka;

use crate::support::{TestStore, assert_complete, settings, until};

#[tokio::test]
async fn a_missing_topic_is_made_as_it_was_asked_for() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = TestStore::new().await;
    let relay = store.relay(&settings(&broker, &topic, 4));
    until(&relay, "a session", |state| state.activity == RelayActivity::Sending).await;
    relay.stop().await;
    assert_eq!(kafka::partitions(&broker, &topic).await, [0, 1, 2, 3]);
}

#[tokio::test]
async fn a_topic_that_is_there_stays_as_it_is() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    kafka::create_topic(&broker, &topic, 2).await;
    let store = TestStore::new().await;
    store.make_history(10, 1).await;
    let relay = store.relay(&settings(&broker, &topic, 9));
    store.until_sent(&relay).await;
    relay.stop().await;
    assert_eq!(kafka::partitions(&broker, &topic).await, [0, 1]);
    assert_complete(&*store.store, &broker, &topic).await;
}

#[tokio::test]
async fn a_missing_topic_that_may_not_be_made_is_waited_for() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = TestStore::new().await;
    store.make_history(3, 1).await;
    let relay = store.relay(&KafkaSettings { new_topic: None, ..settings(&broker, &topic, 1) });
    let missing = RelayActivity::Failing("the topic does not exist");
    until(&relay, "the topic to be missed", |state| state.activity == missing).await;
    assert!(kafka::partitions(&broker, &topic).await.is_empty(), "looking for a topic made it");
    kafka::create_topic(&broker, &topic, 3).await;
    store.until_sent(&relay).await;
    relay.stop().await;
    assert_complete(&*store.store, &broker, &topic).await;
}

#[tokio::test]
async fn a_topic_that_cannot_be_made_is_no_reason_to_stop() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = TestStore::new().await;
    store.make_history(3, 1).await;
    let mut unmakeable = settings(&broker, &topic, 1);
    unmakeable.new_topic.as_mut().unwrap().replication_factor = Some(5);
    let relay = store.relay(&unmakeable);
    let refused = RelayActivity::Failing("a broker refused a request");
    until(&relay, "the topic to be refused", |state| state.activity == refused).await;
    kafka::create_topic(&broker, &topic, 1).await;
    store.until_sent(&relay).await;
    relay.stop().await;
}
