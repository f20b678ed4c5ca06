//! Arranger's published server with servers of Cantata as the nodes of its network.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::node;

#[tokio::test]
async fn arranger_adds_up_the_counts_of_its_nodes() {
    let (one, other) = (node(&[1, 2, 3]).await, node(&[5, 6, 7, 8]).await);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/arranger-network/run");
    let mut command = Command::new(script);
    command.args(["study", one.base(), other.base()]);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["errors"].is_null(), "{answer}");
    let network = &answer["data"]["network"];
    let mut nodes = network["nodes"].as_array().unwrap().clone();
    nodes.sort_by_key(|node| node["name"].to_string());
    let status = |name: &str, hits: u64| json!({"name": name, "hits": hits, "status": "OK", "errors": ""});
    assert_eq!(nodes, [status("node 0", 3), status("node 1", 4)], "{answer}");
    let mut buckets: Vec<(String, u64)> = network["aggregations"]["study"]["buckets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bucket| (bucket["key"].as_str().unwrap().to_owned(), bucket["doc_count"].as_u64().unwrap()))
        .collect();
    buckets.sort();
    let expected = [("S0", 1), ("S1", 2), ("S2", 2), ("S3", 1), ("__missing__", 1)];
    assert_eq!(buckets, expected.map(|(key, count)| (key.to_owned(), count)), "{answer}");
}
