//! Brokers come and go; events wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cantata_outbox::RelayActivity;
use cantata_testkit::kafka::{self, DedicatedBroker, free_port};

use crate::support::{TestStore, assert_complete, settings, until};

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_out_of_order_when_the_broker_restarts() {
    let broker = DedicatedBroker::start("");
    let topic = kafka::unique_topic();
    let store = Arc::new(TestStore::new().await);
    let relay = store.relay(&settings(&broker.address(), &topic, 3));
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        tokio::spawn(async move {
            while !is_over.load(Ordering::Relaxed) {
                store.make_history(5, 8).await;
            }
        })
    };
    for after in [100, 600] {
        until(&relay, "some events to be sent", |state| state.sent > Some(after)).await;
        broker.stop();
        until(&relay, "a failure", |state| matches!(state.activity, RelayActivity::Failing(_))).await;
        broker.restart();
    }
    is_over.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    store.until_sent(&relay).await;
    relay.stop().await;
    assert_complete(&*store.store, &broker.address(), &topic).await;
}

#[tokio::test]
async fn a_broker_that_is_not_there_is_waited_for_and_stopping_is_quick_meanwhile() {
    let store = TestStore::new().await;
    store.submit(1).await;
    let relay = store.relay(&settings(&format!("127.0.0.1:{}", free_port()), &kafka::unique_topic(), 1));
    let unreachable = RelayActivity::Failing("the brokers cannot be reached");
    until(&relay, "the broker to be missed", |state| state.activity == unreachable).await;
    assert_eq!(relay.watch().state().sent, None);
    relay.stop().await;
}

#[tokio::test]
async fn the_next_broker_of_the_list_is_asked() {
    let topic = kafka::unique_topic();
    let store = TestStore::new().await;
    store.submit(1).await;
    let mut several = settings(&format!("127.0.0.1:{}", free_port()), &topic, 1);
    several.bootstrap_servers.push(kafka::broker());
    let relay = store.relay(&several);
    store.until_sent(&relay).await;
    relay.stop().await;
}

#[tokio::test]
async fn an_event_that_does_not_fit_holds_the_others_up_until_the_topic_takes_it() {
    let broker = DedicatedBroker::start("message.max.bytes=20000\n");
    let topic = kafka::unique_topic();
    let store = TestStore::new().await;
    // Together they are too much for one message, each alone is not.
    store.make_history(100, 1).await;
    let relay = store.relay(&settings(&broker.address(), &topic, 1));
    store.until_sent(&relay).await;

    let sent = store.latest();
    store.submit(2_000).await;
    store.submit(1).await;
    let too_large = RelayActivity::Failing("an event is larger than the topic takes");
    until(&relay, "the large event to be refused", |state| state.activity == too_large && state.sent == Some(sent))
        .await;
    relay.stop().await;
    assert_eq!(store.store.cursor(&format!("kafka:{topic}")).await.unwrap(), sent);
}
