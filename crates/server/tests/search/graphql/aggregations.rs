//! `aggregations`: every sub-field, on every nesting level, with and without a field's own filter.

use serde_json::{Value, json};

use crate::support::{ask, counts, leaf, refused, server};

#[tokio::test]
async fn values_are_counted_with_those_that_lack_one_last() {
    let server = server().await;
    let selection = "aggregations { tags { bucket_count cardinality buckets { key doc_count key_as_string } } released { \
        bucket_count buckets { key doc_count key_as_string } } created { buckets(max: 1) { key key_as_string doc_count } } \
        size { bucket_count buckets(max: 2) { key doc_count } } quality { buckets { key doc_count } } }";
    let answer = ask(&server, selection, &json!({})).await["aggregations"].take();
    assert_eq!(counts(&answer["tags"]["buckets"]), [("y", 2), ("x", 1), ("z", 1), ("__missing__", 2)]);
    assert_eq!((&answer["tags"]["bucket_count"], &answer["tags"]["cardinality"]), (&json!(4), &json!(3)));
    assert_eq!(
        answer["released"]["buckets"],
        json!([
            {"key": "0", "doc_count": 2, "key_as_string": "false"},
            {"key": "1", "doc_count": 2, "key_as_string": "true"},
            {"key": "__missing__", "doc_count": 1, "key_as_string": null}
        ])
    );
    let first = &answer["created"]["buckets"][0];
    assert_eq!((&first["key"], &first["doc_count"]), (&json!("1577872800000"), &json!(1)));
    assert_eq!(first["key_as_string"], "2020-01-01T10:00:00.000Z");
    assert_eq!(counts(&answer["size"]["buckets"]), [("10", 1), ("20", 1), ("__missing__", 1)]);
    // It is the number of buckets there are, not of those that are asked for.
    assert_eq!(answer["size"]["bucket_count"], 5);
    assert_eq!(counts(&answer["quality"]["buckets"]), [("0.25", 1), ("0.5", 1), ("0.75", 1), ("__missing__", 2)]);
}

#[tokio::test]
async fn missing_values_are_left_out_when_asked() {
    let server = server().await;
    let selection = "aggregations(include_missing: false) { tags { bucket_count buckets { key doc_count } } \
        donors__gender { buckets { key doc_count } } }";
    let answer = ask(&server, selection, &json!({})).await["aggregations"].take();
    assert_eq!(counts(&answer["tags"]["buckets"]), [("y", 2), ("x", 1), ("z", 1)]);
    assert_eq!(answer["tags"]["bucket_count"], 3);
    assert_eq!(counts(&answer["donors__gender"]["buckets"]), [("Male", 3), ("Female", 1)]);
}

#[tokio::test]
async fn nested_values_count_records_on_every_level() {
    let server = server().await;
    let selection = "aggregations { donors__gender { buckets { key doc_count } } donors__age { stats { min max avg sum count } \
        buckets { key doc_count } } donors__specimens__kind { bucket_count buckets { key doc_count } } \
        donors__specimens__samples__code { cardinality buckets { key doc_count } } \
        donors__specimens__samples__mass { buckets { key doc_count } } }";
    let answer = ask(&server, selection, &json!({})).await["aggregations"].take();
    assert_eq!(counts(&answer["donors__gender"]["buckets"]), [("Male", 3), ("Female", 1)]);
    assert_eq!(counts(&answer["donors__age"]["buckets"]), [("30", 2), ("40", 1), ("50", 1)]);
    assert_eq!(answer["donors__age"]["stats"], json!({"min": 30, "max": 50, "avg": 37.5, "sum": 150, "count": 4}));
    assert_eq!(counts(&answer["donors__specimens__kind"]["buckets"]), [("Normal", 2), ("Tumour", 2)]);
    let codes = &answer["donors__specimens__samples__code"];
    assert_eq!(counts(&codes["buckets"]), [("S1", 2), ("S2", 1), ("S3", 1), ("S4", 1)]);
    assert_eq!(codes["cardinality"], 4);
    // Records with an element that lacks the value.
    let masses = &answer["donors__specimens__samples__mass"]["buckets"];
    assert_eq!(counts(masses), [("1.5", 2), ("2.5", 1), ("__missing__", 2)]);
}

#[tokio::test]
async fn numbers_have_stats_histograms_and_ranges() {
    let server = server().await;
    let selection = "aggregations(filters: $f) { size { stats { min max avg sum count } range(ranges: [{from: 0, to: 20}, {key: \"large\", from: 20}, {to: 5}]) { bucket_count \
        buckets { key doc_count } } } quality { stats { sum count } histogram(interval: 0.5) { buckets { key doc_count } } } \
        created { stats { min count } range(ranges: [{from: 1609459200000}]) { buckets { key doc_count } } } }";
    let small = leaf("lt", "size", json!(100));
    let answer = ask(&server, selection, &json!({"f": {"op": "and", "content": [small]}})).await["aggregations"].take();
    // The facet of the size is counted without its own condition.
    assert_eq!(answer["size"]["stats"]["max"], json!(5_000_000_000_i64));
    assert_eq!(answer["size"]["stats"]["count"], 4);
    assert_eq!(counts(&answer["size"]["range"]["buckets"]), [("0.0-20.0", 1), ("large", 3), ("*-5.0", 0)]);
    assert_eq!(answer["quality"]["stats"], json!({"sum": 1.25, "count": 2}));
    assert_eq!(counts(&answer["quality"]["histogram"]["buckets"]), [("0.5", 2)]);
    assert_eq!(answer["created"]["stats"]["count"], 3);
    assert_eq!(counts(&answer["created"]["range"]["buckets"])[0].1, 2);
    let none = json!({"f": leaf("in", "tags", json!("nothing"))});
    let empty = ask(&server, "aggregations(filters: $f) { size { stats { min max avg sum count } } }", &none).await;
    assert_eq!(
        empty["aggregations"]["size"]["stats"],
        json!({"min": null, "max": null, "avg": null, "sum": 0, "count": 0})
    );
}

#[tokio::test]
async fn histograms_keep_empty_buckets_between_full_ones() {
    let server = server().await;
    let selection = "aggregations(filters: $f, aggregations_filter_themselves: true) { size { histogram(interval: 5) { buckets \
        { key doc_count } } } }";
    let small = json!({"f": leaf("lte", "size", json!(20))});
    let answer = ask(&server, selection, &small).await;
    assert_eq!(counts(&answer["aggregations"]["size"]["histogram"]["buckets"]), [("10", 1), ("15", 0), ("20", 1)]);
}

#[tokio::test]
async fn a_fields_own_condition_counts_only_when_asked() {
    let server = server().await;
    let filter =
        json!({"op": "and", "content": [leaf("in", "tags", json!(["x"])), leaf("in", "released", json!([true]))]});
    for (arguments, tags, released) in [
        ("", vec![("x", 1), ("y", 1), ("z", 1)], vec![("1", 1)]),
        (", aggregations_filter_themselves: false", vec![("x", 1), ("y", 1), ("z", 1)], vec![("1", 1)]),
        (", aggregations_filter_themselves: true", vec![("x", 1), ("y", 1)], vec![("1", 1)]),
    ] {
        let selection = format!(
            "hits(filters: $f) {{ total }} aggregations(filters: $f{arguments}) {{ tags {{ buckets {{ key doc_count }} }} \
             released {{ buckets {{ key doc_count }} }} }}"
        );
        let answer = ask(&server, &selection, &json!({"f": filter})).await;
        assert_eq!(answer["hits"]["total"], 1);
        assert_eq!(counts(&answer["aggregations"]["tags"]["buckets"]), tags, "{arguments}");
        assert_eq!(counts(&answer["aggregations"]["released"]["buckets"]), released, "{arguments}");
    }
}

#[tokio::test]
async fn nested_facets_obey_conditions_on_their_elements() {
    let server = server().await;
    let ask_for = async |filter: Value, own: bool, field: &str| {
        let selection = format!(
            "aggregations(filters: $f, include_missing: false, aggregations_filter_themselves: {own}) {{ {field} {{ buckets \
             {{ key doc_count }} }} }}"
        );
        let answer = ask(&server, &selection, &json!({"f": filter})).await;
        let buckets = answer["aggregations"][field]["buckets"].clone();
        counts(&buckets).into_iter().map(|(key, count)| format!("{key}:{count}")).collect::<Vec<_>>().join(" ")
    };
    let female = leaf("in", "donors.gender", json!(["Female"]));
    // Of the two donors of f2 only the one that satisfies the filter is counted.
    assert_eq!(ask_for(female.clone(), false, "donors__age").await, "40:1");
    assert_eq!(ask_for(female.clone(), true, "donors__gender").await, "Female:1");
    assert_eq!(ask_for(female, false, "donors__gender").await, "Male:3 Female:1");
    // A condition that lies deeper is lifted to the elements that are counted.
    let normal = leaf("in", "donors.specimens.kind", json!("Normal"));
    assert_eq!(ask_for(normal.clone(), false, "donors__gender").await, "Female:1 Male:1");
    // One that lies above them holds for what they are in: of the specimens of f3 only one is normal.
    assert_eq!(ask_for(normal, false, "donors__specimens__samples__code").await, "S3:1 S4:1");
    // A condition that is not on the path only selects records.
    assert_eq!(ask_for(leaf("in", "analysis", json!("A1")), false, "donors__gender").await, "Male:2 Female:1");
}

#[tokio::test]
async fn buckets_show_a_record_and_count_what_passes_another_filter() {
    let server = server().await;
    let selection = "aggregations { analysis { buckets { key top_hits(_source: [\"size\", \"file.format\"], size: 1) \
        all: top_hits filter_by_term(filter: $f) } } donors__gender { buckets { key filter_by_term(filter: $f) } } }";
    let filter = json!({"op": "and", "content": [leaf("in", "released", json!([true]))]});
    let answer = ask(&server, selection, &json!({"f": filter})).await["aggregations"].take();
    let analysis = answer["analysis"]["buckets"].as_array().unwrap();
    assert_eq!(analysis[0]["key"], "A1");
    assert_eq!(analysis[0]["filter_by_term"], json!({"doc_count": 1}));
    let shown = &analysis[0]["top_hits"];
    assert_eq!(shown.as_object().unwrap().keys().collect::<Vec<_>>(), ["size", "file"]);
    assert_eq!(shown["file"], json!({"format": "bam"}));
    assert_eq!(analysis[0]["all"]["analysis"], "A1");
    assert_eq!(analysis[2]["filter_by_term"], json!({"doc_count": 0}));
    assert_eq!(answer["donors__gender"]["buckets"][0], json!({"key": "Male", "filter_by_term": {"doc_count": 2}}));
}

#[tokio::test]
async fn objects_and_multi_fields_are_there_too() {
    let server = server().await;
    let answer = ask(&server, "aggregations { file__format { buckets { key doc_count } } name__keyword { bucket_count } file { bucket_count cardinality buckets { key doc_count } } }", &json!({})).await;
    let answer = &answer["aggregations"];
    assert_eq!(counts(&answer["file__format"]["buckets"]), [("bam", 2), ("vcf", 2), ("__missing__", 1)]);
    assert_eq!(answer["name__keyword"]["bucket_count"], 5);
    // An object has no values of its own, but records may lack it.
    assert_eq!(counts(&answer["file"]["buckets"]), [("__missing__", 1)]);
    assert_eq!((&answer["file"]["bucket_count"], &answer["file"]["cardinality"]), (&json!(1), &json!(0)));
    let missing = json!({"f": leaf("in", "file", json!("__missing__"))});
    let found = ask(&server, "hits(filters: $f) { total }", &missing).await;
    assert_eq!(found["hits"]["total"], 1);
}

#[tokio::test]
async fn arguments_that_cannot_be_are_refused() {
    let server = server().await;
    for (field, place) in [
        ("size { histogram(interval: 0) { buckets { key } } }", "interval"),
        ("size { histogram(interval: -5) { buckets { key } } }", "interval"),
        ("size { range(ranges: []) { buckets { key } } }", "ranges"),
        ("tags { buckets(max: -1) { key } }", "max"),
        ("size { histogram(interval: 0.0000001) { buckets { key } } }", ""),
    ] {
        let query = format!("{{ file {{ aggregations {{ {field} }} hits {{ total }} }} }}");
        let answer = server.graphql("/graphql", &query, &json!({})).await;
        let message = refused(&answer, 200, "BAD_USER_INPUT");
        assert!(message.contains(place), "{field}: {message}");
    }
}
