//! What Arranger sends as the asking server, what portals made for it send, and where introspection is off.

use std::sync::atomic::{AtomicUsize, Ordering};

use cantata_testkit::{MockServer, TestServer, raw};
use serde_json::json;

use super::{NODES, ask, catalogue, network, node, node_of, remote, start, wait_for};
use crate::support::{counts, data, server_with};

#[tokio::test]
async fn a_catalogue_answers_an_arranger_that_has_it_as_a_node() {
    let node = node(&[1, 2, 3]).await;
    let query = "query getAggregationTypes($documentTypeName: String!) { __type(name: $documentTypeName) { name \
                 fields { name type { name } } } }";
    let body = json!({"query": query, "variables": {"documentTypeName": "fileAggregations"}}).to_string();
    let headers = ["content-type: application/json", "x-request-type: GraphQL"];
    let request = raw::request("POST", b"/graphql", &headers, body.as_bytes());
    let response = raw::exchange(node.address(), &request).await.unwrap();
    assert!(response.head.starts_with("HTTP/1.1 200 OK\r\n"), "{}", response.head);
    let answer = response.json();
    let fields = answer["data"]["__type"]["fields"].as_array().unwrap();
    assert!(fields.contains(&json!({"name": "study", "type": {"name": "Aggregations"}})), "{answer}");
    assert!(fields.contains(&json!({"name": "size", "type": {"name": "NumericAggregations"}})), "{answer}");
    let query = "query nodeQuery($filters: JSON, $aggregations_filter_themselves: Boolean, $include_missing: Boolean) { \
                 file { hits(filters: $filters) { total } aggregations(filters: $filters, \
                 aggregations_filter_themselves: $aggregations_filter_themselves, include_missing: $include_missing) { \
                 study { bucket_count buckets { key doc_count } } } } }";
    let variables = json!({"filters": {"op": "and", "content": []}, "aggregations_filter_themselves": true,
        "include_missing": true});
    let answer = data(&node.graphql("/graphql", query, &variables).await);
    assert_eq!(answer["file"]["hits"]["total"], 3);
    assert_eq!(answer["file"]["aggregations"]["study"]["bucket_count"], 3);
}

#[tokio::test]
async fn charts_of_arranger_get_both_answers_in_one_request() {
    let other = node(&[1, 2, 3]).await;
    let server = start(catalogue(&[5]), &network(&[remote("other", other.base(), json!({}))])).await;
    let query = "query ChartsQuery($filters: JSON, $nodesFilter: [String]) { \
                 file { aggregations(filters: $filters, include_missing: true, aggregations_filter_themselves: true) { \
                   study { __typename bucket_count buckets { doc_count key } } } } \
                 network(filters: $filters, nodesFilter: $nodesFilter, aggregations_filter_themselves: true) { \
                   aggregations { study { __typename bucket_count buckets { doc_count key } } } \
                   nodes { hits name nodeId errors status } } }";
    let answer = data(&server.graphql("/graphql", query, &json!({"filters": null, "nodesFilter": []})).await);
    assert_eq!(answer["file"]["aggregations"]["study"]["bucket_count"], 1);
    assert_eq!(
        answer["network"],
        json!({
            "aggregations": {"study": {"__typename": "Aggregations", "bucket_count": 3, "buckets": [
                {"doc_count": 2, "key": "S1"}, {"doc_count": 1, "key": "S2"}, {"doc_count": 1, "key": "S3"},
            ]}},
            "nodes": [
                {"hits": 3, "name": "other", "nodeId": "other", "errors": "", "status": "OK"},
                {"hits": 1, "name": "own", "nodeId": "own", "errors": "", "status": "OK"},
            ],
        })
    );
}

#[tokio::test]
async fn an_arranger_is_asked_for_what_its_numbers_have() {
    let fields = json!({"data": {
        "__type": {"name": "fileAggregations", "fields": [{"name": "size", "type": {"name": "NumericAggregations"}}]},
        "numeric": {"fields": [{"name": "stats"}, {"name": "histogram"}]},
    }});
    let steps = json!({"buckets": [{"key": "10", "doc_count": 3}, {"key": "40", "doc_count": 1}]});
    let size = json!({"stats": {"count": 4, "min": 12, "max": 40, "sum": 100}, "histogram": steps});
    let answer = json!({"data": {"file": {"hits": {"total": 4}, "aggregations": {"size": size}}}});
    let calls = AtomicUsize::new(0);
    let arranger = MockServer::start(move |_| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => (200, fields.to_string()),
        _ => (200, answer.to_string()),
    })
    .await;
    let server = start(catalogue(&[1]), &network(&[remote("arranger", &arranger.url, json!({}))])).await;
    arranger.take_requests();
    let numbers =
        "complete aggregations { size { stats { count max } histogram(interval: 10) { buckets { key doc_count } } } }";
    let answer = ask(&server, "", numbers, &json!({})).await;
    assert_eq!(answer["complete"], true, "{answer}");
    assert_eq!(answer["aggregations"]["size"]["stats"], json!({"count": 5, "max": 40}));
    let steps = counts(&answer["aggregations"]["size"]["histogram"]["buckets"]);
    assert_eq!(steps, [("0", 1), ("10", 3), ("20", 0), ("30", 0), ("40", 1)]);
    let requests = arranger.take_requests();
    let [request] = requests.as_slice() else { panic!("one request for a page: {requests:?}") };
    assert!(request.contains("nodeQuery") && !request.contains("bucket_count"), "{request}");
    let values = format!("{NODES} aggregations {{ size {{ buckets {{ key doc_count }} }} }}");
    let answer = ask(&server, "", &values, &json!({})).await;
    assert_eq!(answer["complete"], false);
    assert_eq!(node_of(&answer, "arranger")["missingFields"], json!(["size"]));
    let values = counts(&answer["aggregations"]["size"]["buckets"]);
    assert_eq!(values, [("3", 1), ("___aggregation_not_available___", 4)]);
}

#[tokio::test]
async fn a_cantata_node_needs_no_graphql_introspection() {
    let closed = server_with(json!({"disableGraphQLIntrospection": true})).await;
    let remotes = [remote("closed", closed.base(), json!({"kind": "cantata"}))];
    let server = start(catalogue(&[1, 2]), &network(&remotes)).await;
    let selection = format!(
        "{NODES} aggregations {{ size {{ stats {{ count }} }} file__format {{ buckets {{ key doc_count }} }} }}"
    );
    let answer = ask(&server, "", &selection, &json!({})).await;
    assert_eq!(node_of(&answer, "closed")["hits"], 5);
    assert_eq!(answer["aggregations"]["size"]["stats"]["count"], 6);
}

#[tokio::test]
async fn a_catalogue_without_a_network_has_no_such_field() {
    let server = node(&[1]).await;
    server.graphql("/graphql", "{ network { nodes { name } } }", &json!({})).await.assert_status(400);
}

#[tokio::test]
async fn introspection_and_metrics_show_the_nodes() {
    let other = node(&[1, 2, 3]).await;
    let down = remote("down", "http://127.0.0.1:1", json!({}));
    let network = network(&[remote("other", other.base(), json!({})), down]);
    let server = TestServer::with_catalogues(catalogue(&[5]).file("network.json", &network)).await;
    wait_for(&server, "other", "OK").await;
    let described = server.get("/introspection/fields").await.ok();
    assert_eq!(
        described["network"]["nodes"],
        json!([
            {"nodeId": "own", "name": "own", "remote": false, "asked": true},
            {"nodeId": "other", "name": "other", "remote": true, "asked": true, "version": env!("CARGO_PKG_VERSION")},
            {"nodeId": "down", "name": "down", "remote": true, "asked": false,
                "error": "the fields of the node are not known yet"},
        ])
    );
    assert_eq!(described["network"]["fields"]["study"], "Aggregations");
    assert_eq!(described["network"]["fields"]["size"], "NumericAggregations");
    assert!(!described.to_string().contains("127.0.0.1"), "{described}");
    let text = server.get("/metrics").await.text().to_owned();
    let of_node = |name: &str, node: &str| -> u64 {
        let is_it = |line: &&str| line.starts_with(&format!("{name}{{")) && line.contains(&format!("node=\"{node}\""));
        let line = text.lines().find(is_it).unwrap_or_else(|| panic!("{name} of {node} in {text}"));
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(["own", "other", "down"].map(|node| of_node("cantata_network_node_up", node)), [1, 1, 0]);
    let questions = |node: &str| of_node("cantata_network_questions_total", node);
    let failures = |node: &str| of_node("cantata_network_failures_total", node);
    assert!(questions("other") > failures("other"), "{text}");
    assert!(questions("down") > 0 && questions("down") == failures("down"), "{text}");
    of_node("cantata_network_answer_milliseconds_total", "other");
}
