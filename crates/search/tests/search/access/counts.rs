//! Where only counts are shown: no small number can be read, nor worked out from larger ones.

use std::collections::BTreeSet;

use cantata_access::Identity;
use cantata_search::DownloadError;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::support::{Bed, identity_with, leaf, open};

const SUPPRESSION_THRESHOLD: u64 = 5;

async fn bed() -> Bed {
    let properties = json!({
        "sex": { "type": "keyword" }, "region": { "type": "keyword" }, "age": { "type": "integer" },
        "codes": { "type": "nested", "properties": { "code": { "type": "keyword" } } },
    });
    let mut random = StdRng::seed_from_u64(7);
    let documents = (0..143).map(|number| {
        let codes: Vec<Value> = (0..random.random_range(0..3))
            .map(|_| json!({ "code": format!("C{}", random.random_range(0..9)) }))
            .collect();
        let region = ["north", "south", "east", "west", "isle"][random.random_range(0..5_usize)];
        let sex = if number % 2 == 0 { "f" } else { "m" };
        let mut document = json!({ "sex": sex, "age": random.random_range(20..40), "codes": codes });
        if number % 11 != 0 {
            document["region"] = region.into();
        }
        if number == 60 {
            document["region"] = "alone".into();
        }
        (format!("p{number:03}"), document)
    });
    let access = json!({ "records": open(), "suppress": { "below": SUPPRESSION_THRESHOLD, "unless": ["counts.ALL"] } });
    Bed::new(json!({ "access": access }), properties, &documents.collect::<Vec<_>>()).await
}

const COUNTS: &str = "query($f: JSON, $own: Boolean) { file { hits(filters: $f) { total } aggregations(filters: $f, \
    aggregations_filter_themselves: $own) { sex { bucket_count buckets { key doc_count } } region { bucket_count \
    cardinality buckets { key doc_count } } age { bucket_count buckets { key doc_count } } codes__code { buckets { key \
    doc_count } } } } }";

/// Every filter of one or two values, and none.
fn filters() -> Vec<Value> {
    let regions = ["north", "south", "east", "west", "isle", "alone", "__missing__"];
    let mut filters = vec![json!(null)];
    for region in regions {
        filters.push(leaf("in", "region", json!([region])));
        for other in regions {
            filters.push(leaf("in", "region", json!([region, other])));
        }
        for sex in ["f", "m"] {
            let parts = [leaf("in", "region", json!([region])), leaf("in", "sex", json!([sex]))];
            filters.push(json!({ "op": "and", "content": parts }));
        }
    }
    for age in 20..40 {
        filters.push(leaf("in", "age", json!([age])));
        filters.push(leaf("in", "codes.code", json!([format!("C{}", age % 10)])));
    }
    filters
}

/// Collects every number of an answer.
fn numbers(value: &Value, found: &mut Vec<u64>) {
    match value {
        Value::Object(members) => {
            let counts = members.iter().filter(|(name, _)| !["bucket_count", "cardinality"].contains(&name.as_str()));
            counts.for_each(|(_, value)| numbers(value, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| numbers(element, found)),
        Value::Number(number) => found.push(number.as_u64().unwrap()),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn no_number_and_no_difference_of_numbers_is_small() {
    let bed = bed().await;
    let (everybody, trusted) = (Identity::anonymous(), identity_with(&["counts.ALL"], json!({})));
    let mut shown = BTreeSet::new();
    let mut true_counts = BTreeSet::new();
    for filter in filters() {
        for own in [true, false] {
            let variables = json!({ "f": filter, "own": own });
            let answer = bed.ask(&everybody, COUNTS, variables.clone()).await;
            let exact = bed.ask(&trusted, COUNTS, variables).await;
            let (mut rounded, mut counts) = (Vec::new(), Vec::new());
            numbers(&answer, &mut rounded);
            numbers(&exact, &mut counts);
            shown.extend(rounded);
            true_counts.extend(counts);
            for name in ["sex", "region", "age", "codes__code"] {
                let buckets = answer["file"]["aggregations"][name]["buckets"].as_array().unwrap();
                let order: Vec<(i64, &str)> = buckets
                    .iter()
                    .filter(|bucket| bucket["key"] != "__missing__")
                    .map(|bucket| (-bucket["doc_count"].as_i64().unwrap(), bucket["key"].as_str().unwrap()))
                    .collect();
                assert!(order.is_sorted(), "the order tells exact counts: {order:?}");
                assert!(buckets.iter().all(|bucket| bucket["doc_count"] != 0), "{buckets:?}");
                let exact = exact["file"]["aggregations"][name]["buckets"].as_array().unwrap();
                let expected = exact
                    .iter()
                    .filter(|bucket| bucket["doc_count"].as_u64().unwrap() >= SUPPRESSION_THRESHOLD)
                    .count();
                assert_eq!(buckets.len(), expected, "{name} {filter}");
            }
        }
    }
    // The test would be worth nothing if there were no small counts to be read.
    assert!((1..SUPPRESSION_THRESHOLD).all(|small| true_counts.contains(&small)), "{true_counts:?}");
    for one in &shown {
        for other in &shown {
            let difference = one.abs_diff(*other);
            assert!(difference == 0 || difference >= SUPPRESSION_THRESHOLD, "{one} and {other}");
            assert!((one + other) % SUPPRESSION_THRESHOLD == 0);
        }
    }
}

#[tokio::test]
async fn what_could_be_moved_in_small_steps_is_refused() {
    let bed = bed().await;
    let query =
        "query($f: JSON) { file { hits(filters: $f) { total } aggregations(filters: $f) { sex { bucket_count } } } }";
    let one = || leaf("in", "region", json!(["alone"]));
    let other = || leaf("in", "sex", json!(["f"]));
    for filter in [
        json!({ "op": "or", "content": [one(), other()] }),
        json!({ "op": "not", "content": [one()] }),
        json!({ "op": "and", "content": [other(), { "op": "not", "content": [one()] }] }),
        json!({ "op": "and", "content": [one(), one()] }),
        json!({ "op": "and", "content": [one(), leaf("in", "region", json!(["north"]))] }),
        leaf("not-in", "region", json!(["alone"])),
        leaf("some-not-in", "region", json!(["alone"])),
        leaf("all", "region", json!(["alone"])),
        leaf("in", "region", json!(["a*"])),
        leaf("in", "region", json!(["set_id:x"])),
        leaf("gte", "age", json!(30)),
        leaf("between", "age", json!([20, 30])),
        json!({ "op": "wildcard", "content": { "fieldNames": ["region"], "value": "a*" } }),
        json!({ "op": "fuzzy", "content": { "fieldNames": ["region"], "value": "alon" } }),
        json!({ "op": "and", "pivot": "codes", "content": [leaf("in", "codes.code", json!(["C1"]))] }),
    ] {
        let answer: Value =
            serde_json::from_str(&bed.body(&Identity::anonymous(), query, &json!({ "f": filter })).await).unwrap();
        assert_eq!(answer["data"]["file"], json!({ "hits": null, "aggregations": null }), "{filter}");
        assert_eq!(answer["errors"].as_array().unwrap().len(), 2, "{filter}");
    }
}

#[tokio::test]
async fn no_record_is_shown_and_no_figure() {
    let bed = bed().await;
    let everybody = Identity::anonymous();
    let query = "{ file { hits(first: 100, sort: [{fieldName: \"age\"}]) { edges { searchAfter node { id age } } } \
        aggregations { age { stats { min max avg sum count } histogram(interval: 1) { buckets { key doc_count } } \
        range(ranges: [{from: 0, to: 21}]) { buckets { doc_count } } } sex { buckets(max: 1) { key top_hits \
        filter_by_term(filter: {op: \"in\", content: {fieldName: \"region\", value: [\"alone\"]}}) } } } } }";
    let answer = bed.ask(&everybody, query, json!({})).await;
    let buckets = json!([{ "key": "f", "top_hits": null, "filter_by_term": null }]);
    assert_eq!(
        answer["file"],
        json!({
            "hits": { "edges": [] },
            "aggregations": {
                "age": { "stats": null, "histogram": null, "range": null },
                "sex": { "buckets": buckets },
            },
        })
    );
    let download = bed.download(&everybody, &json!({ "files": [{ "columns": ["age"] }] })).await;
    assert_eq!(download.unwrap_err(), DownloadError::CountsOnly);
    for query in [
        "{ sets { hits { total } } }",
        "mutation { saveSet(type: file, sqon: {}, path: \"sex\") { ids } }",
        "mutation { deleteSet(setId: \"x\") }",
    ] {
        let answer = bed.body(&everybody, query, &json!({})).await;
        assert!(answer.contains("only counts are shown to you"), "{answer}");
    }
    let meta = serde_json::to_value(&bed.seen_by(&everybody).introspection.meta).unwrap();
    assert_eq!(meta, json!({ "authFiltered": true, "suppressedBelow": SUPPRESSION_THRESHOLD }));
    let trusted = bed.seen_by(&identity_with(&["counts.ALL"], json!({})));
    assert_eq!(serde_json::to_value(&trusted.introspection.meta).unwrap(), json!({ "authFiltered": false }));
}
