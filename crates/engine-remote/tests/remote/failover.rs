//! Two nodes of a cluster, of which one fails: nobody notices, and it is used again when it works again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cantata_engine::{EngineError, IndexReader as _};
use cantata_engine_remote::{RemoteEngine, RemoteSettings};
use cantata_testkit::engines;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};

use crate::bed::{TestIndex, engine, settings};

#[tokio::test]
async fn nodes_take_turns() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "turns").await;
    let (one, two) = (FaultProxy::start(&node), FaultProxy::start(&node));
    let engine = engine([&one, &two]);
    engine.mapping(&index.name).await.unwrap();
    one.clear_requests();
    two.clear_requests();
    for _ in 0..10 {
        engine.mapping(&index.name).await.unwrap();
    }
    assert_eq!((one.requests().len(), two.requests().len()), (5, 5));
    index.remove().await;
}

#[tokio::test]
async fn the_other_node_answers_when_one_fails() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "failover").await;
    for fault in [
        Fault::Down,
        Fault::NotHttp,
        Fault::DropResponse,
        Fault::BreakMidResponse,
        Fault::Status(502),
        Fault::Status(503),
        Fault::Status(504),
    ] {
        let (bad, good) = (FaultProxy::start(&node), FaultProxy::start(&node));
        bad.set(fault.clone()).await;
        let began = Instant::now();
        let engine = engine([&bad, &good]);
        for _ in 0..5 {
            engine.mapping(&index.name).await.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        }
        let asked = bad.requests().len() as u64;
        // A node that fails is left alone for a second at least.
        let allowed = 1 + began.elapsed().as_secs();
        assert!(asked <= allowed || fault == Fault::Down, "a node with {fault:?} was asked {asked} times");
    }
    index.remove().await;
}

#[tokio::test]
async fn the_other_node_answers_when_one_is_silent() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "hanging").await;
    let (bad, good) = (FaultProxy::start(&node), FaultProxy::start(&node));
    let short = RemoteSettings { timeout: Duration::from_secs(10), ..settings([bad.url(), good.url()]) };
    let engine = RemoteEngine::new(short).unwrap();
    engine.mapping(&index.name).await.unwrap();
    bad.set(Fault::NoResponse).await;
    for _ in 0..3 {
        engine.mapping(&index.name).await.unwrap();
    }
    index.remove().await;
}

#[tokio::test]
async fn a_cluster_that_was_gone_is_found_at_once() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "gone").await;
    let proxies = [FaultProxy::start(&node), FaultProxy::start(&node)];
    let engine = engine(&proxies);
    for _ in 0..2 {
        for proxy in &proxies {
            proxy.set(Fault::Down).await;
        }
        for _ in 0..3 {
            assert_eq!(engine.mapping(&index.name).await.unwrap_err(), EngineError::Unreachable);
        }
        for proxy in &proxies {
            proxy.set(Fault::Pass).await;
        }
        engine.mapping(&index.name).await.unwrap();
    }
    index.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_nobody_notices_a_node_that_comes_and_goes() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "load").await;
    let (steady, restless) = (FaultProxy::start(&node), FaultProxy::start(&node));
    let engine = Arc::new(engine([&steady, &restless]));
    let is_over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let (engine, index, is_over) = (Arc::clone(&engine), index.name.clone(), Arc::clone(&is_over));
            tokio::spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    engine.mapping(&index).await?;
                }
                Ok::<(), EngineError>(())
            })
        })
        .collect();
    for fault in [Fault::Down, Fault::DropResponse, Fault::Status(503), Fault::BreakMidResponse, Fault::Down] {
        restless.clear_requests();
        answers_come(&restless).await;
        restless.set(fault).await;
        steady.clear_requests();
        answers_come(&steady).await;
        restless.set(Fault::Pass).await;
    }
    // It is used again, though nobody told the engine.
    restless.clear_requests();
    answers_come(&restless).await;
    is_over.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap().unwrap();
    }
    index.remove().await;
}

/// Waits until a node was asked many times.
async fn answers_come(proxy: &FaultProxy) {
    let many = async {
        while proxy.requests().len() < 50 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), many).await.expect("the node is not asked any more");
}
