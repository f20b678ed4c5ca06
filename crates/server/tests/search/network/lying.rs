//! Nodes of which any are down, slow or lying: the answer says which, is complete for the others, and comes.

use std::time::Duration;

use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::{ask, catalogue, network, node, node_of, remote, start, unreadable, wait_for};

/// How long all rounds of a test may take together. It only ends a test that hangs.
const WAIT_TIMEOUT: Duration = Duration::from_secs(300);

const SELECTION: &str = "complete nodes { name nodeId hits status errors contributed missingFields } aggregations { \
                         study { bucket_count buckets { key doc_count } } \
                         size { stats { min max sum avg count } histogram(interval: 10) { buckets { key doc_count } } \
                           range(ranges: [{key: \"all\", from: 0}]) { buckets { key doc_count } } } }";

/// A text that no client may see.
const SECRET: &str = "secret text of a node";

/// Everything that a node can do wrong.
fn misdeeds() -> Vec<Fault> {
    let lie = |hits: Value, study: Value, size: Value| {
        let aggregations = json!({"study": {"buckets": study}, "size": size});
        let records = json!({"hits": {"total": hits}, "aggregations": aggregations});
        Fault::Answer("", json!({"data": {"file": records}}).to_string())
    };
    let bucket = |key: Value, count: Value| json!([{"key": key, "doc_count": count}]);
    let size = |stats: Value, step: &str, range: &str| {
        json!({"stats": stats, "histogram": {"buckets": bucket(json!(step), json!(1))},
            "range": {"buckets": bucket(json!(range), json!(1))}})
    };
    let stats = || json!({"min": 1, "max": 2, "sum": 3, "count": 2});
    let good = || size(stats(), "10", "all");
    let honest = json!({"data": {"file": {"hits": {"total": 5}, "aggregations":
        {"study": {"buckets": []}, "size": good()}}}});
    let mut faults = unreadable();
    faults.extend([
        Fault::Endless,
        Fault::Redirect("http://127.0.0.1:1/graphql".to_owned()),
        lie(json!(-5), json!([]), good()),
        lie(json!("many"), json!([]), good()),
        lie(json!(1e300), json!([]), good()),
        lie(json!(5), bucket(json!("S1"), json!(-3)), good()),
        lie(json!(5), bucket(json!("S1"), json!(0.5)), good()),
        lie(json!(5), bucket(json!(7), json!(3)), good()),
        lie(json!(5), bucket(Value::Null, json!(3)), good()),
        lie(json!(5), json!([{"key": "S1", "doc_count": 1}, {"key": "S1", "doc_count": 1}]), good()),
        lie(json!(5), json!({"key": "S1"}), good()),
        lie(json!(5), json!(null), good()),
        lie(json!(5), json!([]), size(json!({"min": "a", "max": 2, "sum": 3, "count": 2}), "10", "all")),
        lie(json!(5), json!([]), size(json!({"min": 3, "max": 2, "sum": 3, "count": -2}), "10", "all")),
        lie(json!(5), json!([]), size(stats(), "not a number", "all")),
        lie(json!(5), json!([]), size(stats(), "12.5", "all")),
        lie(json!(5), json!([]), size(stats(), "10", "another")),
        Fault::Answer("", json!({"errors": [{"message": SECRET}], "data": {"file": null}}).to_string()),
        Fault::Answer("", json!([SECRET]).to_string()),
        Fault::Answer("x-cantata-suppressed-below: many", honest.to_string()),
    ]);
    faults
}

#[tokio::test]
async fn whichever_nodes_fail_the_answer_says_so_and_is_complete_for_the_others() {
    tokio::time::timeout(WAIT_TIMEOUT, Box::pin(fail_all_subsets())).await.expect("the test ends");
}

async fn fail_all_subsets() {
    let mut random = StdRng::seed_from_u64(2626);
    let mut parts = vec![Vec::new(); 5];
    for number in 0..100 {
        parts[random.random_range(0..5)].push(number);
    }
    let nodes = [node(&parts[1]).await, node(&parts[2]).await, node(&parts[3]).await, node(&parts[4]).await];
    let proxies = nodes.each_ref().map(|node| FaultProxy::start(node.base()));
    let names = ["n1", "n2", "n3", "n4"];
    // The fields are read from another path than that of the questions, so that only these go wrong.
    let more = json!({"timeout": 3, "kind": "cantata"});
    let remotes: Vec<Value> =
        names.iter().zip(&proxies).map(|(name, proxy)| remote(name, &proxy.url(), more.clone())).collect();
    let mut network = network(&remotes);
    network["network"]["deadline"] = 6.into();
    network["network"]["maxAnswerBytes"] = 65_536.into();
    let server = start(catalogue(&parts[0]), &network).await;
    let misdeeds = misdeeds();
    let mut next = 0;
    // Every subset, and every misdeed at least once.
    for subset in 0..16_usize {
        let is_bad = |index: usize| subset & (1 << index) != 0;
        let good: Vec<&str> =
            std::iter::once("own").chain((0..4).filter(|index| !is_bad(*index)).map(|index| names[index])).collect();
        let expected = ask(&server, &format!("nodesFilter: {}", json!(good)), SELECTION, &json!({})).await;
        assert_eq!(expected["complete"], true, "{expected}");
        let mut chosen = Vec::new();
        for (index, proxy) in proxies.iter().enumerate().filter(|(index, _)| is_bad(*index)) {
            let misdeed = misdeeds[next % misdeeds.len()].clone();
            next += 1;
            proxy.set_for_path("/graphql", misdeed.clone()).await;
            chosen.push((names[index], misdeed));
        }
        let answer = ask(&server, "", SELECTION, &json!({})).await;
        assert_eq!(answer["complete"], chosen.is_empty(), "{chosen:?}: {answer}");
        assert_eq!(answer["aggregations"], expected["aggregations"], "{chosen:?}");
        assert!(!answer.to_string().contains("secret") && !answer.to_string().contains("127.0.0.1"), "{answer}");
        for name in &good {
            assert_eq!(node_of(&answer, name), node_of(&expected, name), "{chosen:?}");
        }
        for (name, misdeed) in &chosen {
            let state = node_of(&answer, name);
            assert_eq!((&state["status"], &state["contributed"]), (&json!("ERROR"), &json!(false)), "{misdeed:?}");
            assert_eq!(state["hits"], 0, "{misdeed:?}");
            assert_ne!(state["errors"], "", "{misdeed:?}");
        }
        for (name, proxy) in names.iter().zip(&proxies) {
            proxy.set(Fault::Pass).await;
            wait_for(&server, name, "OK").await;
        }
    }
    assert!(next >= misdeeds.len(), "{next} of {} were tried", misdeeds.len());
}
