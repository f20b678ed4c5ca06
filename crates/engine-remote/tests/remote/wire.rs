//! What a request says beside its body: who asks, and in which form.

use std::io::Write;
use std::sync::{Arc, Mutex};

use cantata_core::{ClusterCredentials, Secret};
use cantata_engine::{IndexAdmin as _, IndexReader as _, IndexWriter as _, WriteOperation};
use cantata_engine_remote::{RemoteEngine, RemoteSettings};
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use cantata_testkit::{MockServer, engines};
use serde_json::json;

use crate::bed::{TestIndex, settings};

fn basic() -> ClusterCredentials {
    ClusterCredentials::Basic { user: Secret::new("ada"), password: Secret::new("pass:wörd") }
}

/// `ada:pass:wörd` as the header has it.
const BASIC: &str = "Basic YWRhOnBhc3M6d8O2cmQ=";

#[tokio::test]
async fn every_request_says_who_asks() {
    let node = engines::opensearch();
    let index = TestIndex::on(&node, "who").await;
    let proxy = FaultProxy::start(&node);
    let plain = proxy.url();
    let with_user = plain.replace("http://", "http://ada:pass%3Aw%C3%B6rd@");
    let cases = [
        (plain.clone(), ClusterCredentials::None, None),
        (plain.clone(), basic(), Some(BASIC)),
        (plain, ClusterCredentials::ApiKey(Secret::new("a2V5")), Some("ApiKey a2V5")),
        (with_user.clone(), ClusterCredentials::None, Some(BASIC)),
        (with_user, ClusterCredentials::ApiKey(Secret::new("a2V5")), Some("ApiKey a2V5")),
    ];
    for (host, credentials, expected) in cases {
        proxy.clear_requests();
        let engine = RemoteEngine::new(RemoteSettings { credentials, ..settings([host]) }).unwrap();
        engine.mapping(&index.name).await.unwrap();
        let requests = proxy.requests();
        assert!(requests.len() >= 2, "{requests:?}");
        for request in requests {
            assert_eq!(request.header("authorization"), expected);
            assert_eq!(request.header("user-agent"), Some(concat!("cantata/", env!("CARGO_PKG_VERSION"))));
        }
    }
    index.remove().await;
}

#[tokio::test]
async fn a_path_of_an_address_comes_before_every_path() {
    let proxy = FaultProxy::start(&engines::opensearch());
    let engine = RemoteEngine::new(settings([format!("{}/behind/this/", proxy.url())])).unwrap();
    // The node knows no such paths, but has seen them.
    let _ = engine.mapping("x").await;
    let paths: Vec<_> = proxy.requests().into_iter().map(|request| request.target).collect();
    assert_eq!(paths[0], "/behind/this/");
    assert!(paths.iter().all(|path| path.starts_with("/behind/this/")), "{paths:?}");
}

/// A server that only says that it is a version of Elasticsearch, seen by a proxy.
async fn media_types(version: &'static str) -> [Option<String>; 3] {
    let about = MockServer::start(move |_| (200, json!({ "version": { "number": version } }).to_string())).await;
    let proxy = FaultProxy::start(&about.url);
    let engine = RemoteEngine::new(settings([proxy.url()])).unwrap();
    let _ = engine.create_index("x", None).await;
    let _ = engine.write("x", vec![WriteOperation::Delete { id: "1".to_owned() }]).await;
    let requests = proxy.requests();
    let json = requests.iter().find(|request| request.method == "PUT").unwrap();
    let lines = requests.iter().find(|request| request.path().ends_with("_bulk")).unwrap();
    assert_eq!(json.header("accept"), lines.header("accept"));
    let owned = |text: Option<&str>| text.map(str::to_owned);
    [owned(json.header("accept")), owned(json.header("content-type")), owned(lines.header("content-type"))]
}

#[tokio::test]
async fn the_form_is_that_of_the_version() {
    let plain = ["application/json", "application/json", "application/x-ndjson"].map(|text| Some(text.to_owned()));
    let compatible = |major: u32| {
        let json = format!("application/vnd.elasticsearch+json; compatible-with={major}");
        let lines = format!("application/vnd.elasticsearch+x-ndjson; compatible-with={major}");
        [Some(json.clone()), Some(json), Some(lines)]
    };
    assert_eq!(media_types("7.17.29").await, plain);
    assert_eq!(media_types("8.19.0-SNAPSHOT").await, compatible(8));
    assert_eq!(media_types("9.5.3").await, compatible(9));
    assert_eq!(media_types("10.0.0").await, compatible(9));
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_log_has_the_host_and_the_reason_but_no_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(move || writer.clone());
    let _guard = tracing::subscriber::set_default(subscriber.finish());
    let proxy = FaultProxy::start(&engines::opensearch());
    let with_user = proxy.url().replace("http://", "http://ada:p4ssword@");
    for (host, credentials) in [
        (with_user, ClusterCredentials::None),
        (proxy.url(), ClusterCredentials::Basic { user: Secret::new("ada"), password: Secret::new("p4ssword") }),
        (proxy.url(), ClusterCredentials::ApiKey(Secret::new("p4ssword"))),
    ] {
        let engine = RemoteEngine::new(RemoteSettings { credentials, ..settings([host]) }).unwrap();
        for fault in [Fault::Status(401), Fault::Status(500), Fault::NotHttp, Fault::Down, Fault::Pass] {
            proxy.set(fault).await;
            let _ = engine.mapping("cantata-connection-no-such-index").await;
        }
    }
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains(&proxy.url()) && text.contains("refused") && text.contains("attempts=4"), "{text}");
    // In plain text, and as the header of `ada:p4ssword` has it.
    for secret in ["p4ssword", "YWRhOnA0c3N3b3Jk"] {
        assert!(!text.contains(secret), "{text}");
    }
}
