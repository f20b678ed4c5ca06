//! Two servers on one database: one sends, and the other takes over.

use cantata_testkit::{databases, kafka};

use crate::server::{STUDY, Server, Writers};

/// Starts two servers on a database; the first one sends.
async fn two(folder: &std::path::Path, database: &str, broker: &str, topic: &str) -> (Server, Server) {
    let variables = [("DATABASE_URL", database)];
    let first = Server::start(&folder.join("first"), broker, topic, &variables);
    first.until("the first to send", |outbox| outbox["status"] == "SENDING").await;
    first.client().await.create_study(STUDY).await;
    let second = Server::start(&folder.join("second"), broker, topic, &variables);
    second.until("the second to stand by", |outbox| outbox["status"] == "STANDING_BY").await;
    (first, second)
}

#[tokio::test(flavor = "multi_thread")]
async fn another_server_takes_over_from_one_that_was_killed() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let (folder, database) = (tempfile::tempdir().unwrap(), databases::postgres());
    let (mut first, second) = two(folder.path(), &database.address(), &broker, &topic).await;
    let here = Writers::start(&second);
    first.until("some events to be sent", |outbox| outbox["sent"].as_u64() > Some(100)).await;
    first.kill();
    second.until("the second to send", |outbox| outbox["status"] == "SENDING").await;
    here.end().await;
    second.until_sent().await;
    second.assert_complete(&broker, &topic).await;
}

/// A paused process holds the lease until it runs out, knows nothing of that when it wakes, and goes on with what it was
/// about to send.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_paused_cannot_disturb_the_order() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let (folder, database) = (tempfile::tempdir().unwrap(), databases::postgres());
    let (first, second) = two(folder.path(), &database.address(), &broker, &topic).await;
    let here = Writers::start(&second);
    first.until("some events to be sent", |outbox| outbox["sent"].as_u64() > Some(100)).await;
    first.signal("STOP");
    second.until("the second to send", |outbox| outbox["status"] == "SENDING").await;
    first.signal("CONT");
    first.until("the first to stand by", |outbox| outbox["status"] == "STANDING_BY").await;
    here.end().await;
    second.until_sent().await;
    second.assert_complete(&broker, &topic).await;
}
