//! What these tests share: an engine behind proxies, and indexes of their own.

use std::time::Duration;

use cantata_core::ClusterCredentials;
use cantata_engine::IndexAdmin as _;
use cantata_engine_remote::{RemoteEngine, RemoteSettings};
use cantata_testkit::fault_proxy::FaultProxy;
use serde_json::json;

pub(crate) fn settings(hosts: impl IntoIterator<Item = String>) -> RemoteSettings {
    RemoteSettings {
        hosts: hosts.into_iter().collect(),
        product: None,
        credentials: ClusterCredentials::None,
        ca_certificate: None,
        timeout: Duration::from_secs(120),
        refresh_interval: Duration::ZERO,
    }
}

pub(crate) fn engine<'a>(proxies: impl IntoIterator<Item = &'a FaultProxy>) -> RemoteEngine {
    RemoteEngine::new(settings(proxies.into_iter().map(FaultProxy::url))).unwrap()
}

/// Returns a name that no other test has.
pub(crate) fn unique_name(purpose: &str) -> String {
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    format!("cantata-connection-{purpose}-{}-{nanos}", std::process::id())
}

/// An index with a mapping, made on a node and removed from it.
pub(crate) struct TestIndex {
    pub(crate) name: String,
    direct: RemoteEngine,
}

impl TestIndex {
    pub(crate) async fn on(node: &str, purpose: &str) -> Self {
        let index =
            Self { name: unique_name(purpose), direct: RemoteEngine::new(settings([node.to_owned()])).unwrap() };
        let mapping = json!({ "properties": { "kind": { "type": "keyword" } } });
        index.direct.create_index(&index.name, Some(&mapping)).await.unwrap();
        index
    }

    pub(crate) async fn remove(self) {
        self.direct.delete_index(&self.name).await.unwrap();
    }
}
