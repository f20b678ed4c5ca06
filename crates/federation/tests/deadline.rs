//! An answer comes at its deadline with what is there by then, whatever nodes do.

use std::future::pending;
use std::time::Duration;

use async_trait::async_trait;
use cantata_catalogue::{NetworkConfig, NodeConfig, NodeNames, NodeTarget};
use cantata_federation::{LocalCatalogue, LocalCatalogues, Network};
use cantata_graphql::{GraphqlRequest, NetworkQuestion};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

const DEADLINE: Duration = Duration::from_secs(7);

/// Nodes of which the first answers at once, the second just in time, the third too late, and the fourth never.
struct Slow;

#[async_trait]
impl LocalCatalogues for Slow {
    fn catalogue(&self, _node: usize) -> Option<LocalCatalogue> {
        let document_type = "file".to_owned();
        Some(LocalCatalogue { document_type, fields: Vec::new(), suppression_threshold: None })
    }

    async fn query(&self, node: usize, _request: GraphqlRequest) -> Vec<u8> {
        match node {
            0 => {}
            1 => sleep(DEADLINE - Duration::from_millis(20)).await,
            2 => sleep(DEADLINE + Duration::from_millis(20)).await,
            _ => pending().await,
        }
        json!({"data": {"file": {"hits": {"total": 4}}}}).to_string().into_bytes()
    }
}

#[tokio::test(start_paused = true)]
async fn slow_nodes_are_left_out_at_the_deadline() {
    let node = |name: &str| NodeConfig {
        name: name.to_owned(),
        id: None,
        target: NodeTarget::Catalogue(name.to_owned()),
        names: NodeNames::default(),
        suppressed_below: None,
        portal_url: None,
    };
    let nodes = ["a", "b", "c", "d"].map(node).into();
    let config = NetworkConfig { nodes, deadline: DEADLINE, max_answer_bytes: 1024, memory_bytes: 1024 };
    let network = Network::start(&config);
    let started = Instant::now();
    let answer = network.ask(&NetworkQuestion::default(), &Slow, &[]).await.expect("the question is allowed");
    // The clock is that of the test, which stands still unless everything waits; its timers are exact to a millisecond.
    let taken = started.elapsed();
    assert!((DEADLINE..DEADLINE + Duration::from_millis(10)).contains(&taken), "{taken:?}");
    assert_eq!(answer["complete"], false);
    let states: Vec<(&Value, &Value)> = answer["nodes"]
        .as_array()
        .expect("there are nodes")
        .iter()
        .map(|node| (&node["hits"], &node["contributed"]))
        .collect();
    let (yes, no, four, none) = (json!(true), json!(false), json!(4), json!(0));
    assert_eq!(states, [(&four, &yes), (&four, &yes), (&none, &no), (&none, &no)]);
}
