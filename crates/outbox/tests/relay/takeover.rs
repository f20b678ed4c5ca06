//! Several relays on one store: one sends, another takes over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cantata_outbox::{Relay, RelayActivity};
use cantata_testkit::kafka;

use crate::support::{TestStore, assert_complete, by_analysis, settings, until};

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_relays_sends_and_another_takes_over() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = Arc::new(TestStore::new().await);
    let settings = settings(&broker, &topic, 3);
    let first = store.relay(&settings);
    until(&first, "the first to send", |state| state.activity == RelayActivity::Sending).await;
    let second = store.relay(&settings);
    until(&second, "the second to stand by", |state| state.activity == RelayActivity::StandingBy).await;
    let writer = {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.make_history(20, 20).await })
    };
    until(&first, "some events to be sent", |state| state.sent > Some(50)).await;
    assert_eq!(second.watch().state().activity, RelayActivity::StandingBy);
    first.stop().await;
    writer.await.unwrap();
    store.until_sent(&second).await;
    second.stop().await;
    let records = kafka::records(&broker, &topic).await;
    assert_eq!(u64::try_from(records.len()).unwrap(), store.latest(), "each event once");
    assert!(by_analysis(&records).values().all(|events| events.is_sorted()));
}

/// Relays of one name all hold the lease, as processes do that were paused and do not know yet that theirs has run out.
/// They end each other's sessions again and again, and still everything arrives, in order.
#[tokio::test(flavor = "multi_thread")]
async fn relays_that_fight_repeat_events_but_never_reorder_them() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = Arc::new(TestStore::new().await);
    let settings = settings(&broker, &topic, 2);
    let relays: Vec<Relay> = (0..3).map(|_| store.relay_as("everybody", &settings)).collect();
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        tokio::spawn(async move {
            while !is_over.load(Ordering::Relaxed) {
                store.make_history(5, 20).await;
            }
        })
    };
    for relay in &relays {
        until(relay, "the fight to begin", |state| matches!(state.activity, RelayActivity::Failing(_))).await;
    }
    is_over.store(true, Ordering::Relaxed);
    writer.await.unwrap();
    let mut relays = relays.into_iter();
    let survivor = relays.next().unwrap();
    for relay in relays {
        relay.stop().await;
    }
    store.until_sent(&survivor).await;
    survivor.stop().await;
    assert_complete(&*store.store, &broker, &topic).await;
}
