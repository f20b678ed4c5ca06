//! Searches with many patterns whose clients leave: they end, and others are answered.

use cantata_testkit::{TestCatalogues, TestServer, raw};
use serde_json::{Value, json};

use crate::support::{open, soon, until};

/// More than run at once on any machine; all their work would take minutes.
const CLIENTS: usize = 100;

/// As many as a filter may have.
const PATTERNS: usize = 1_000;

const VALUES: usize = 5_000;

const TOTAL: &str = "{ file { hits { total } } }";

fn catalogue(index: &str) -> Value {
    json!({"documentType": "file", "esIndex": index})
}

/// A search that compares every value with every pattern, and finds nothing; no two of them are the same. No two letters of
/// a pattern stand together, so no index excludes a value.
fn search_of(client: usize) -> Vec<u8> {
    let pattern = |number: usize| {
        let digits: String = format!("{client}{number:04}").chars().map(|digit| format!("?{digit}")).collect();
        format!("*j?j{digits}*")
    };
    let parts: Vec<Value> = (0..PATTERNS)
        .map(|number| json!({"op": "wildcard", "content": {"fieldNames": ["name"], "value": pattern(number)}}))
        .collect();
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let body = json!({"query": query, "variables": {"f": {"op": "or", "content": parts}}}).to_string();
    raw::request("POST", b"/heavy/graphql", &["content-type: application/json"], body.as_bytes())
}

/// Returns how many requests wait for their answer, besides the one for this.
async fn waiting(server: &TestServer) -> usize {
    let metrics = server.get("/metrics").await;
    let mut lines = metrics.text().lines();
    let value = lines.find_map(|line| line.strip_prefix("cantata_http_requests_in_flight ")).unwrap();
    value.parse::<usize>().unwrap().saturating_sub(1)
}

async fn total(server: &TestServer, catalogue: &str) -> Value {
    let answer = server.graphql(&format!("/{catalogue}/graphql"), TOTAL, &json!({})).await.ok();
    answer["data"]["file"]["hits"]["total"].clone()
}

#[tokio::test]
async fn light_searches_are_answered_after_the_clients_of_heavy_ones_have_left() {
    let mapping = json!({"properties": {"name": {"type": "keyword"}}});
    let ids: Vec<String> = (0..VALUES).map(|number| number.to_string()).collect();
    let text = "abcdefghij".repeat(24);
    let documents = ids.iter().map(|id| (id.as_str(), json!({"name": format!("{id} {text}")})));
    let catalogues = TestCatalogues::new()
        .file("heavy/base.json", &catalogue("heavy"))
        .file("light/base.json", &catalogue("light"))
        .index("heavy", &mapping, documents)
        .index("light", &mapping, [("1", json!({"name": "x"}))]);
    let server = TestServer::with_catalogues(catalogues).await;
    let mut clients = Vec::new();
    for client in 0..CLIENTS {
        clients.push(open(server.address(), &search_of(client)).await);
    }
    until("heavy searches", async || waiting(&server).await > CLIENTS / 2).await;
    drop(clients);
    assert_eq!(soon("a search of another catalogue", total(&server, "light")).await, 1);
    assert_eq!(soon("a search of the same catalogue", total(&server, "heavy")).await, VALUES);
    until("the end of the heavy searches", async || waiting(&server).await == 0).await;
}
