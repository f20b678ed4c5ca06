//! The events of an analysis come in their order, however many there are of them.

use std::sync::Arc;

use cantata_testkit::kafka;

use crate::support::{TestStore, assert_complete, by_analysis, settings};

#[tokio::test(flavor = "multi_thread")]
async fn order_holds_while_many_write() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let store = Arc::new(TestStore::new().await);
    let relay = store.relay(&settings(&broker, &topic, 7));
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for _ in 0..5 {
                    store.make_history(5, 12).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    store.until_sent(&relay).await;
    relay.stop().await;

    let records = kafka::records(&broker, &topic).await;
    assert_eq!(records.len(), 8 * 5 * 5 * 13, "each event once");
    let used: std::collections::HashSet<i32> = records.iter().map(|record| record.partition).collect();
    assert_eq!(used.len(), 7, "all partitions are used");
    assert!(by_analysis(&records).values().all(|events| events.is_sorted()));
    assert_complete(&*store.store, &broker, &topic).await;
}
