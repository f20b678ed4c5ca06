//! A catalogue beside a SONG server, which another server of ours plays.

use std::time::Duration;

use cantata_testkit::{Payload, kafka};
use serde_json::{Value, json};

use crate::server::{Data, Server};

/// How often something is looked for until the test gives up.
const MAX_POLLS: usize = 1_200;

#[tokio::test(flavor = "multi_thread")]
async fn a_song_server_that_is_asked_again_and_again_is_followed_through_a_restart() {
    let data = Data::new("files", &[]);
    let song = Server::start(&data).await;
    let source = json!({"document": "file-centric", "song": {"url": song.base, "pollSeconds": 1}});
    followed(&song, &Data::with_source("files", &[], &source)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_topic_of_a_song_server_is_followed_through_a_restart() {
    let (broker, topic) = (kafka::broker(), kafka::unique_topic());
    kafka::create_topic(&broker, &topic, 2).await;
    let data = Data::new("files", &[("KAFKA_BOOTSTRAP_SERVERS", &broker), ("KAFKA_TOPIC", &topic)]);
    let song = Server::start(&data).await;
    let kafka = json!({"brokers": broker, "topic": topic});
    let source = json!({"document": "file-centric", "song": {"url": song.base, "pollSeconds": 1, "kafka": kafka}});
    followed(&song, &Data::with_source("files", &[], &source)).await;
}

async fn followed(song: &Server<'_>, beside: &Data) {
    song.create_study("S").await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(published(song).await);
    }
    let mut catalogue = Server::start(beside).await;
    until_total(&catalogue, 5).await;
    ids.push(published(song).await);
    until_total(&catalogue, 6).await;
    change(song, "unpublish", &ids[0]).await;
    change(song, "suppress", &ids[1]).await;
    until_total(&catalogue, 4).await;
    assert_eq!(catalogue.indexing("files").await["source"], "song");
    catalogue.kill();
    change(song, "unpublish", &ids[2]).await;
    published(song).await;
    published(song).await;
    let catalogue = Server::start(beside).await;
    until_total(&catalogue, 5).await;
}

async fn published(song: &Server<'_>) -> String {
    let id = song.submit(&Payload::new("S")).await;
    change(song, "publish", &id).await;
    id
}

async fn change(song: &Server<'_>, change: &str, id: &str) {
    song.put_empty(&format!("/studies/S/analysis/{change}/{id}")).await.assert_status(200);
}

/// Waits until the catalogue has this many files.
async fn until_total(catalogue: &Server<'_>, files: u64) {
    let mut answer = Value::Null;
    for _ in 0..MAX_POLLS {
        // The catalogue is not there before its index is.
        if catalogue.get("/ready").await.status == 200 {
            answer = catalogue.graphql("/graphql", "{ file { hits { total } } }", &json!({})).await.json();
            if answer["data"]["file"]["hits"]["total"] == files {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{files} files were expected: {answer} {:#}", catalogue.indexing("files").await);
}
