//! The field `network`: its schema, the question that it becomes, and its part of the response.

use cantata_catalogue::{AggregationKind, NetworkField};
use cantata_graphql::{CatalogueSchema, NamedRange, NetworkError, NetworkFacet, PlanResults};
use serde_json::{Value, json};

use crate::sample::{plan, refused, schema};

fn networked() -> CatalogueSchema {
    let fields = [("donors__gender", AggregationKind::Plain), ("size", AggregationKind::Numeric)];
    let fields = fields.map(|(name, kind)| NetworkField { name: name.to_owned(), kind });
    CatalogueSchema::build_with_network(schema().catalogue().clone(), Some(&fields)).unwrap()
}

#[test]
fn the_schema_has_the_fields_of_the_network() {
    let sdl = networked().sdl().to_owned();
    for line in [
        "  network(filters: JSON, aggregations_filter_themselves: Boolean, include_missing: Boolean, nodesFilter: \
         [String], maxAge: Int): Network",
        "  aggregations: NodeAggregations",
        "  donors__gender: Aggregations",
        "  size: NumericAggregations",
        "  missingFields: [String]",
    ] {
        assert!(sdl.contains(line), "{line} in {sdl}");
    }
    let empty = CatalogueSchema::build_with_network(schema().catalogue().clone(), Some(&[])).unwrap();
    plan(&empty, "{ network { complete nodes { name } } }", json!({}));
    assert_eq!(refused(&empty, "{ network { aggregations { size { bucket_count } } } }", json!({})).0, 400);
    assert_eq!(refused(&schema(), "{ network { complete } }", json!({})).0, 400);
}

#[test]
fn a_selection_becomes_one_question() {
    let query = "query($f: JSON) { network(filters: $f, include_missing: false, nodesFilter: [\"a\"]) { aggregations { \
                 size { stats { max } histogram(interval: 5) { buckets { key } } \
                   range(ranges: [{to: 3}, {key: \"k\", from: 3}]) { bucket_count } } \
                 again: size { buckets(max: 1) { key key_as_string } } donors__gender { __typename } } } }";
    let filter = json!({ "op": "in", "content": { "fieldName": "donors__gender", "value": "Male" } });
    let planned = plan(&networked(), query, json!({ "f": filter }));
    assert!(planned.records.is_none(), "the index itself is not asked");
    let [question] = planned.network.as_slice() else { panic!("{planned:?}") };
    let expected = json!({ "op": "in", "content": { "fieldName": "donors.gender", "value": ["Male"] } });
    assert_eq!(question.filter.as_ref().unwrap().to_json(), expected);
    assert_eq!((question.includes_missing, question.filters_themselves), (Some(false), None));
    assert_eq!(question.nodes.as_deref(), Some(&["a".to_owned()][..]));
    let range = |key: &str, from, to| NamedRange { key: key.to_owned(), from, to };
    assert_eq!(
        question.facets,
        [
            NetworkFacet {
                field: "size".to_owned(),
                buckets: true,
                max_buckets: Some(1),
                key_texts: true,
                stats: true,
                histograms: vec![5.0],
                ranges: vec![vec![range("*-3.0", None, Some(3.0)), range("k", Some(3.0), None)]],
            },
            NetworkFacet { field: "donors__gender".to_owned(), ..NetworkFacet::default() },
        ]
    );
    let buckets = json!([{ "key": "b", "doc_count": 2, "key_as_string": "B" }, { "key": "a", "doc_count": 1 }]);
    let answer = json!({ "aggregations": {
        "size": {
            "buckets": buckets, "stats": { "max": 9 }, "histogram_0": { "buckets": buckets }, "range_0": { "bucket_count": 2 },
        },
        "donors__gender": {},
    } });
    let results = PlanResults { network: vec![Ok(answer)], ..PlanResults::default() };
    let body: Value = serde_json::from_slice(&planned.write(&results).body).unwrap();
    assert_eq!(
        body,
        json!({ "data": { "network": { "aggregations": {
            "size": {
                "stats": { "max": 9 },
                "histogram": { "buckets": [{ "key": "b" }, { "key": "a" }] },
                "range": { "bucket_count": 2 },
            },
            "again": { "buckets": [{ "key": "b", "key_as_string": "B" }] },
            "donors__gender": { "__typename": "Aggregations" },
        } } } })
    );
}

#[test]
fn facets_of_each_node_are_asked_with_those_of_all() {
    let query = "{ network { suppressedBelow nodes { name link own: aggregations { size { histogram(interval: 5) { \
                 buckets(max: 1) { key } } } } } aggregations { size { histogram(interval: 5) { buckets { key } } \
                 range(ranges: [{to: 3}]) { bucket_count } again: range(ranges: [{to: 3}]) { bucket_count } } } } }";
    let planned = plan(&networked(), query, json!({}));
    let [question] = planned.network.as_slice() else { panic!("{planned:?}") };
    assert!(question.by_node);
    let [facet] = question.facets.as_slice() else { panic!("{question:?}") };
    assert_eq!((facet.histograms.len(), facet.ranges.len()), (1, 1), "a node is asked once for the same");
    let facets = json!({ "size": {
        "histogram_0": { "buckets": [{ "key": "0" }, { "key": "5" }] }, "range_0": { "bucket_count": 1 },
    } });
    let answer = json!({
        "suppressedBelow": null,
        "nodes": [{ "name": "a", "link": "/x", "aggregations": facets }, { "name": "b", "link": null }],
        "aggregations": facets,
    });
    let results = PlanResults { network: vec![Ok(answer)], ..PlanResults::default() };
    let body: Value = serde_json::from_slice(&planned.write(&results).body).unwrap();
    let own = json!({ "size": { "histogram": { "buckets": [{ "key": "0" }] } } });
    assert_eq!(
        body["data"]["network"],
        json!({
            "suppressedBelow": null,
            "nodes": [{ "name": "a", "link": "/x", "own": own }, { "name": "b", "link": null, "own": null }],
            "aggregations": { "size": {
                "histogram": { "buckets": [{ "key": "0" }, { "key": "5" }] },
                "range": { "bucket_count": 1 },
                "again": { "bucket_count": 1 },
            } },
        })
    );
}

#[test]
fn a_plain_filter_tests_no_field_under_both_of_its_names() {
    let field = NetworkField { name: "other__thing".to_owned(), kind: AggregationKind::Plain };
    let schema = CatalogueSchema::build_with_network(schema().catalogue().clone(), Some(&[field])).unwrap();
    let is_plain = |names: &[&str]| {
        let leaf = |name: &&str| json!({ "op": "in", "content": { "fieldName": name, "value": ["a"] } });
        let filter = json!({ "op": "and", "content": names.iter().map(leaf).collect::<Vec<_>>() });
        let query = "query($f: JSON) { network(filters: $f) { complete } }";
        plan(&schema, query, json!({ "f": filter })).network[0].has_plain_filter
    };
    assert!(is_plain(&["other__thing", "size"]) && is_plain(&["other.thing"]));
    assert!(!is_plain(&["other__thing", "other.thing"]));
}

#[test]
fn ranges_of_a_network_have_distinct_keys() {
    let query = "{ network { aggregations { size { range(ranges: [{from: 0}, {from: 0}]) { bucket_count } } } } }";
    let planned = plan(&networked(), query, json!({}));
    assert_eq!(planned.network, []);
    let body: Value = serde_json::from_slice(&planned.write(&PlanResults::default()).body).unwrap();
    assert!(body["errors"][0]["message"].as_str().unwrap().contains("two ranges have the key"), "{body}");
}

#[test]
fn a_filter_over_a_network_has_fields_that_are_known() {
    let query = "query($f: JSON) { network(filters: $f) { complete } }";
    for (field, value, message) in [
        ("nothing", "x", "no node of the network has a field \"nothing\""),
        ("size", "set_id:mine", "a saved set belongs to one server"),
    ] {
        let filter = json!({ "op": "in", "content": { "fieldName": field, "value": [value] } });
        let planned = plan(&networked(), query, json!({ "f": filter }));
        assert_eq!(planned.network, []);
        let body: Value = serde_json::from_slice(&planned.write(&PlanResults::default()).body).unwrap();
        assert!(body["errors"][0]["message"].as_str().unwrap().contains(message), "{body}");
        assert_eq!(body["data"], json!({ "network": null }));
    }
    let planned = plan(&networked(), query, json!({ "f": null }));
    let refused = PlanResults { network: vec![Err(NetworkError::Filter)], ..PlanResults::default() };
    let body: Value = serde_json::from_slice(&planned.write(&refused).body).unwrap();
    let message = json!(NetworkError::Filter.to_string());
    assert_eq!((&body["data"]["network"], &body["errors"][0]["message"]), (&Value::Null, &message));
    assert_eq!(body["errors"][0]["path"], json!(["network"]));
}
