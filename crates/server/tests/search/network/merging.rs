//! What a network answers is what one index with all records answers.

use cantata_testkit::TestServer;
use cantata_testkit::fault_proxy::FaultProxy;
use http::Method;
use percent_encoding::percent_decode_str;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::{NODES, ask, catalogue, document, network, node, node_of, remote, start};
use crate::support::{counts, data, leaf};

const FACETS: &str = "study { bucket_count cardinality buckets { key doc_count } } \
                      donors__gender { bucket_count buckets { key doc_count } } \
                      quality { buckets { key doc_count } stats { min max avg sum count } } \
                      made { buckets { key key_as_string doc_count } } \
                      released { buckets { key key_as_string doc_count } } \
                      size { stats { min max avg sum count } \
                        histogram(interval: 10) { bucket_count buckets { key doc_count } } \
                        wide: histogram(interval: 45.5) { buckets { key doc_count } } \
                        range(ranges: [{from: 0, to: 30}, {key: \"big\", from: 30}]) { buckets { key doc_count } } }";

/// Sorts all buckets by key: where counts are equal, one index sorts by value and a network by text.
fn sort_buckets(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(sort_buckets),
        Value::Array(list) => list.sort_by_key(|bucket| bucket["key"].as_str().map(str::to_owned)),
        _ => {}
    }
}

fn random_filter(random: &mut StdRng, depth: usize) -> Value {
    if depth > 0 && random.random_bool(0.5) {
        let op = ["and", "or", "not"][random.random_range(0..3)];
        let parts: Vec<Value> = (0..random.random_range(1..4)).map(|_| random_filter(random, depth - 1)).collect();
        return json!({"op": op, "content": parts});
    }
    let number = random.random_range(0..200);
    match random.random_range(0..5) {
        0 => leaf("in", "study", json!([format!("S{}", number % 5), "__missing__"])),
        1 => leaf("in", "donors.gender", json!([(["Male", "Female"][number % 2])])),
        2 => leaf("gt", "size", json!([number])),
        3 => leaf("between", "size", json!([number / 2, number])),
        _ => leaf("not-in", "study", json!([format!("S{}", number % 4)])),
    }
}

/// How many random filters are tried; more with the environment variable `NETWORK_FILTERS`.
fn rounds() -> usize {
    std::env::var("NETWORK_FILTERS").ok().and_then(|text| text.parse().ok()).unwrap_or(60)
}

#[tokio::test]
async fn a_network_answers_like_one_index_with_all_records() {
    let mut random = StdRng::seed_from_u64(26);
    let mut parts = vec![Vec::new(); 4];
    for number in 0..80 {
        parts[random.random_range(0..4)].push(number);
    }
    let all: Vec<usize> = (0..80).collect();
    let whole = node(&all).await;
    let nodes = [node(&parts[1]).await, node(&parts[2]).await, node(&parts[3]).await];
    let remotes: Vec<Value> = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let kind = if index == 0 { "cantata" } else { "arranger" };
            remote(&format!("n{index}"), node.base(), json!({"kind": kind}))
        })
        .collect();
    let server = start(catalogue(&parts[0]), &network(&remotes)).await;
    for round in 0..rounds() {
        let filter = if round == 0 { Value::Null } else { random_filter(&mut random, 2) };
        let themselves = random.random_bool(0.5);
        let missing = random.random_bool(0.5);
        let arguments =
            format!("filters: $f, aggregations_filter_themselves: {themselves}, include_missing: {missing}");
        let query = format!(
            "query($f: JSON) {{ file {{ hits(filters: $f) {{ total }} aggregations({arguments}) {{ {FACETS} }} }} }}"
        );
        let variables = json!({"f": filter});
        let mut expected = data(&whole.graphql("/graphql", &query, &variables).await)["file"].take();
        let selection = format!("{NODES} aggregations {{ {FACETS} }}");
        let mut found = ask(&server, &arguments, &selection, &variables).await;
        assert_eq!(found["complete"], true, "{found}");
        let hits: u64 = found["nodes"].as_array().unwrap().iter().map(|node| node["hits"].as_u64().unwrap()).sum();
        assert_eq!(expected["hits"]["total"], hits, "{filter}");
        let (mut expected, mut found) = (expected["aggregations"].take(), found["aggregations"].take());
        sort_buckets(&mut expected);
        sort_buckets(&mut found);
        assert_eq!(found, expected, "{filter} {arguments}");
    }
}

#[tokio::test]
async fn a_page_with_histograms_is_one_request_to_each_node() {
    let other = node(&[1, 2, 3]).await;
    let proxy = FaultProxy::start(other.base());
    let more = json!({"requests": {"headers": ["X-Own"]}});
    let server = start(catalogue(&[5, 9]), &network(&[remote("other", &proxy.url(), more)])).await;
    proxy.clear_requests();
    let asked = || {
        let requests = proxy.requests().into_iter();
        requests.filter(|request| String::from_utf8_lossy(&request.body).contains("nodeQuery")).count()
    };
    let extent = "complete nodes { name hits status } \
                  aggregations { size { stats { min max avg } } made { stats { count } } }";
    let known = ask(&server, "maxAge: 600", extent, &json!({})).await;
    assert_eq!(asked(), 0, "the extent of numbers and dates is known");
    let ranges = "aggregations { size { range(ranges: [{from: 0, to: 30}]) { buckets { key doc_count } } } }";
    ask(&server, "maxAge: 600", ranges, &json!({})).await;
    assert_eq!(asked(), 1);
    assert_eq!(ask(&server, "", extent, &json!({})).await, known);
    assert_eq!(asked(), 2, "without an age the node is asked");
    let filter = leaf("in", "study", json!(["S1"]));
    let filtered = ask(&server, "filters: $f, maxAge: 600", extent, &json!({"f": filter})).await;
    assert_eq!((&node_of(&filtered, "other")["hits"], asked()), (&json!(1), 3));
    // The node may answer another client differently.
    let headers = [("content-type", "application/json"), ("x-own", "own")];
    let body = json!({"query": format!("{{ network(maxAge: 600) {{ {extent} }} }}")}).to_string().into_bytes();
    server.send(Method::POST, "/graphql", &headers, Some(body)).await.assert_status(200);
    assert_eq!(asked(), 4);
}

#[tokio::test]
async fn a_node_does_no_work_that_the_page_does_not_show() {
    let other = node(&[1, 2, 3]).await;
    let proxy = FaultProxy::start(other.base());
    let server = start(catalogue(&[5, 9]), &network(&[remote("other", &proxy.url(), json!({}))])).await;
    proxy.clear_requests();
    let page = "aggregations { study { bucket_count buckets { key } } size { stats { max } } }";
    ask(&server, "", page, &json!({})).await;
    let requests = proxy.requests();
    let asked = requests.iter().find(|request| String::from_utf8_lossy(&request.body).contains("nodeQuery")).unwrap();
    let body = String::from_utf8_lossy(&asked.body);
    assert!(body.contains("study { buckets { key doc_count } } size { stats { min max sum count } }"), "{body}");
    assert_eq!(asked.header("accept-encoding"), None, "a node nearby need not compress its answer");
}

#[tokio::test]
async fn nodes_are_listed_by_name_with_what_they_contributed() {
    let other = node(&[1, 2, 3]).await;
    let server = start(catalogue(&[4, 5]), &network(&[remote("a node", other.base(), json!({}))])).await;
    let answer = ask(&server, "", NODES, &json!({})).await;
    let names: Vec<&Value> = answer["nodes"].as_array().unwrap().iter().map(|node| &node["name"]).collect();
    assert_eq!(names, ["a node", "own"]);
    let mut remote = node_of(&answer, "a node").clone();
    assert!(remote["latencyMs"].is_u64(), "{remote}");
    assert_eq!(remote["version"], env!("CARGO_PKG_VERSION"));
    remote["latencyMs"].take();
    remote["version"].take();
    assert_eq!(
        remote,
        json!({"nodeId": "a node", "name": "a node", "hits": 3, "status": "OK", "errors": "", "contributed": true,
            "missingFields": [], "latencyMs": null, "version": null})
    );
    let answer = ask(&server, "nodesFilter: [\"own\"]", NODES, &json!({})).await;
    let excluded = node_of(&answer, "a node");
    assert_eq!((&excluded["hits"], &excluded["status"]), (&json!(0), &json!("OK")));
    assert_eq!((&excluded["contributed"], &answer["complete"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn a_node_without_a_field_is_named_and_its_records_have_a_bucket() {
    let mapping = json!({"properties": {"size": {"type": "long"}, "only_here": {"type": "keyword"}}});
    let documents = [("a", json!({"size": 1, "only_here": "x"})), ("b", json!({"size": 2, "only_here": "y"}))];
    let other = cantata_testkit::TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .index("files", &mapping, documents);
    let other = TestServer::with_catalogues(other).await;
    let server = start(catalogue(&[1, 2, 3, 5]), &network(&[remote("other", other.base(), json!({}))])).await;
    let selection = format!(
        "{NODES} aggregations {{ __typename study {{ __typename bucket_count buckets(max: 1) {{ key doc_count }} }} \
         only_here {{ buckets {{ key doc_count }} }} size {{ __typename }} }}"
    );
    let answer = ask(&server, "", &selection, &json!({})).await;
    assert_eq!(answer["complete"], false);
    assert_eq!(node_of(&answer, "other")["missingFields"], json!(["study"]));
    assert_eq!(node_of(&answer, "own")["missingFields"], json!(["only_here"]));
    let aggregations = &answer["aggregations"];
    assert_eq!(aggregations["__typename"], "NodeAggregations");
    assert_eq!(aggregations["study"]["__typename"], "Aggregations");
    assert_eq!(aggregations["size"]["__typename"], "NumericAggregations");
    assert_eq!(counts(&aggregations["study"]["buckets"]), [("S1", 2)]);
    assert_eq!(aggregations["study"]["bucket_count"], 4);
    assert_eq!(
        counts(&aggregations["only_here"]["buckets"]),
        [("x", 1), ("y", 1), ("___aggregation_not_available___", 4)]
    );
}

#[tokio::test]
async fn fields_and_values_of_a_node_can_have_other_names() {
    let mapping = json!({"properties": {"project": {"type": "keyword"}, "size": {"type": "long"}}});
    // One record has the name that the network has.
    let document = |project: &str| json!({"project": project, "size": 1});
    let documents = [("a", document("one")), ("b", document("two")), ("c", document("S1"))];
    let other = cantata_testkit::TestCatalogues::new()
        .file("base.json", &json!({"documentType": "thing", "esIndex": "things"}))
        .index("things", &mapping, documents);
    let other = TestServer::with_catalogues(other).await;
    let names = json!({"documentType": "thing", "fields": {"study": "project"}, "values": {"study": {"S1": "one"}}});
    let server = start(catalogue(&[1, 2]), &network(&[remote("other", other.base(), names)])).await;
    let selection = format!("{NODES} aggregations {{ study {{ buckets {{ key doc_count }} }} }}");
    let answer = ask(&server, "", &selection, &json!({})).await;
    assert_eq!(counts(&answer["aggregations"]["study"]["buckets"]), [("S1", 3), ("S2", 1), ("two", 1)]);
    let filter = leaf("in", "study", json!(["S1"]));
    let answer = ask(&server, "filters: $f", NODES, &json!({"f": filter})).await;
    assert_eq!((&node_of(&answer, "other")["hits"], &node_of(&answer, "own")["hits"]), (&json!(2), &json!(1)));
}

#[tokio::test]
async fn the_counts_of_each_node_can_be_shown_and_its_portal_opened() {
    let other = node(&[1, 2, 3]).await;
    let more = json!({"portalUrl": "https://n.example.org/portal/explore/files?filter={filters}", "fields": {"kind": "study"}});
    let down = remote("down", "http://127.0.0.1:1", json!({}));
    let network = network(&[remote("other", other.base(), more), down]);
    let server = TestServer::with_catalogues(catalogue(&[5, 6]).file("network.json", &network)).await;
    super::wait_for(&server, "other", "OK").await;
    let filter = leaf("in", "kind", json!(["S1", "S2"]));
    let selection = "suppressedBelow nodes { name link aggregations { size { stats { count max } } } } \
                     aggregations { size { stats { count max } } }";
    let answer = ask(&server, "filters: $f", selection, &json!({"f": filter})).await;
    let of_other = node_of(&answer, "other");
    assert_eq!(of_other["aggregations"]["size"]["stats"], json!({"count": 2, "max": 6}));
    let link = of_other["link"].as_str().unwrap();
    let encoded = link.strip_prefix("https://n.example.org/portal/explore/files?filter=").unwrap();
    let sent: Value = serde_json::from_str(&percent_decode_str(encoded).decode_utf8().unwrap()).unwrap();
    assert_eq!(sent, leaf("in", "study", json!(["S1", "S2"])), "by the names of the node");
    let failed = node_of(&answer, "down");
    assert_eq!((&failed["aggregations"], &failed["link"]), (&Value::Null, &Value::Null));
    assert_eq!(answer["suppressedBelow"], Value::Null);
}

#[tokio::test]
async fn another_catalogue_of_the_server_can_be_a_node() {
    let documents: Vec<(String, Value)> = (1..4).map(|number| (format!("f{number}"), document(number))).collect();
    let documents = || documents.iter().map(|(id, document)| (id.as_str(), document.clone()));
    let network = json!({"network": {
        "localNode": {"displayName": "own", "nodeId": "own"},
        "localNodes": [
            {"displayName": "second", "nodeId": "second", "catalogue": "beta"},
            {"displayName": "none", "nodeId": "none", "catalogue": "gamma"},
        ],
    }});
    let catalogues = cantata_testkit::TestCatalogues::new()
        .file("alpha/base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .file("alpha/network.json", &network)
        .file("beta/base.json", &json!({"documentType": "record", "esIndex": "records"}))
        .index("files", &super::mapping(), documents().take(1))
        .index("records", &super::mapping(), documents());
    let server = TestServer::with_catalogues(catalogues).await;
    let query = format!("{{ network {{ {NODES} aggregations {{ study {{ buckets {{ key doc_count }} }} }} }} }}");
    let answer = data(&server.graphql("/alpha/graphql", &query, &json!({})).await)["network"].take();
    assert_eq!((&node_of(&answer, "own")["hits"], &node_of(&answer, "second")["hits"]), (&json!(1), &json!(3)));
    assert_eq!(node_of(&answer, "none")["status"], "ERROR");
    assert_eq!(answer["complete"], false);
    assert_eq!(counts(&answer["aggregations"]["study"]["buckets"]), [("S1", 2), ("S2", 1), ("S3", 1)]);
}
