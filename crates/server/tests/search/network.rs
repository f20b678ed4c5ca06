//! The network of a catalogue, with real servers as its nodes.

mod access;
mod arranger;
mod compatibility;
mod failures;
mod field_kinds;
mod lying;
mod merging;

use std::time::Duration;

use cantata_testkit::fault_proxy::Fault;
use cantata_testkit::{TestCatalogues, TestClient, TestServer};
use serde_json::{Value, json};

use crate::support::data;

/// How often a state is looked for that comes by itself.
const MAX_POLLS: usize = 2_400;

const POLL_INTERVAL: Duration = Duration::from_millis(50);

fn mapping() -> Value {
    json!({"properties": {
        "study": {"type": "keyword"},
        "size": {"type": "long"},
        "quality": {"type": "double"},
        "made": {"type": "date"},
        "released": {"type": "boolean"},
        "donors": {"type": "nested", "properties": {
            "gender": {"type": "keyword"},
            "age": {"type": "integer"},
        }},
    }})
}

fn document(number: usize) -> Value {
    let gender = if number.is_multiple_of(3) { "Male" } else { "Female" };
    let mut document = json!({
        "study": format!("S{}", number % 4),
        "size": number * 3,
        "quality": (number % 8) as f64 / 4.0,
        "made": format!("2020-01-{:02}T00:00:00Z", 1 + number % 28),
        "released": number.is_multiple_of(2),
        "donors": [{"gender": gender, "age": number % 50}],
    });
    if number.is_multiple_of(7) {
        document.as_object_mut().unwrap().remove("study");
    }
    document
}

/// A catalogue with the documents of these numbers.
fn catalogue(numbers: &[usize]) -> TestCatalogues {
    let documents: Vec<(String, Value)> =
        numbers.iter().map(|number| (format!("f{number}"), document(*number))).collect();
    TestCatalogues::new().file("base.json", &json!({"documentType": "file", "esIndex": "files"})).index(
        "files",
        &mapping(),
        documents.iter().map(|(id, document)| (id.as_str(), document.clone())),
    )
}

/// The ways in which a node gives no answer that could be read.
fn unreadable() -> Vec<Fault> {
    vec![
        Fault::NoResponse,
        Fault::Status(500),
        Fault::Status(401),
        Fault::Html,
        Fault::TruncateJson,
        Fault::BreakMidResponse,
        Fault::DropResponse,
        Fault::NotHttp,
    ]
}

/// A server with the documents of these numbers.
async fn node(numbers: &[usize]) -> TestServer {
    TestServer::with_catalogues(catalogue(numbers)).await
}

/// A remote node in `network.json`; its id is its name.
fn remote(name: &str, url: &str, more: Value) -> Value {
    let mut node = json!({
        "displayName": name, "nodeId": name, "documentType": "file", "graphqlUrl": format!("{url}/graphql"),
    });
    node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    node
}

/// `network.json` with the own records as the node `own`.
fn network(remotes: &[Value]) -> Value {
    json!({"network": {"localNode": {"displayName": "own", "nodeId": "own"}, "remoteNodes": remotes}})
}

/// Asks the network, and returns its answer.
async fn ask(server: &TestClient, arguments: &str, selection: &str, variables: &Value) -> Value {
    let declared = if arguments.contains("$f") { "query($f: JSON) " } else { "" };
    let arguments = if arguments.is_empty() { String::new() } else { format!("({arguments})") };
    let query = format!("{declared}{{ network{arguments} {{ {selection} }} }}");
    data(&server.graphql("/graphql", &query, variables).await)["network"].take()
}

const NODES: &str = "complete nodes { nodeId name hits status errors contributed missingFields latencyMs version }";

/// Waits until a node of the network has a status.
async fn wait_for(server: &TestClient, name: &str, status: &str) {
    for _ in 0..MAX_POLLS {
        let answer = ask(server, "", NODES, &json!({})).await;
        if node_of(&answer, name)["status"] == status {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    panic!("{name} never had the status {status}");
}

/// Starts a server with a network, and waits until all its nodes are asked.
async fn start(catalogues: TestCatalogues, network: &Value) -> TestServer {
    let server = TestServer::with_catalogues(catalogues.file("network.json", network)).await;
    for node in network["network"]["remoteNodes"].as_array().unwrap() {
        wait_for(&server, node["displayName"].as_str().unwrap(), "OK").await;
    }
    server
}

/// Returns the state of a node in an answer.
#[track_caller]
fn node_of<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let nodes = answer["nodes"].as_array().unwrap();
    nodes.iter().find(|node| node["name"] == name).unwrap_or_else(|| panic!("{name} in {answer}"))
}
