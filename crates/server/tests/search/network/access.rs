//! Access rules hold over a network: those of the catalogue that is asked, and those of each node.

use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use cantata_testkit::{TestCatalogues, TestServer};
use http::Method;
use serde_json::{Value, json};

use super::{MAX_POLLS, NODES, POLL_INTERVAL, ask, catalogue, network, node, node_of, remote, start};
use crate::support::{counts, leaf, refused};

const FACETS: &str = "aggregations { study { bucket_count buckets { key doc_count } } \
                      donors__gender { buckets { key doc_count } } made { buckets { key doc_count } } \
                      size { buckets { key doc_count } stats { count sum min max avg } \
                        histogram(interval: 5) { buckets { key doc_count } } \
                        range(ranges: [{from: 0}]) { buckets { key doc_count } } } }";

fn with_access(numbers: &[usize], access: &Value) -> TestCatalogues {
    catalogue(numbers).file("access.json", &json!({"access": access}))
}

#[tokio::test]
async fn rules_over_records_hold_at_every_node() {
    let other = node(&[1, 2, 3, 4, 5]).await;
    let rules = json!({"records": [{"scope": "*", "filter": leaf("in", "study", json!(["S1"]))}]});
    let server = start(with_access(&[1, 2, 9], &rules), &network(&[remote("other", other.base(), json!({}))])).await;
    let selection =
        format!("{NODES} aggregations {{ study {{ buckets {{ key doc_count }} }} size {{ stats {{ max }} }} }}");
    for themselves in [true, false] {
        for filter in [Value::Null, leaf("in", "study", json!(["S1", "S2"])), leaf("not-in", "study", json!(["S2"]))] {
            let arguments = format!("filters: $f, aggregations_filter_themselves: {themselves}");
            let answer = ask(&server, &arguments, &selection, &json!({"f": filter})).await;
            assert_eq!((&node_of(&answer, "own")["hits"], &node_of(&answer, "other")["hits"]), (&json!(2), &json!(2)));
            assert_eq!(counts(&answer["aggregations"]["study"]["buckets"]), [("S1", 4)], "{filter} {arguments}");
            assert_eq!(answer["aggregations"]["size"]["stats"]["max"], 27);
        }
    }
    // What this server has read of the node without the rules is no answer.
    let answer = ask(&server, "maxAge: 600", "aggregations { size { stats { count max } } }", &json!({})).await;
    assert_eq!(answer["aggregations"]["size"]["stats"], json!({"count": 4, "max": 27}));
}

#[tokio::test]
async fn a_node_applies_its_own_rules() {
    let rules = json!({"records": [{"scope": "*", "filter": leaf("in", "study", json!(["S1"]))}]});
    let other = TestServer::with_catalogues(with_access(&[1, 2, 3, 5], &rules)).await;
    let server = start(catalogue(&[2]), &network(&[remote("other", other.base(), json!({}))])).await;
    let stats = "size { stats { count max } }";
    let selection = format!("{NODES} aggregations {{ study {{ buckets {{ key doc_count }} }} {stats} }}");
    let answer = ask(&server, "", &selection, &json!({})).await;
    assert_eq!(node_of(&answer, "other")["hits"], 2);
    assert_eq!(counts(&answer["aggregations"]["study"]["buckets"]), [("S1", 2), ("S2", 1)]);
    let known = ask(&server, "maxAge: 600", &format!("aggregations {{ {stats} }}"), &json!({})).await;
    for answer in [answer, known] {
        assert_eq!(answer["aggregations"]["size"]["stats"], json!({"count": 3, "max": 15}));
    }
}

#[tokio::test]
async fn statistics_of_a_node_that_denies_access_are_not_kept() {
    let other = node(&[1, 3]).await;
    let proxy = FaultProxy::start(other.base());
    let server = start(catalogue(&[2]), &network(&[remote("other", &proxy.url(), json!({}))])).await;
    let selection = format!("{NODES} aggregations {{ size {{ stats {{ count max }} }} }}");
    let known = ask(&server, "maxAge: 600", &selection, &json!({})).await;
    assert_eq!(known["aggregations"]["size"]["stats"], json!({"count": 3, "max": 9}));
    // A request that the node does not understand lets its fields be read again.
    proxy.set(Fault::Status(400)).await;
    ask(&server, "", NODES, &json!({})).await;
    proxy.set(Fault::Status(401)).await;
    for _ in 0..MAX_POLLS {
        let answer = ask(&server, "maxAge: 600", &selection, &json!({})).await;
        if node_of(&answer, "other")["status"] == "ERROR" {
            assert_eq!(answer["aggregations"]["size"]["stats"], json!({"count": 1, "max": 6}));
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    panic!("the statistics of a node that denies access are still shown");
}

#[tokio::test]
async fn without_a_visible_record_the_network_is_not_asked() {
    let other = node(&[1]).await;
    let proxy = FaultProxy::start(other.base());
    let rules = json!({"records": [{"scope": "members", "filter": null}]});
    let network = network(&[remote("other", &proxy.url(), json!({}))]);
    let server = TestServer::with_catalogues(with_access(&[2], &rules).file("network.json", &network)).await;
    let answer = server.graphql("/graphql", "{ network { nodes { hits } } }", &json!({})).await;
    assert!(refused(&answer, 200, "BAD_USER_INPUT").contains("show no record to you"));
    let asked =
        proxy.requests().into_iter().filter(|request| String::from_utf8_lossy(&request.body).contains("nodeQuery"));
    assert_eq!(asked.count(), 0);
}

#[tokio::test]
async fn what_the_catalogue_hides_cannot_be_asked_of_a_node() {
    let other = node(&[1, 2, 3]).await;
    let rules = json!({
        "records": [{"scope": "*", "filter": null}],
        "fields": [{"hide": ["donors.gender"]}, {"mask": ["size"]}],
    });
    let server = start(with_access(&[4], &rules), &network(&[remote("other", other.base(), json!({}))])).await;
    for field in ["donors__gender", "size"] {
        let query = format!("{{ network {{ aggregations {{ {field} {{ buckets {{ key }} }} }} }} }}");
        let answer = server.graphql("/graphql", &query, &json!({})).await;
        let message = refused(&answer, 400, "GRAPHQL_VALIDATION_FAILED");
        assert!(message.contains(&format!("Cannot query field \"{field}\"")), "{message}");
    }
    let query = "query($f: JSON) { network(filters: $f) { nodes { hits } } }";
    let mut messages = Vec::new();
    for field in ["donors.gender", "donors__gender", "size", "nothing"] {
        let filter = leaf("in", field, json!(["Male"]));
        let answer = server.graphql("/graphql", query, &json!({"f": filter})).await;
        messages.push(refused(&answer, 200, "BAD_USER_INPUT").replace(field, "FIELD"));
    }
    messages.dedup();
    assert_eq!(messages, ["Invalid filter: no node of the network has a field \"FIELD\""], "hidden is like unknown");
}

/// Collects every count in an answer.
fn numbers(value: &Value, found: &mut Vec<u64>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "doc_count" | "hits" => found.push(member.as_u64().unwrap()),
                    _ => numbers(member, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|element| numbers(element, found)),
        _ => {}
    }
}

/// Asks every subset of nodes with plain filters, and requires that nothing is shown but multiples of the threshold:
/// then no difference of two answers is a small number either.
async fn assert_suppressed(server: &TestServer, threshold: u64) {
    let filters = [
        Value::Null,
        leaf("in", "study", json!(["S1"])),
        leaf("in", "donors.gender", json!(["Male"])),
        leaf("in", "study", json!(["S1", "S2"])),
    ];
    let names = ["own", "one", "two"];
    for subset in 1..8_usize {
        let ids: Vec<&str> =
            names.iter().enumerate().filter(|(index, _)| subset & (1 << *index) != 0).map(|(_, name)| *name).collect();
        for filter in &filters {
            for themselves in [true, false] {
                let arguments =
                    format!("filters: $f, nodesFilter: {}, aggregations_filter_themselves: {themselves}", json!(ids));
                let answer = ask(server, &arguments, &format!("{NODES} {FACETS}"), &json!({"f": filter})).await;
                let mut found = Vec::new();
                numbers(&answer, &mut found);
                assert!(found.len() >= 3, "{answer}");
                assert!(found.iter().all(|count| count.is_multiple_of(threshold)), "{ids:?} {filter}: {answer}");
                let size = &answer["aggregations"]["size"];
                assert_eq!(size["stats"], Value::Null);
                assert_eq!(size["histogram"]["buckets"].as_array().map_or(0, Vec::len), 0, "{size}");
            }
        }
    }
    let answer = ask(server, "maxAge: 600", "aggregations { size { stats { count } } }", &json!({})).await;
    assert_eq!(answer["aggregations"]["size"]["stats"], Value::Null);
    let narrow = leaf("gt", "size", json!([3]));
    let query = "query($f: JSON) { network(filters: $f) { nodes { hits } } }";
    let answer = server.graphql("/graphql", query, &json!({"f": narrow})).await;
    assert!(refused(&answer, 200, "BAD_USER_INPUT").contains("a list of `in` conditions"));
}

fn suppressed(below: u64) -> Value {
    json!({"records": [{"scope": "*", "filter": null}], "suppress": {"below": below}})
}

#[tokio::test]
async fn the_threshold_of_the_catalogue_holds_for_every_sum_and_difference() {
    let all: Vec<usize> = (0..60).collect();
    let (one, two) = (node(&all[..23]).await, node(&all[23..41]).await);
    let remotes = [remote("one", one.base(), json!({})), remote("two", two.base(), json!({}))];
    let server = start(with_access(&all[41..], &suppressed(5)), &network(&remotes)).await;
    assert_suppressed(&server, 5).await;
}

#[tokio::test]
async fn the_threshold_of_the_strictest_node_holds_for_all() {
    let all: Vec<usize> = (0..60).collect();
    let strict = TestServer::with_catalogues(with_access(&all[..23], &suppressed(7))).await;
    let two = TestServer::with_catalogues(with_access(&all[23..41], &suppressed(3))).await;
    let remotes = [remote("one", strict.base(), json!({"kind": "cantata"})), remote("two", two.base(), json!({}))];
    let server = start(catalogue(&all[41..]), &network(&remotes)).await;
    assert_suppressed(&server, 7).await;
}

#[tokio::test]
async fn rules_of_the_catalogue_and_the_threshold_of_a_node_hold_together() {
    let all: Vec<usize> = (0..60).collect();
    let strict = TestServer::with_catalogues(with_access(&all[..40], &suppressed(3))).await;
    let rules = json!({"records": [{"scope": "*", "filter": leaf("in", "study", json!(["S1"]))}]});
    let remotes = [remote("strict", strict.base(), json!({}))];
    let server = start(with_access(&all[40..], &rules), &network(&remotes)).await;
    let selection = format!(
        "{NODES} aggregations {{ study {{ buckets {{ key doc_count }} }} donors__gender {{ buckets {{ key doc_count }} }} }}"
    );
    for filter in [Value::Null, leaf("in", "donors.gender", json!(["Female"]))] {
        let answer = ask(&server, "filters: $f", &selection, &json!({"f": filter})).await;
        assert_eq!(answer["complete"], true, "{filter}: {answer}");
        let studies = counts(&answer["aggregations"]["study"]["buckets"]);
        assert!(matches!(studies[..], [("S1", count)] if count > 0 && count % 3 == 0), "{filter}: {studies:?}");
        let mut found = Vec::new();
        numbers(&answer, &mut found);
        assert!(found.iter().all(|count| count.is_multiple_of(3)), "{filter}: {answer}");
    }
}

#[tokio::test]
async fn a_threshold_can_be_given_for_a_node_that_has_none() {
    let all: Vec<usize> = (0..60).collect();
    let (one, two) = (node(&all[..23]).await, node(&all[23..41]).await);
    let remotes = [remote("one", one.base(), json!({"suppressBelow": 4})), remote("two", two.base(), json!({}))];
    let server = start(catalogue(&all[41..]), &network(&remotes)).await;
    assert_suppressed(&server, 4).await;
}

#[tokio::test]
async fn a_threshold_that_only_comes_with_statistics_holds() {
    let other = node(&[1]).await;
    let proxy = FaultProxy::start(other.base());
    let stats = json!({"size": {"stats": {"min": 1, "max": 7, "sum": 8, "count": 2}}});
    let body = json!({"data": {"file": {"hits": {"total": 10}, "aggregations": stats}}});
    proxy.set_for_path("/graphql", Fault::Answer("x-cantata-suppressed-below: 5", body.to_string())).await;
    let remote = remote("other", &proxy.url(), json!({"kind": "cantata"}));
    let server = start(catalogue(&[2]), &network(&[remote])).await;
    let selection = "suppressedBelow aggregations { size { stats { count max } } }";
    let answer = ask(&server, "maxAge: 600", selection, &json!({})).await;
    assert_eq!(answer["suppressedBelow"], 5, "{answer}");
    assert_eq!(answer["aggregations"]["size"]["stats"], Value::Null);
}

#[tokio::test]
async fn a_node_whose_threshold_cannot_be_read_is_not_asked() {
    let other = node(&[1]).await;
    let proxy = FaultProxy::start(other.base());
    let body = json!({"fields": {"study": {"type": "keyword"}}, "meta": {"suppressedBelow": "5"}});
    proxy.set_for_path("/introspection/fields", Fault::Answer("", body.to_string())).await;
    let remote = remote("other", &proxy.url(), json!({"kind": "cantata"}));
    let server = TestServer::with_catalogues(catalogue(&[2]).file("network.json", &network(&[remote]))).await;
    // Its fields are read again soon, because they could not be used.
    for _ in 0..MAX_POLLS {
        if proxy.requests().len() > 1 {
            break;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    assert!(proxy.requests().len() > 1, "its fields were used");
    let answer = ask(&server, "", NODES, &json!({})).await;
    assert_eq!(node_of(&answer, "other")["contributed"], false, "{answer}");
}

#[tokio::test]
async fn only_listed_headers_go_to_a_node_and_its_token_goes_to_no_other() {
    let nodes = [node(&[1]).await, node(&[2]).await];
    let proxies = [FaultProxy::start(nodes[0].base()), FaultProxy::start(nodes[1].base())];
    let remotes = [
        remote("one", &proxies[0].url(), json!({"requests": {"headers": ["X-Own"]}, "token": "token-of-one"})),
        remote("two", &proxies[1].url(), json!({})),
    ];
    let mut network = network(&remotes);
    network["network"]["remoteRequests"] = json!({"headers": ["Authorization", "X-Common"]});
    let server = start(catalogue(&[3]), &network).await;
    proxies.iter().for_each(FaultProxy::clear_requests);
    let headers = [
        ("content-type", "application/json"),
        ("authorization", "Bearer of-the-client"),
        ("x-common", "common"),
        ("x-own", "own"),
        ("x-other", "other"),
        ("cookie", "a=b"),
    ];
    let body = json!({"query": "{ network { nodes { name hits status } } }"}).to_string().into_bytes();
    let answer = server.send(Method::POST, "/graphql", &headers, Some(body)).await;
    answer.assert_status(200);
    assert!(!answer.text().contains("token-of-one"));
    let sent = |proxy: &FaultProxy| {
        let requests = proxy.requests();
        let asked = requests.into_iter().filter(|request| String::from_utf8_lossy(&request.body).contains("nodeQuery"));
        let mut asked: Vec<_> = asked.collect();
        assert_eq!(asked.len(), 1, "one request for each page");
        let request = asked.remove(0);
        let names = ["authorization", "x-common", "x-own", "x-other", "cookie", "x-request-type"];
        names.map(|name| request.header(name).map(str::to_owned))
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(sent(&proxies[0]), [text("Bearer token-of-one"), None, text("own"), None, None, text("GraphQL")]);
    assert_eq!(sent(&proxies[1]), [text("Bearer of-the-client"), text("common"), None, None, None, text("GraphQL")]);
}
