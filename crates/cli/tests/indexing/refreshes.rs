//! Refreshes of indexes on clusters: fewer than batches, and nothing is told to be indexed that searches do not show.

use std::time::Duration;

use cantata_testkit::fault_proxy::{FaultProxy, RecordedRequest};
use cantata_testkit::{Payload, engines};
use serde_json::json;
use uuid::Uuid;

use crate::assert_counted;
use crate::server::{Data, Server, http};

/// How many files each analysis has.
const FILES: usize = 2;

/// An interval that is not over before the test is.
const ENDLESS_MS: &str = "3600000";

fn is_batch(request: &RecordedRequest) -> bool {
    request.path().ends_with("/_bulk")
}

fn is_refresh(request: &RecordedRequest) -> bool {
    request.path().ends_with("/_refresh") || request.target.ends_with("/_bulk?refresh=true")
}

fn count(proxy: &FaultProxy, which: fn(&RecordedRequest) -> bool) -> usize {
    proxy.requests().iter().filter(|request| which(request)).count()
}

fn data(proxy: &FaultProxy, interval: &str) -> Data {
    let (index, host) = (format!("fed-{}", Uuid::new_v4()), proxy.url());
    Data::new(&index, &[("ES_HOST", host.as_str()), ("ES_REFRESH_INTERVAL_MS", interval)])
}

async fn submit(server: &Server<'_>, analyses: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..analyses {
        ids.push(server.submit(&Payload::new("S").with_files(FILES)).await);
    }
    ids
}

/// Changes the state of an analysis, and waits until the cluster has got it in a batch of its own.
async fn change(server: &Server<'_>, proxy: &FaultProxy, change: &str, id: &str) {
    let before = count(proxy, is_batch);
    server.put_empty(&format!("/studies/S/analysis/{change}/{id}")).await.assert_status(200);
    for _ in 0..6_000 {
        if count(proxy, is_batch) > before {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{:#}", server.indexing("files").await);
}

/// From now on the cluster refreshes nothing by itself.
async fn stop_refreshes(server: &Server<'_>, cluster: &str) {
    let status = server.indexing("files").await;
    let url = format!("{cluster}/{}/_settings", status["index"].as_str().unwrap());
    let settings = json!({"index": {"refresh_interval": "-1"}}).to_string();
    let answer = http().put(url).header("content-type", "application/json").body(settings).send().await.unwrap();
    assert_eq!(answer.status(), 200);
}

async fn lag(server: &Server<'_>) -> u64 {
    server.indexing("files").await["behind"].as_u64().unwrap()
}

/// Until it is refreshed, nothing is told to be indexed; it is found when it is to be deleted, and by the next process.
async fn unrefreshed_changes_are_found_by_those_who_must(cluster: &str) {
    let proxy = FaultProxy::start(cluster);
    let data = data(&proxy, ENDLESS_MS);
    let mut server = Server::start(&data).await;
    server.create_study("S").await;
    let ids = submit(&server, 4).await;
    change(&server, &proxy, "publish", &ids[0]).await;
    assert_eq!(assert_counted(&server).await, FILES as u64, "the first change does not wait");

    stop_refreshes(&server, cluster).await;
    proxy.clear_requests();
    for id in &ids[1..] {
        change(&server, &proxy, "publish", id).await;
    }
    change(&server, &proxy, "unpublish", &ids[0]).await;
    assert_eq!((count(&proxy, is_batch), count(&proxy, is_refresh)), (4, 0));
    assert_ne!(lag(&server).await, 0);

    change(&server, &proxy, "unpublish", &ids[1]).await;
    assert_eq!((count(&proxy, is_batch), count(&proxy, is_refresh)), (5, 1));
    let last = proxy.requests().into_iter().rfind(is_batch).unwrap();
    let deletions = String::from_utf8(last.body).unwrap().matches("{\"delete\":").count();
    assert_eq!(deletions, FILES, "what was written without a refresh");
    assert_ne!(lag(&server).await, 0);

    server.kill();
    let server = Server::start(&data).await;
    assert_eq!(assert_counted(&server).await, 2 * FILES as u64);
}

/// Deletions are visible when the position says so, after fewer refreshes than batches.
async fn refreshed_together(cluster: &str) {
    let proxy = FaultProxy::start(cluster);
    let data = data(&proxy, "5000");
    let server = Server::start(&data).await;
    server.create_study("S").await;
    let ids = submit(&server, 8).await;
    for id in &ids {
        change(&server, &proxy, "publish", id).await;
    }
    assert_eq!(assert_counted(&server).await, (8 * FILES) as u64);

    stop_refreshes(&server, cluster).await;
    proxy.clear_requests();
    for id in &ids[..6] {
        change(&server, &proxy, "unpublish", id).await;
    }
    assert_eq!(assert_counted(&server).await, (2 * FILES) as u64);
    let (batches, refreshes) = (count(&proxy, is_batch), count(&proxy, is_refresh));
    assert!(batches == 6 && (1..batches).contains(&refreshes), "{refreshes} refreshes for {batches} batches");
}

#[tokio::test(flavor = "multi_thread")]
async fn unrefreshed_changes_are_found_on_opensearch() {
    unrefreshed_changes_are_found_by_those_who_must(&engines::opensearch()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unrefreshed_changes_are_found_on_elasticsearch() {
    unrefreshed_changes_are_found_by_those_who_must(&engines::elasticsearch()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_are_refreshed_together_on_opensearch() {
    refreshed_together(&engines::opensearch()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_are_refreshed_together_on_elasticsearch() {
    refreshed_together(&engines::elasticsearch()).await;
}
