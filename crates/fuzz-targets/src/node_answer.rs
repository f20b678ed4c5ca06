//! The answer of a node of a network: it is used as a whole or not at all, and the merged answer has only counts.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use cantata_catalogue::{AggregationKind, NetworkConfig, NetworkField, NodeConfig, NodeNames, NodeTarget};
use cantata_federation::{LocalCatalogue, LocalCatalogues, Network};
use cantata_graphql::{GraphqlRequest, NamedRange, NetworkFacet, NetworkQuestion};
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("there is a runtime"));

static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let node = NodeConfig {
        name: "node".to_owned(),
        id: None,
        target: NodeTarget::OwnRecords,
        names: NodeNames::default(),
        suppressed_below: None,
        portal_url: None,
    };
    let (deadline, max_answer_bytes) = (Duration::from_secs(60), 1 << 20);
    Network::start(&NetworkConfig { nodes: vec![node], deadline, max_answer_bytes, memory_bytes: max_answer_bytes })
});

/// A node that answers everything with these bytes.
struct Answering(Vec<u8>);

#[async_trait]
impl LocalCatalogues for Answering {
    fn catalogue(&self, _node: usize) -> Option<LocalCatalogue> {
        let fields = [("study", AggregationKind::Plain), ("size", AggregationKind::Numeric)];
        let fields = fields.map(|(name, kind)| NetworkField { name: name.to_owned(), kind });
        Some(LocalCatalogue { document_type: "file".to_owned(), fields: fields.into(), suppression_threshold: None })
    }

    async fn query(&self, _node: usize, _request: GraphqlRequest) -> Vec<u8> {
        self.0.clone()
    }
}

/// Merges an answer.
pub fn target(bytes: &[u8]) {
    let range = NamedRange { key: "all".to_owned(), from: Some(0.0), to: None };
    let size = NetworkFacet {
        field: "size".to_owned(),
        buckets: true,
        max_buckets: None,
        key_texts: true,
        stats: true,
        histograms: vec![10.0],
        ranges: vec![vec![range]],
    };
    let study = NetworkFacet { field: "study".to_owned(), buckets: true, ..NetworkFacet::default() };
    let question = NetworkQuestion { has_plain_filter: true, facets: vec![study, size], ..NetworkQuestion::default() };
    let node = Answering(bytes.to_vec());
    let answer = RUNTIME.block_on(NETWORK.ask(&question, &node, &[])).expect("the question is allowed");
    let state = &answer["nodes"][0];
    let hits = state["hits"].as_u64().expect("hits are a count");
    if state["status"] == "ERROR" {
        assert!(hits == 0 && state["contributed"] == false && answer["complete"] == false, "{answer}");
    }
    for facet in ["study", "size"] {
        let mut keys = HashSet::new();
        let buckets = answer["aggregations"][facet]["buckets"].as_array().expect("there are buckets");
        for bucket in buckets {
            let key = bucket["key"].as_str().expect("a key is a text");
            assert!(keys.insert(key) && bucket["doc_count"].is_u64(), "{key:?}: {answer}");
        }
    }
}
