//! Several servers on one database, each with its own copy of the indexes.

use std::time::Duration;

use cantata_testkit::Payload;
use cantata_testkit::databases::postgres;
use serde_json::{Value, json};

use crate::server::{Data, Server};

/// How many analyses are published while a server is away.
const ANALYSES: usize = 300;

async fn total(server: &Server<'_>) -> Value {
    let answer = server.graphql("/graphql", "{ file { hits { total } } }", &json!({})).await.ok();
    answer["data"]["file"]["hits"]["total"].clone()
}

async fn until_ready(server: &Server<'_>) {
    for _ in 0..60_000 {
        if server.get("/ready").await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("{:#}", server.get("/ready").await.json());
}

/// Returns the data folders of two servers on one database.
fn folders_on(address: &str) -> [Data; 2] {
    [(); 2].map(|()| Data::new("files", &[("DATABASE_URL", address)]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_ready_once_its_copy_has_what_was_stored_while_it_was_away() {
    let database = postgres();
    let [first, second] = folders_on(&database.address());
    let one = Server::start(&first).await;
    one.create_study("S").await;
    let mut other = Server::start(&second).await;
    let id = one.submit(&Payload::new("S")).await;
    one.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.assert_status(200);
    other.until_indexed("files").await;
    other.kill();
    for _ in 1..ANALYSES {
        let id = one.submit(&Payload::new("S")).await;
        one.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.assert_status(200);
    }
    one.until_indexed("files").await;
    let expected = total(&one).await;
    assert_ne!(expected, 0);
    let other = Server::start(&second).await;
    until_ready(&other).await;
    assert_eq!(total(&other).await, expected);
    other.get("/metrics").await.assert_status(200);
    assert!(other.get("/metrics").await.text().contains("cantata_indexing_lag_changes{catalogue=\"files\"} 0"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_keeps_failing_is_reported_and_keeps_no_server_out_of_rotation() {
    let database = postgres();
    let [first, second] = folders_on(&database.address());
    let one = Server::start(&first).await;
    one.create_study("S").await;
    one.submit(&Payload::new("S")).await;
    one.until_indexed("files").await;
    // An index of this name is in the way of the copy.
    second.import("files", &json!({"_id": "1", "name": "a"}));
    let other = Server::start(&second).await;
    until_ready(&other).await;
    let ready = other.get("/ready").await.ok();
    assert_eq!(ready["status"], "healthy");
    assert!(ready["message"].as_str().unwrap().contains("cannot follow its source"), "{ready}");
    assert_eq!(other.indexing("files").await["status"], "failing");
    assert!(other.get("/metrics").await.text().contains("cantata_indexing_failing{catalogue=\"files\"} 1"));
}
