//! Nodes that are down, slow, broken or lying: the answer says so, and is complete for the others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cantata_catalogue::ConfigDefaults;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use cantata_testkit::{MockServer, TestServer};
use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    MAX_POLLS, NODES, POLL_INTERVAL, ask, catalogue, network, node, node_of, remote, start, unreadable, wait_for,
};
use crate::support::{counts, leaf};

const WITH_STUDIES: &str = "complete nodes { nodeId name hits status errors contributed missingFields latencyMs version } \
                            aggregations { study { buckets { key doc_count } } }";

/// How long an answer may take. It only ends a test that hangs.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

/// `network.json` in which no node is waited for longer than a few seconds, in which one that works answers on a busy
/// machine too.
fn impatient(remotes: &[Value]) -> Value {
    let mut network = network(remotes);
    network["network"]["deadline"] = 5.into();
    network
}

#[tokio::test]
async fn a_node_that_fails_is_never_taken_for_one_without_records() {
    let (broken, working) = (node(&[1, 2, 3]).await, node(&[5, 6]).await);
    let proxy = FaultProxy::start(broken.base());
    let remotes = [remote("broken", &proxy.url(), json!({"timeout": 3})), remote("working", working.base(), json!({}))];
    let server = start(catalogue(&[9]), &impatient(&remotes)).await;
    for fault in [Fault::Down].into_iter().chain(unreadable()) {
        proxy.set(fault.clone()).await;
        let answer = ask(&server, "", WITH_STUDIES, &json!({})).await;
        let failed = node_of(&answer, "broken");
        assert_eq!(failed["status"], "ERROR", "{fault:?}: {failed}");
        assert_eq!((&failed["hits"], &failed["contributed"]), (&json!(0), &json!(false)), "{fault:?}");
        let text = failed["errors"].as_str().unwrap();
        assert!(!text.is_empty() && !text.contains("127.0.0.1") && !text.contains("http"), "{text}");
        assert_eq!(answer["complete"], false, "{fault:?}");
        assert_eq!(node_of(&answer, "working")["hits"], 2);
        assert_eq!(counts(&answer["aggregations"]["study"]["buckets"]), [("S1", 2), ("S2", 1)]);
        // Whatever happened, the node is asked again once it works.
        proxy.set(Fault::Pass).await;
        wait_for(&server, "broken", "OK").await;
        let answer = ask(&server, "", WITH_STUDIES, &json!({})).await;
        assert_eq!((&answer["complete"], &node_of(&answer, "broken")["hits"]), (&json!(true), &json!(3)));
    }
}

#[tokio::test]
async fn an_interval_that_is_too_fine_suspends_no_node() {
    let other = node(&[5]).await;
    let server = start(catalogue(&[9]), &network(&[remote("other", other.base(), json!({}))])).await;
    let too_fine = format!("{NODES} aggregations {{ made {{ histogram(interval: 1e-9) {{ buckets {{ key }} }} }} }}");
    for _ in 0..4 {
        let answer = ask(&server, "", &too_fine, &json!({})).await;
        assert_eq!(node_of(&answer, "other")["errors"], "the node has no answer to this request");
    }
    let answer = ask(&server, "", NODES, &json!({})).await;
    assert_eq!((&answer["complete"], &node_of(&answer, "other")["hits"]), (&json!(true), &json!(1)));
}

#[tokio::test]
async fn rejected_requests_do_not_let_a_node_compute_statistics() {
    let other = node(&[1]).await;
    let proxy = FaultProxy::start(other.base());
    let remote = remote("other", &proxy.url(), json!({"kind": "cantata"}));
    let server = start(catalogue(&[9]), &network(&[remote])).await;
    proxy.clear_requests();
    proxy.set_for_path("/graphql", Fault::Status(400)).await;
    let discoveries = || proxy.requests().iter().filter(|request| request.target.contains("introspection")).count();
    for _ in 0..MAX_POLLS {
        ask(&server, "", NODES, &json!({})).await;
        if discoveries() > 2 {
            break;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    assert!(discoveries() > 2, "its fields are read again");
    let asks_statistics = |body: &[u8]| String::from_utf8_lossy(body).contains("nodeStatistics");
    assert!(!proxy.requests().iter().any(|request| asks_statistics(&request.body)));
}

#[tokio::test]
async fn with_any_nodes_down_the_answer_is_that_of_the_others() {
    let parts: [&[usize]; 3] = [&[1, 2, 3, 4], &[5, 6, 8], &[9, 10, 11, 12, 13]];
    let nodes = [node(parts[0]).await, node(parts[1]).await, node(parts[2]).await];
    let proxies = nodes.each_ref().map(|node| FaultProxy::start(node.base()));
    let names = ["n0", "n1", "n2"];
    let remotes: Vec<Value> =
        names.iter().zip(&proxies).map(|(name, proxy)| remote(name, &proxy.url(), json!({}))).collect();
    let server = start(catalogue(&[15]), &impatient(&remotes)).await;
    for down in 0..8_usize {
        let is_down = |index: usize| down & (1 << index) != 0;
        for (index, proxy) in proxies.iter().enumerate() {
            proxy.set(if is_down(index) { Fault::Down } else { Fault::Pass }).await;
        }
        let answer = ask(&server, "", WITH_STUDIES, &json!({})).await;
        let mut numbers = vec![15];
        for (index, name) in names.iter().enumerate() {
            let state = node_of(&answer, name);
            assert_eq!(state["contributed"], !is_down(index), "{down}: {state}");
            assert_eq!(state["hits"], if is_down(index) { 0 } else { parts[index].len() }, "{down}: {state}");
            if !is_down(index) {
                numbers.extend_from_slice(parts[index]);
            }
        }
        assert_eq!(answer["complete"], down == 0);
        let mut expected: Vec<(String, u64)> = Vec::new();
        for study in ["S0", "S1", "S2", "S3"] {
            let is_of_study = |number: &&usize| !(**number).is_multiple_of(7) && format!("S{}", **number % 4) == study;
            let count = numbers.iter().filter(is_of_study).count() as u64;
            expected.extend((count > 0).then(|| (study.to_owned(), count)));
        }
        let mut found: Vec<(String, u64)> = counts(&answer["aggregations"]["study"]["buckets"])
            .into_iter()
            .map(|(key, count)| (key.to_owned(), count))
            .collect();
        found.sort();
        assert_eq!(found, expected, "{down}");
        for (name, proxy) in names.iter().zip(&proxies) {
            proxy.set(Fault::Pass).await;
            wait_for(&server, name, "OK").await;
        }
    }
}

#[tokio::test]
async fn a_node_that_fails_again_and_again_is_not_waited_for() {
    let slow = node(&[1]).await;
    let proxy = FaultProxy::start(slow.base());
    let more = json!({"timeout": 3, "kind": "cantata"});
    let server = start(catalogue(&[9]), &network(&[remote("slow", &proxy.url(), more)])).await;
    // It tells its fields, but it counts nothing.
    proxy.set_for_path("/graphql", Fault::Status(503)).await;
    let mut errors = String::new();
    for _ in 0..MAX_POLLS {
        let answer = ask(&server, "", NODES, &json!({})).await;
        errors = node_of(&answer, "slow")["errors"].as_str().unwrap().to_owned();
        if errors.contains("failed several times") {
            break;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    assert!(errors.contains("failed several times"), "{errors}");
    proxy.set(Fault::Pass).await;
    wait_for(&server, "slow", "OK").await;
}

#[tokio::test]
async fn questions_that_ask_too_much_suspend_no_node() {
    let busy = node(&[1]).await;
    let proxy = FaultProxy::start(busy.base());
    let server = start(catalogue(&[9]), &network(&[remote("busy", &proxy.url(), json!({"timeout": 3}))])).await;
    proxy.set_for_next(3, Fault::NoResponse).await;
    for _ in 0..3 {
        let answer = ask(&server, "", NODES, &json!({})).await;
        assert_eq!(node_of(&answer, "busy")["errors"], "the node did not answer in time");
    }
    let answer = ask(&server, "", NODES, &json!({})).await;
    assert_eq!((&answer["complete"], &node_of(&answer, "busy")["hits"]), (&json!(true), &json!(1)));
}

#[tokio::test]
async fn a_slow_node_does_not_keep_the_others_from_answering() {
    let (slow, working) = (node(&[1]).await, node(&[5, 6]).await);
    let proxy = FaultProxy::start(slow.base());
    let remotes = [remote("slow", &proxy.url(), json!({})), remote("working", working.base(), json!({}))];
    let server = start(catalogue(&[9]), &impatient(&remotes)).await;
    proxy.set(Fault::NoResponse).await;
    let nothing = json!({});
    let answers = join_all((0..24).map(|_| ask(&server, "", NODES, &nothing))).await;
    for answer in answers {
        assert_eq!(node_of(&answer, "working")["hits"], 2, "{answer}");
        assert_eq!((&node_of(&answer, "slow")["status"], &answer["complete"]), (&json!("ERROR"), &json!(false)));
    }
}

#[tokio::test]
async fn the_deadline_of_the_network_holds_for_a_node_that_may_take_longer() {
    let slow = node(&[1]).await;
    let proxy = FaultProxy::start(slow.base());
    let remotes = [remote("slow", &proxy.url(), json!({"timeout": 3600}))];
    let server = start(catalogue(&[9]), &impatient(&remotes)).await;
    proxy.set(Fault::NoResponse).await;
    let answer = timeout(WAIT_TIMEOUT, ask(&server, "", NODES, &json!({}))).await.expect("the answer comes");
    assert_eq!(node_of(&answer, "slow")["errors"], "the node did not answer in time");
    assert_eq!((&node_of(&answer, "own")["hits"], &answer["complete"]), (&json!(1), &json!(false)));
}

#[tokio::test]
async fn a_node_without_a_field_of_the_filter_is_not_taken_for_one_without_records() {
    let empty = json!({"data": {"file": {"hits": {"total": 0}}}});
    let other = liar(empty.to_string()).await;
    let network = network(&[remote("other", &other.url, json!({}))]);
    let server = TestServer::with_catalogues(catalogue(&[1, 2]).file("network.json", &network)).await;
    wait_for(&server, "other", "OK").await;
    let asked = |field: &str| json!({"f": leaf("gt", field, json!([0]))});
    let answer = ask(&server, "filters: $f", NODES, &asked("size")).await;
    assert_eq!(node_of(&answer, "other")["status"], "OK", "{answer}");
    let answer = ask(&server, "filters: $f", NODES, &asked("quality")).await;
    let lacking = node_of(&answer, "other");
    assert_eq!((&lacking["status"], &lacking["contributed"]), (&json!("ERROR"), &json!(false)), "{answer}");
    assert_eq!(lacking["errors"], "the node does not have a field of the filter");
    assert_eq!((&node_of(&answer, "own")["hits"], &answer["complete"]), (&json!(2), &json!(false)));
}

#[tokio::test]
async fn errors_of_single_requests_do_not_suspend_a_node() {
    let error = json!({"errors": [{"message": "no such date", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}]});
    let other = liar(error.to_string()).await;
    let network = network(&[remote("other", &other.url, json!({}))]);
    let server = TestServer::with_catalogues(catalogue(&[1]).file("network.json", &network)).await;
    let mut asked = 0;
    while asked < 6 {
        let answer = ask(&server, "", NODES, &json!({})).await;
        match node_of(&answer, "other")["errors"].as_str().unwrap() {
            "the node has no answer to this request" => asked += 1,
            "the fields of the node are not known yet" => tokio::time::sleep(POLL_INTERVAL).await,
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn a_node_that_starts_later_joins_by_itself() {
    let late = node(&[1, 2]).await;
    let proxy = FaultProxy::start(late.base());
    proxy.set(Fault::Down).await;
    let network = network(&[remote("late", &proxy.url(), json!({}))]);
    let server = TestServer::with_catalogues(catalogue(&[9]).file("network.json", &network)).await;
    let answer = ask(&server, "", NODES, &json!({})).await;
    assert_eq!(node_of(&answer, "late")["status"], "ERROR");
    assert_eq!(answer["complete"], false);
    proxy.set(Fault::Pass).await;
    wait_for(&server, "late", "OK").await;
    assert_eq!(node_of(&ask(&server, "", NODES, &json!({})).await, "late")["hits"], 2);
}

/// A node that tells its fields as it should, and answers everything else with this.
async fn liar(answer: String) -> MockServer {
    let fields = json!({"data": {"__type": {"name": "fileAggregations", "fields": [
        {"name": "study", "type": {"name": "Aggregations"}},
        {"name": "size", "type": {"name": "NumericAggregations"}},
        {"name": "bad name {", "type": {"name": "Aggregations"}},
        {"name": "other", "type": {"name": "SomethingElse"}},
    ]}}});
    let calls = AtomicUsize::new(0);
    MockServer::start(move |_| match calls.fetch_add(1, Ordering::Relaxed) {
        0 => (200, fields.to_string()),
        _ => (200, answer.clone()),
    })
    .await
}

#[tokio::test]
async fn a_node_that_lies_contributes_nothing() {
    let with = |hits: Value, buckets: Value| json!({"data": {"file": {"hits": {"total": hits}, "aggregations": {"study": {"buckets": buckets}}}}});
    for lie in [
        with(json!(-5), json!([])),
        with(json!("many"), json!([])),
        with(json!(5), json!([{"key": "S1", "doc_count": -3}])),
        with(json!(5), json!([{"key": 7, "doc_count": 3}])),
        with(json!(5), json!([{"key": "S1", "doc_count": 1}, {"key": "S1", "doc_count": 1}])),
        with(json!(5), json!({"key": "S1"})),
        json!({"data": {"file": null}, "errors": [{"message": "secret text of a node", "extensions": {}}]}),
        json!("x".repeat(3000)),
    ] {
        let liar = liar(lie.to_string()).await;
        let mut network = network(&[remote("liar", &liar.url, json!({}))]);
        network["network"]["maxAnswerBytes"] = 2048.into();
        let server = TestServer::with_catalogues(catalogue(&[1, 2]).file("network.json", &network)).await;
        // The first answer that is not about missing fields is the lie.
        let answer = loop {
            let answer = ask(&server, "", WITH_STUDIES, &json!({})).await;
            let errors = node_of(&answer, "liar")["errors"].as_str().unwrap();
            if !errors.contains("not known yet") {
                break answer;
            }
        };
        let failed = node_of(&answer, "liar");
        assert_eq!((&failed["status"], &failed["hits"]), (&json!("ERROR"), &json!(0)), "{lie} gave {answer}");
        assert!(!answer.to_string().contains("secret text"), "{answer}");
        assert_eq!(answer["complete"], false);
        assert_eq!(counts(&answer["aggregations"]["study"]["buckets"]), [("S1", 1), ("S2", 1)]);
    }
}

#[tokio::test]
async fn the_memory_of_the_operator_bounds_every_answer() {
    let liar = liar(json!("x".repeat(3000)).to_string()).await;
    let network = network(&[remote("long", &liar.url, json!({}))]);
    let defaults = ConfigDefaults { network_memory: 2048, ..ConfigDefaults::default() };
    let catalogues = catalogue(&[1]).file("network.json", &network).defaults(defaults);
    let server = TestServer::with_catalogues(catalogues).await;
    for _ in 0..MAX_POLLS {
        let answer = ask(&server, "", NODES, &json!({})).await;
        if node_of(&answer, "long")["errors"] == "the answer of the node is too long" {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    panic!("the answer was never too long");
}

#[tokio::test]
async fn fields_of_a_node_that_changed_are_read_again() {
    let reads = AtomicUsize::new(0);
    let changed = MockServer::start(move |target| {
        let read = |fields: &[&str]| -> serde_json::Map<String, Value> {
            fields.iter().map(|name| ((*name).to_owned(), json!({"type": "keyword"}))).collect()
        };
        match (target, reads.load(Ordering::Relaxed)) {
            ("/introspection/fields", before) => {
                reads.store(before + 1, Ordering::Relaxed);
                let fields = if before == 0 { read(&["study", "gone"]) } else { read(&["study"]) };
                (200, json!({"fields": fields}).to_string())
            }
            (_, 1) => (400, json!({"errors": [{"message": "no field gone"}]}).to_string()),
            _ => (200, json!({"data": {"file": {"hits": {"total": 4}}}}).to_string()),
        }
    })
    .await;
    let network = network(&[remote("changed", &changed.url, json!({"kind": "cantata"}))]);
    let server = TestServer::with_catalogues(catalogue(&[1]).file("network.json", &network)).await;
    wait_for(&server, "changed", "OK").await;
    assert_eq!(node_of(&ask(&server, "", NODES, &json!({})).await, "changed")["hits"], 4);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = MockServer::start(|_| (200, "{}".to_owned())).await;
    let other = node(&[1]).await;
    let proxy = FaultProxy::start(other.base());
    let more = json!({"kind": "cantata", "token": "token-of-other"});
    let server = start(catalogue(&[1]), &network(&[remote("other", &proxy.url(), more)])).await;
    proxy.set(Fault::Redirect(format!("{}/graphql", elsewhere.url))).await;
    proxy.clear_requests();
    for _ in 0..3 {
        let answer = ask(&server, "", NODES, &json!({})).await;
        assert_eq!(node_of(&answer, "other")["status"], "ERROR");
    }
    // The node is doubted now, and its fields are read again.
    let is_read_again = || proxy.requests().iter().any(|request| request.target.contains("introspection"));
    for _ in 0..MAX_POLLS {
        if is_read_again() {
            break;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    assert!(is_read_again());
    let answer = ask(&server, "", NODES, &json!({})).await;
    assert_eq!(node_of(&answer, "other")["status"], "ERROR");
    assert_eq!(elsewhere.take_requests(), [""; 0]);
}
