//! What becomes of requests and of what is shown when a cluster is down, silent, busy, closed or out of its mind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cantata_testkit::engines;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use serde_json::{Value, json};

use crate::cluster::{DOCUMENTS, Index};
use crate::server::{QUERY, Server, until};

const UNREACHABLE: &str = "the search engine cannot be reached";
const TIMED_OUT: &str = "the search engine did not answer in time";
const BUSY: &str = "the search engine is busy; try again later";
const DENIED: &str = "the search engine refused the credentials of this server";
const FAILED: &str = "the search engine failed; the log of the server says why";

/// A fault, the code that a catalogue shows, and the code and message of GraphQL.
const FAULTS: [(Fault, &str, &str, &str); 11] = [
    (Fault::Down, "connection_error", "SERVICE_UNAVAILABLE", UNREACHABLE),
    (Fault::NoResponse, "connection_error", "SERVICE_UNAVAILABLE", TIMED_OUT),
    (Fault::Status(429), "connection_error", "SERVICE_UNAVAILABLE", BUSY),
    (Fault::Status(503), "connection_error", "SERVICE_UNAVAILABLE", UNREACHABLE),
    (Fault::BreakMidResponse, "connection_error", "SERVICE_UNAVAILABLE", UNREACHABLE),
    (Fault::Status(401), "permission_denied", "INTERNAL_SERVER_ERROR", DENIED),
    (Fault::Status(403), "permission_denied", "INTERNAL_SERVER_ERROR", DENIED),
    (Fault::Status(500), "mapping_fetch_error", "INTERNAL_SERVER_ERROR", FAILED),
    (Fault::Html, "mapping_fetch_error", "INTERNAL_SERVER_ERROR", FAILED),
    (Fault::TruncateJson, "mapping_fetch_error", "INTERNAL_SERVER_ERROR", FAILED),
    (Fault::NotHttp, "mapping_fetch_error", "INTERNAL_SERVER_ERROR", FAILED),
];

fn all() -> Value {
    json!({ "data": { "plant": { "hits": { "total": DOCUMENTS.len() } } } })
}

/// Requires that a body tells nothing of the cluster.
#[track_caller]
fn assert_harmless(body: &str, proxy: &FaultProxy) {
    let address = proxy.url().replace("http://", "");
    let node = engines::opensearch().replace("http://", "");
    for told in
        [&*address, &node, "127.0.0.1", "_search", "_mapping", "match_all", "made by a test", "xception", "html"]
    {
        assert!(!body.contains(told), "{told:?} is in {body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalogue_tells_of_a_fault_while_it_lasts_and_recovers_by_itself() {
    let index = Index::small(&engines::opensearch());
    let proxy = FaultProxy::start(&engines::opensearch());
    let server = Server::of_plants(&index.name, &proxy.url()).await;
    server.until_available(&["plants"]).await;
    for (fault, shown, code, message) in FAULTS {
        assert_eq!(server.ask().await, all(), "before {fault:?}");
        proxy.set(fault.clone()).await;
        server.until_shown("plants", Some(shown)).await;
        let directory = server.directory().await;
        assert_eq!(
            (&directory["status"], &directory["catalogs"]["plants"]["status"]),
            (&json!("unhealthy"), &json!("failed"))
        );
        assert_harmless(&directory.to_string(), &proxy);
        let own = server.get("/introspection/plants").await;
        own.assert_status(503);
        // What is known from before is shown with the reason.
        let own = own.json();
        assert_eq!((&own["error"]["code"], &own["status"]), (&json!(shown), &json!("failed")), "{fault:?}");
        assert!(own["fields"]["name"].is_object(), "{own}");
        assert_harmless(&own.to_string(), &proxy);
        let ready = server.get("/ready").await;
        ready.assert_status(503);
        assert_eq!(ready.json(), json!({ "status": "unhealthy" }));

        let answer = server.ask().await;
        assert_eq!(answer["data"], json!({ "plant": { "hits": null } }), "{fault:?}");
        let expected = json!({ "message": message, "path": ["plant", "hits"], "extensions": { "code": code } });
        assert_eq!(answer["errors"][0], expected, "{fault:?}");
        assert_harmless(&answer.to_string(), &proxy);
        let download = server.download().await;
        // A cluster that refuses a request is to be asked again later.
        download.assert_text(if message.contains("busy") { 503 } else { 502 }, message);

        proxy.set(Fault::Pass).await;
        // Requests are tried with what is known, so the first one after the fault is answered.
        assert_eq!(server.ask().await, all(), "after {fault:?}");
        server.until_shown("plants", None).await;
        server.get("/ready").await.assert_status(200);
    }
    assert_harmless(&server.get("/introspection/plants").await.ok().to_string(), &proxy);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_starts_without_its_cluster_and_serves_it_once_it_is_there() {
    let index = Index::small(&engines::opensearch());
    let proxy = FaultProxy::start(&engines::opensearch());
    for (fault, shown, ..) in FAULTS {
        proxy.set(fault.clone()).await;
        let server = Server::of_plants(&index.name, &proxy.url()).await;
        server.until_shown("plants", Some(shown)).await;
        server.get("/ready").await.assert_status(503);
        let refused = server.graphql("/graphql", QUERY, &json!({})).await;
        refused.assert_status(404);
        assert_eq!(refused.json()["error"]["code"], shown, "{fault:?}");
        assert_harmless(refused.text(), &proxy);
        proxy.set(Fault::Pass).await;
        server.until_shown("plants", None).await;
        assert_eq!(server.ask().await, all(), "{fault:?}");
        server.get("/ready").await.assert_status(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn under_load_every_request_is_answered_whatever_happens_to_the_cluster() {
    let index = Index::small(&engines::opensearch());
    let proxy = FaultProxy::start(&engines::opensearch());
    let server = Arc::new(Server::of_plants(&index.name, &proxy.url()).await);
    server.until_available(&["plants"]).await;
    let is_over = Arc::new(AtomicBool::new(false));
    // How many requests of each client were answered, and how many failed.
    let counts: Arc<Vec<[AtomicUsize; 2]>> = Arc::new((0..8).map(|_| Default::default()).collect());
    let asking: Vec<_> = (0..counts.len())
        .map(|client| {
            let (server, is_over, counts) = (Arc::clone(&server), Arc::clone(&is_over), Arc::clone(&counts));
            tokio::spawn(async move {
                let [answered, failed] = &counts[client];
                while !is_over.load(Ordering::Relaxed) {
                    let answer = server.ask().await;
                    if answer == all() {
                        answered.fetch_add(1, Ordering::Relaxed);
                    } else {
                        assert_eq!(answer["errors"][0]["extensions"]["code"], "SERVICE_UNAVAILABLE", "{answer}");
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    let met_by_each = |which: usize| counts.iter().all(|count| count[which].load(Ordering::Relaxed) > 0);
    for _ in 0..3 {
        proxy.set(Fault::Down).await;
        server.until_shown("plants", Some("connection_error")).await;
        until("every client to fail", || server.log(), async || met_by_each(1)).await;
        proxy.set(Fault::Pass).await;
        server.until_shown("plants", None).await;
        until("every client to be answered", || server.log(), async || met_by_each(0)).await;
    }
    is_over.store(true, Ordering::Relaxed);
    for task in asking {
        task.await.unwrap();
    }
    assert_eq!(server.ask().await, all());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_look_without_an_answer_is_no_failure() {
    let index = Index::small(&engines::opensearch());
    let proxy = FaultProxy::start(&engines::opensearch());
    let server = Server::of_plants(&index.name, &proxy.url()).await;
    server.until_available(&["plants"]).await;
    proxy.clear_requests();
    proxy.set_for_next(1, Fault::NoResponse).await;
    until(
        "more looks",
        || server.log(),
        async || {
            assert_eq!(server.directory().await["catalogs"]["plants"]["status"], "available");
            proxy.requests().len() > 3
        },
    )
    .await;
}
