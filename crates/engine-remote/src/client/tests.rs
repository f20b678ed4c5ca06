//! What cannot be seen from outside of the crate: what a cluster is taken for, compression, and the limit of answers.

use std::io::Read as _;

use cantata_core::ClusterCredentials;
use cantata_testkit::engines;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::*;
use crate::request;
use crate::settings::{NodeAddress, Product};

fn client(proxy: &FaultProxy, product: Option<Product>) -> ClusterClient {
    let settings = RemoteSettings {
        hosts: vec![proxy.url()],
        product,
        credentials: ClusterCredentials::None,
        ca_certificate: None,
        timeout: Duration::from_secs(30),
        refresh_interval: Duration::ZERO,
    };
    ClusterClient::new(settings).unwrap()
}

/// Makes a connection that takes its node for one on another machine.
fn distant_connection(proxy: &FaultProxy) -> ClusterClient {
    let address =
        NodeAddress { is_local: false, ..NodeAddress::read(&proxy.url(), &ClusterCredentials::None).unwrap() };
    ClusterClient { nodes: NodePool::new(vec![address]), ..client(proxy, None) }
}

fn nodes() -> [(String, Product, u32); 3] {
    [
        (engines::opensearch(), Product::OpenSearch, 2),
        (engines::opensearch3(), Product::OpenSearch, 3),
        (engines::elasticsearch(), Product::Elasticsearch, 7),
    ]
}

#[tokio::test]
async fn a_cluster_is_recognised_once() {
    for (node, product, major) in nodes() {
        let proxy = FaultProxy::start(&node);
        let client = client(&proxy, None);
        for _ in 0..3 {
            let cluster = client.cluster_info().await.unwrap();
            assert_eq!((cluster.product, cluster.version.0), (product, major));
        }
        let targets: Vec<_> = proxy.requests().into_iter().map(|request| request.target).collect();
        assert_eq!(targets, ["/"]);
    }
}

#[tokio::test]
async fn calls_that_wait_for_one_answer_share_it() {
    let proxy = FaultProxy::start(&engines::opensearch());
    let client = client(&proxy, None);
    for (fault, is_known) in [(Fault::Status(500), false), (Fault::Html, false), (Fault::Pass, true)] {
        proxy.set(fault).await;
        proxy.clear_requests();
        let clusters = futures_util::future::join_all((0..20).map(|_| client.cluster_info())).await;
        assert!(clusters.iter().all(|cluster| cluster.is_ok() == is_known));
        assert_eq!(proxy.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_cluster_is_recognised_without_its_root() {
    for (node, product, major) in nodes() {
        for status in [400, 403, 404, 405] {
            let proxy = FaultProxy::start(&node);
            proxy.set_for_path("/", Fault::Status(status)).await;
            let cluster = client(&proxy, None).cluster_info().await.unwrap();
            assert_eq!((cluster.product, cluster.version.0), (product, major), "status {status}");
        }
    }
}

#[tokio::test]
async fn a_cluster_that_tells_nothing_is_what_the_settings_say() {
    let proxy = FaultProxy::start(&engines::opensearch());
    proxy.set(Fault::Status(403)).await;
    for (configured, product, version) in [
        (None, Product::OpenSearch, (2, 0)),
        (Some(Product::OpenSearch), Product::OpenSearch, (2, 0)),
        (Some(Product::Elasticsearch), Product::Elasticsearch, (7, 17)),
    ] {
        let cluster = client(&proxy, configured).cluster_info().await.unwrap();
        assert_eq!((cluster.product, cluster.version), (product, version));
    }
}

#[tokio::test]
async fn a_cluster_that_contradicts_the_settings_is_believed() {
    let proxy = FaultProxy::start(&engines::opensearch());
    let cluster = client(&proxy, Some(Product::Elasticsearch)).cluster_info().await.unwrap();
    assert_eq!(cluster.product, Product::OpenSearch);
}

#[tokio::test]
async fn large_requests_and_answers_are_compressed_on_the_way_to_another_machine() {
    let proxy = FaultProxy::start(&engines::opensearch());
    let words: Vec<String> = (0..5000).map(|number| format!("word number {number}")).collect();
    let body = json!({ "query": { "terms": { "x": words } } });
    let index = format!("/compressed-{}", std::process::id());
    let made = client(&proxy, None).send(request::create(index.clone(), &json!({}))).await.unwrap();
    assert_eq!(made.status, 200);
    // Answers with the query as it was read.
    let call = request::post(format!("{index}/_validate/query?explain=true&rewrite=true"), &body);
    for (client, is_compressed) in [(distant_connection(&proxy), true), (client(&proxy, None), false)] {
        proxy.clear_requests();
        let reply = client.send(call.clone()).await.unwrap();
        assert_eq!(reply.status, 200);
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(answer["valid"], true);
        let request = proxy.requests().pop().unwrap();
        if is_compressed {
            assert_eq!(request.header("content-encoding"), Some("gzip"));
            assert_eq!(request.header("accept-encoding"), Some("gzip"));
            let mut sent = String::new();
            GzDecoder::new(&*request.body).read_to_string(&mut sent).unwrap();
            assert_eq!(sent, body.to_string());
        } else {
            assert_eq!(request.header("content-encoding"), None);
            assert_eq!(request.header("accept-encoding"), Some("identity"));
            assert_eq!(request.body, body.to_string().into_bytes());
        }
    }
    let small = request::post(format!("{index}/_validate/query"), &json!({ "query": { "match_all": {} } }));
    distant_connection(&proxy).send(small).await.unwrap();
    assert_eq!(proxy.requests().pop().unwrap().header("content-encoding"), None);
    client(&proxy, None).send(request::delete(index, None)).await.unwrap();
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_refused() {
    let proxy = FaultProxy::start(&engines::opensearch());
    for client in [distant_connection(&proxy), client(&proxy, None)] {
        client.cluster_info().await.unwrap();
        proxy.clear_requests();
        let client = ClusterClient { max_response_bytes: 1000, ..client };
        let error = client.send(request::get("/_nodes")).await.unwrap_err();
        assert!(matches!(&error, EngineError::Rejected(text) if text.contains("too large")), "{error}");
        assert_eq!(proxy.requests().len(), 1);
        client.send(request::get("/_cat/health?format=json")).await.unwrap();
    }
}
