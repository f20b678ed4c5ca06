//! `score`, and the order by it.

use serde_json::{Value, json};

use crate::support::{ask, ids, leaf, refused, server};

const PAGE: &str = "hits(filters: $f, sort: $sort, first: 100) { total edges { node { id score } } }";

fn quick_search(fields: &[&str], value: &str) -> Value {
    json!({"op": "wildcard", "content": {"fieldNames": fields, "value": value}})
}

fn best_first() -> Value {
    json!([{"fieldName": "_score", "order": "desc"}])
}

fn scores(page: &Value) -> Vec<f64> {
    page["edges"].as_array().unwrap().iter().map(|edge| edge["node"]["score"].as_f64().unwrap()).collect()
}

#[tokio::test]
async fn the_best_records_come_first() {
    let server = server().await;
    let read = quick_search(&["name"], "*READ*");
    let page = ask(&server, PAGE, &json!({"f": read, "sort": best_first()})).await["hits"].take();
    assert_eq!(ids(&page), ["f2", "f1"], "the shorter name");
    // Two of four names match, and they have 7.25 letters on average.
    let expected = |length: f64| 2.0_f64.ln() * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * length / 7.25));
    for (score, length) in scores(&page).into_iter().zip([9.0, 10.0]) {
        assert!((score - expected(length)).abs() < 1e-6, "{score}, expected {}", expected(length));
    }
    let worst = json!([{"fieldName": "_score", "order": "asc"}]);
    assert_eq!(ids(&ask(&server, PAGE, &json!({"f": read, "sort": worst})).await["hits"]), ["f1", "f2"]);
    let unsaid = json!([{"fieldName": "_score"}]);
    assert_eq!(ids(&ask(&server, PAGE, &json!({"f": read, "sort": unsaid})).await["hits"]), ["f2", "f1"]);
    let by_id = ask(&server, PAGE, &json!({"f": read, "sort": null})).await["hits"].take();
    assert_eq!(ids(&by_id), ["f1", "f2"]);
    assert_eq!(scores(&by_id), scores(&page).into_iter().rev().collect::<Vec<_>>(), "scores do not need the order");
}

#[tokio::test]
async fn a_quick_search_adds_up_fields_of_all_levels() {
    let server = server().await;
    let fields = ["name", "tags", "analysis", "donors.specimens.samples.code"];
    let page = ask(&server, PAGE, &json!({"f": quick_search(&fields, "*1*"), "sort": best_first()})).await;
    let page = &page["hits"];
    // f1 and f3 have a sample S1; f1 and f2 belong to A1.
    assert_eq!(page["total"], 3);
    assert_eq!(ids(page)[0], "f1", "both its analysis and a sample: {page}");
    let found = scores(page);
    assert!(found.is_sorted_by(|one, two| one >= two) && found[2] > 0.0, "{page}");
    let word = leaf("in", "name", json!("read"));
    let page = ask(&server, PAGE, &json!({"f": word, "sort": best_first()})).await["hits"].take();
    assert_eq!(ids(&page), ["f2", "f1"], "a word of a text");
}

#[tokio::test]
async fn filters_without_texts_do_not_rank() {
    let server = server().await;
    for (filter, expected) in [
        (Value::Null, "f1 f2 f3 f4 f5"),
        (leaf("in", "tags", json!(["y", "z"])), "f1 f2 f3"),
        (leaf("gte", "size", json!(20)), "f2 f3 f4"),
        (json!({"op": "not", "content": [quick_search(&["name"], "*read*")]}), "f3 f4 f5"),
    ] {
        let page = ask(&server, PAGE, &json!({"f": filter, "sort": best_first()})).await["hits"].take();
        assert_eq!(ids(&page).join(" "), expected, "{filter}");
        assert!(scores(&page).iter().all(|score| *score == 0.0), "{page}");
    }
    let further = json!([{"fieldName": "_score", "order": "desc"}, {"fieldName": "size", "order": "desc"}]);
    let page = ask(&server, PAGE, &json!({"f": null, "sort": further})).await["hits"].take();
    assert_eq!(ids(&page), ["f2", "f4", "f3", "f1", "f5"]);
}

#[tokio::test]
async fn cursors_lead_through_the_order_of_scores() {
    let server = server().await;
    let filter = quick_search(&["name", "analysis", "donors.donor_id"], "*a*");
    let whole = ask(&server, PAGE, &json!({"f": filter, "sort": best_first()})).await["hits"].take();
    assert_eq!(whole["total"], 5);
    let selection =
        "hits(first: 2, filters: $f, sort: $sort, searchAfter: $after) { edges { searchAfter node { id } } }";
    let (mut walked, mut after) = (Vec::new(), Value::Null);
    loop {
        let variables = json!({"f": filter, "sort": best_first(), "after": after});
        let page = ask(&server, selection, &variables).await["hits"].take();
        let Some(last) = page["edges"].as_array().unwrap().last() else { break };
        after = last["searchAfter"].clone();
        walked.extend(ids(&page));
    }
    assert_eq!(walked, ids(&whole));
}

#[tokio::test]
async fn elements_have_the_score_of_their_record_and_no_order_by_it() {
    let server = server().await;
    let elements =
        "{ file { hits { edges { node { donors { hits(sort: [{fieldName: \"_score\"}]) { total } } } } } } }";
    let answer = server.graphql("/graphql", elements, &json!({})).await;
    let message = refused(&answer, 200, "BAD_USER_INPUT");
    assert!(message.contains("sort[0].fieldName"), "{message}");
    let shown = "hits(filters: $f) { edges { node { score donors { hits { edges { node { score } } } } } } }";
    let answer = ask(&server, shown, &json!({"f": quick_search(&["name"], "alpha*")})).await;
    let node = &answer["hits"]["edges"][0]["node"];
    assert!(node["score"].as_f64().unwrap() > 0.0, "{node}");
    assert_eq!(
        node["donors"]["hits"]["edges"][0]["node"]["score"], node["score"],
        "elements have that of their record"
    );
}
