//! A broker that is not there is no reason not to serve.

use cantata_testkit::kafka::{self, DedicatedBroker, free_port};
use serde_json::Value;

use crate::server::{STUDY, Server};
use cantata_testkit::Payload;

#[tokio::test(flavor = "multi_thread")]
async fn serving_goes_on_while_the_broker_is_away() {
    let address = format!("127.0.0.1:{}", free_port());
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), &address, &kafka::unique_topic(), &[]);
    let client = server.client().await;
    client.create_study(STUDY).await;
    client.submit(&Payload::new(STUDY).with_files(1)).await;
    server.until("the broker to be missed", |outbox| outbox["status"] == "FAILING").await;
    let outbox = server.outbox().await;
    assert_eq!(outbox["problem"], "the brokers cannot be reached");
    assert_eq!((&outbox["sent"], &outbox["latest"], &outbox["behind"]), (&Value::Null, &Value::from(1), &Value::Null));
    assert_eq!(client.get("/actuator/health").await.ok()["status"], "UP");
    client.submit(&Payload::new(STUDY).with_files(1)).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_while_the_broker_was_away_is_sent_when_it_is_back() {
    let broker = DedicatedBroker::start("");
    let topic = kafka::unique_topic();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &broker.address(), &topic, &[]);
    let client = server.client().await;
    client.create_study(STUDY).await;
    client.submit(&Payload::new(STUDY).with_files(1)).await;
    server.until_sent().await;
    broker.stop();
    for _ in 0..5 {
        client.submit(&Payload::new(STUDY).with_files(1)).await;
    }
    server.until("the broker to be missed", |outbox| outbox["status"] == "FAILING" && outbox["behind"] == 5).await;
    broker.restart();
    server.until_sent().await;
    assert_eq!(server.outbox().await["status"], "SENDING");
    server.assert_complete(&broker.address(), &topic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_brokers_there_is_nothing_to_look_at() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), "", "unused", &[]);
    server.client().await.get("/admin/outbox").await.assert_error_id(404, "path.not.found");
}
