//! What a single node does to a request on a bad day: the right error after the right number of attempts, and
//! recovery by itself.

use std::time::Duration;

use cantata_engine::{EngineError, Filter, HitsRequest, IndexAdmin as _, IndexReader as _, SearchPlan};
use cantata_engine_remote::{RemoteEngine, RemoteSettings};
use cantata_testkit::engines;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use serde_json::json;

use crate::bed::{TestIndex, engine, settings, unique_name};

fn failed(text: &str) -> EngineError {
    EngineError::Failed(text.to_owned())
}

fn refused(text: &str) -> EngineError {
    EngineError::Rejected(text.to_owned())
}

/// A node that has answered before, then fails, then recovers.
async fn fails(node: &str, index: &str, fault: Fault, expected: EngineError, attempts: usize) {
    let proxy = FaultProxy::start(node);
    let engine = engine([&proxy]);
    engine.mapping(index).await.unwrap();
    proxy.set(fault.clone()).await;
    proxy.clear_requests();
    let error = engine.mapping(index).await.unwrap_err();
    assert_eq!(error, expected, "{fault:?}");
    assert!(!error.to_string().contains("127.0.0.1") && !error.to_string().contains(index), "{error}");
    assert_eq!(proxy.requests().len(), attempts, "{fault:?}");
    proxy.set(Fault::Pass).await;
    engine.mapping(index).await.unwrap_or_else(|error| panic!("{fault:?} is over, but: {error}"));
}

#[tokio::test]
async fn every_fault_gives_its_error_after_its_attempts() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "faults").await;
    let own = failed("it answered with an error of its own");
    let redirect = failed("it sends to another address, which is not followed");
    let too_long = refused("the request is larger than the search engine accepts; use fewer values in the filter");
    let cases = [
        (Fault::Status(401), EngineError::PermissionDenied, 1),
        (Fault::Status(403), EngineError::PermissionDenied, 1),
        (Fault::Status(413), too_long, 1),
        (Fault::Status(429), EngineError::Busy, 4),
        // Longer than the whole request may take.
        (Fault::RetryAfter(429, 3600), EngineError::Busy, 1),
        (Fault::RetryAfter(429, u64::MAX), EngineError::Busy, 1),
        (Fault::RetryAfter(503, 3600), EngineError::Unreachable, 1),
        (Fault::Status(500), own.clone(), 1),
        (Fault::Status(501), own, 1),
        (Fault::Status(502), EngineError::Unreachable, 4),
        (Fault::Status(503), EngineError::Unreachable, 4),
        (Fault::Status(504), EngineError::TimedOut, 4),
        (Fault::Status(301), redirect.clone(), 1),
        (Fault::Status(307), redirect, 1),
        (Fault::Html, failed("its answer is not JSON"), 1),
        (Fault::TruncateJson, failed("its answer is not JSON"), 1),
        (Fault::BreakMidResponse, EngineError::Unreachable, 4),
        (Fault::DropResponse, EngineError::Unreachable, 4),
        (Fault::NotHttp, failed("its answer is not HTTP"), 4),
        (Fault::Down, EngineError::Unreachable, 0),
    ];
    let runs = cases.map(|(fault, expected, attempts)| fails(&node, &index.name, fault, expected, attempts));
    futures_util::future::join_all(runs).await;
    index.remove().await;
}

#[tokio::test]
async fn a_fault_that_passes_is_not_seen() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "passing").await;
    let proxy = FaultProxy::start(&node);
    let engine = engine([&proxy]);
    engine.mapping(&index.name).await.unwrap();
    for (requests, fault) in [
        (3, Fault::Status(429)),
        (3, Fault::Status(503)),
        (1, Fault::RetryAfter(429, 1)),
        (2, Fault::BreakMidResponse),
        (2, Fault::DropResponse),
        (1, Fault::NotHttp),
        (1, Fault::Delay(Duration::from_millis(50))),
    ] {
        proxy.set_for_next(requests, fault.clone()).await;
        proxy.clear_requests();
        engine.mapping(&index.name).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        let expected = if matches!(fault, Fault::Delay(_)) { requests } else { requests + 1 };
        assert_eq!(proxy.requests().len(), expected, "{fault:?}");
    }
    index.remove().await;
}

#[tokio::test]
async fn a_node_that_is_silent_does_not_outlast_the_time_limit() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "silent").await;
    let proxy = FaultProxy::start(&node);
    let short = RemoteSettings { timeout: Duration::from_secs(3), ..settings([proxy.url()]) };
    let engine = RemoteEngine::new(short).unwrap();
    proxy.set(Fault::NoResponse).await;
    // Before and after it is known what the cluster is.
    for is_known in [false, true] {
        assert_eq!(engine.mapping(&index.name).await.unwrap_err(), EngineError::TimedOut, "known: {is_known}");
        proxy.set(Fault::Pass).await;
        engine.mapping(&index.name).await.unwrap();
        proxy.set(Fault::NoResponse).await;
    }
    index.remove().await;
}

#[tokio::test]
async fn a_cluster_that_fails_at_the_first_use_is_asked_again() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "start").await;
    let proxy = FaultProxy::start(&node);
    let engine = engine([&proxy]);
    for (fault, expected) in [
        (Fault::Down, EngineError::Unreachable),
        (Fault::Status(401), EngineError::PermissionDenied),
        (Fault::Status(403), EngineError::PermissionDenied),
        (Fault::Status(429), EngineError::Busy),
        (Fault::Html, failed("its answer is not JSON")),
    ] {
        proxy.set(fault).await;
        assert_eq!(engine.mapping(&index.name).await.unwrap_err(), expected);
    }
    proxy.set(Fault::Pass).await;
    engine.mapping(&index.name).await.unwrap();
    index.remove().await;
}

#[tokio::test]
async fn a_server_that_is_no_search_engine_is_told_apart() {
    let other = cantata_testkit::MockServer::start(|_| (200, json!({ "hello": "world" }).to_string())).await;
    let engine = RemoteEngine::new(settings([other.url.clone()])).unwrap();
    let error = engine.mapping("anything").await.unwrap_err();
    assert_eq!(error, failed("it is neither OpenSearch nor Elasticsearch"));
}

#[tokio::test]
async fn what_cannot_be_repeated_is_sent_once_unless_it_was_not_done() {
    let node = engines::opensearch();
    let proxy = FaultProxy::start(&node);
    let engine = engine([&proxy]);
    engine.indexes().await.unwrap();
    for (fault, attempts, is_made) in [
        (Fault::DropResponse, 1, false),
        (Fault::BreakMidResponse, 1, false),
        (Fault::Status(502), 1, false),
        (Fault::Status(504), 1, false),
        (Fault::Status(429), 2, true),
        (Fault::Status(503), 2, true),
    ] {
        let name = unique_name("once");
        proxy.set_for_next(1, fault.clone()).await;
        proxy.clear_requests();
        let made = engine.create_index(&name, None).await;
        assert_eq!(made.is_ok(), is_made, "{fault:?}: {made:?}");
        assert_eq!(proxy.requests().len(), attempts, "{fault:?}");
        if is_made || matches!(fault, Fault::DropResponse | Fault::BreakMidResponse) {
            engine.delete_index(&name).await.unwrap();
        }
    }
}

#[tokio::test]
async fn an_index_without_its_shards_is_told_apart_from_a_cluster_that_is_gone() {
    for node in [engines::opensearch(), engines::opensearch3(), engines::elasticsearch()] {
        let name = unique_name("red");
        let settings = json!({ "settings": { "index.routing.allocation.require._name": "nobody" } });
        // Making it in the ordinary way would wait for its shards.
        let url = format!("{node}/{name}?wait_for_active_shards=0");
        let client = reqwest::Client::builder().tls_certs_only([]).build().unwrap();
        let request = client.put(url).header("content-type", "application/json").body(settings.to_string());
        assert_eq!(request.send().await.unwrap().status(), 200);
        let engine = RemoteEngine::new(crate::bed::settings([node])).unwrap();
        let hits = HitsRequest { size: 1, total: true, documents: true, ..HitsRequest::default() };
        let plan = SearchPlan { filters: vec![Filter::All], hits: vec![hits], facets: vec![] };
        let error = engine.search(&name, plan.into()).await.unwrap_err();
        assert!(matches!(&error, EngineError::Failed(text) if text.contains("not available")), "{error}");
        engine.delete_index(&name).await.unwrap();
    }
}
