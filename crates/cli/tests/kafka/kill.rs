//! SIGKILL in the middle of sending.

use cantata_testkit::kafka;

use crate::server::{STUDY, Server, Writers};

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_sends_the_rest_after_it_is_started_again() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let folder = tempfile::tempdir().unwrap();
    let mut sent = 0;
    for round in 0..5 {
        let mut server = Server::start(folder.path(), &broker, &topic, &[]);
        if round == 0 {
            server.client().await.create_study(STUDY).await;
        }
        let writers = Writers::start(&server);
        server.until("some events to be sent", |outbox| outbox["sent"].as_u64() > Some(sent + 50)).await;
        sent = server.outbox().await["sent"].as_u64().unwrap();
        server.kill();
        writers.end().await;
    }
    let mut server = Server::start(folder.path(), &broker, &topic, &[]);
    server.until_sent().await;
    server.assert_complete(&broker, &topic).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_told_to_stop_repeats_nothing_afterwards() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let mut server = Server::start(folder.path(), &broker, &topic, &[]);
        if round == 0 {
            server.client().await.create_study(STUDY).await;
        }
        let writers = Writers::start(&server);
        server.until("some events to be sent", |outbox| outbox["sent"].as_u64() > Some(round * 100)).await;
        writers.end().await;
        server.stop();
    }
    let server = Server::start(folder.path(), &broker, &topic, &[]);
    server.until_sent().await;
    let mut events: Vec<u64> = kafka::records(&broker, &topic).await.iter().map(|record| record.event).collect();
    events.sort_unstable();
    assert!(events.windows(2).all(|pair| pair[0] + 1 == pair[1]), "each event once");
    server.assert_complete(&broker, &topic).await;
}
