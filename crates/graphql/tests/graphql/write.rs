//! Answers as JSON.

use cantata_engine::{Bucket, Cursor, EngineError, FacetResult, FieldStats, Hit, HitsResult, SearchResponse};
use cantata_graphql::PlanResults;
use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use crate::sample::{plan, schema, write, write_hits};

/// Returns the nodes of a page of one document, and the errors.
fn node(selection: &str, document: Value) -> (Value, Value) {
    let query = format!("{{ file {{ hits {{ edges {{ node {{ {selection} }} }} }} }} }}");
    let body = write_hits(&plan(&schema(), &query, json!({})), &[("R1", document)]);
    (body["data"]["file"]["hits"]["edges"][0]["node"].clone(), body["errors"].clone())
}

/// Holds that a selection of a document gives this node without errors.
fn shows(selection: &str, document: Value, expected: Value) {
    let (node, errors) = node(selection, document);
    assert_eq!((node, errors), (expected, Value::Null), "{selection}");
}

#[test]
fn members_come_in_the_order_of_the_selection() {
    let query = "{ file { hits { edges { node { size id ...A } } total __typename } } } \
                 fragment A on fileNode { tags size ... on Node { __typename } }";
    let planned = plan(&schema(), query, json!({}));
    let hit = Hit {
        cursor: Cursor { values: Vec::new(), id: "a\"b".to_owned() },
        document: Some(json!({ "tags": ["é\n"], "size": 1, "other": 2 }).into()),
        score: None,
    };
    let answer = SearchResponse { hits: vec![HitsResult { total: Some(7), hits: vec![hit] }], facets: Vec::new() };
    let bytes = planned.write(&PlanResults { records: Some(Ok(answer)), ..PlanResults::default() }).body;
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "{\"data\":{\"file\":{\"hits\":{\"edges\":[{\"node\":{\"size\":1,\"id\":\"a\\\"b\",\"tags\":[\"é\\n\"],\
         \"__typename\":\"fileNode\"}}],\"total\":7,\"__typename\":\"fileConnection\"}}}}\n"
    );
}

#[test]
fn values_are_shown_as_their_type() {
    shows(
        "size quality level",
        json!({ "size": "97", "quality": "1.5", "level": true }),
        json!({ "size": 97, "quality": 1.5, "level": 1 }),
    );
    shows("size", json!({ "size": u64::MAX }), json!({ "size": u64::MAX }));
    shows("size", json!({ "size": "9223372036854775807" }), json!({ "size": i64::MAX }));
    shows("size", json!({ "size": [3, 4] }), json!({ "size": 3 }));
    shows("size", json!({ "size": [] }), json!({ "size": null }));
    shows("analysis_id", json!({ "analysis_id": 5 }), json!({ "analysis_id": "5" }));
    shows("analysis_id", json!({ "analysis_id": true }), json!({ "analysis_id": "true" }));
    shows("released", json!({ "released": "true" }), json!({ "released": true }));
    shows("released", json!({ "released": 0 }), json!({ "released": false }));
    shows("created", json!({ "created": 1_700_000_000_000_i64 }), json!({ "created": "1700000000000" }));
    shows("tags", json!({ "tags": "one" }), json!({ "tags": ["one"] }));
    shows("tags", json!({ "tags": ["one", 2, null, ["three"]] }), json!({ "tags": ["one", "2", "three"] }));
    shows("tags", json!({}), json!({ "tags": null }));
    shows("tags", json!({ "tags": null }), json!({ "tags": null }));
    shows(
        "extra shape",
        json!({ "extra": { "a": [1, [2, 3]] }, "shape": [1.5, 2.0] }),
        json!({ "extra": { "a": [1, [2, 3]] }, "shape": [1.5, 2.0] }),
    );
    shows(
        "file_name field_score score",
        json!({ "file-name": "x", "score": 9 }),
        json!({ "file_name": "x", "field_score": 9, "score": 1.5 }),
    );
}

#[test]
fn values_that_cannot_be_shown_are_null_with_an_error() {
    let (shown, errors) = node(
        "a: analysis_id size tags level released",
        json!({
            "analysis_id": { "x": 1 }, "size": "large", "tags": ["ok", {}], "level": 1.5, "released": "maybe"
        }),
    );
    assert_eq!(shown, json!({ "a": null, "size": null, "tags": ["ok", null], "level": null, "released": null }));
    let paths: Vec<&Value> = errors.as_array().unwrap().iter().map(|error| &error["path"]).collect();
    let path = |name: &str| json!(["file", "hits", "edges", 0, "node", name]);
    assert_eq!(paths, [&path("a"), &path("size"), &path("tags"), &path("level"), &path("released")]);
    assert_eq!(errors[0]["message"], "String cannot represent an object; the document has another type there");
}

#[test]
fn errors_in_nested_elements_have_their_whole_path() {
    let document =
        json!({ "file": { "type": {} }, "donors": [{ "age": 1 }, { "gender": {}, "age": "old" }], "size": "x" });
    let (_, errors) =
        node("file { kind: type } donors { hits { total edges { node { id gender age } } } } size", document);
    let paths: Vec<&Value> = errors.as_array().unwrap().iter().map(|error| &error["path"]).collect();
    let node = ["file", "hits", "edges"].map(Value::from).into_iter().chain([json!(0), json!("node")]);
    let path = |rest: Value| node.clone().chain(rest.as_array().unwrap().clone()).collect::<Value>();
    assert_eq!(
        paths,
        [
            &path(json!(["file", "kind"])),
            &path(json!(["donors", "hits", "edges", 1, "node", "gender"])),
            &path(json!(["donors", "hits", "edges", 1, "node", "age"])),
            &path(json!(["size"])),
        ]
    );
}

#[test]
fn errors_are_limited_in_number() {
    let planned = plan(&schema(), "{ file { hits { edges { node { size } } } } }", json!({}));
    let documents: Vec<(&str, Value)> = (0..500).map(|_| ("a", json!({ "size": "large" }))).collect();
    let body = write_hits(&planned, &documents);
    assert_eq!(body["errors"].as_array().unwrap().len(), 100);
    assert_eq!(body["data"]["file"]["hits"]["edges"].as_array().unwrap().len(), 500);
}

#[test]
fn objects_and_nested_lists_are_shown_as_selected() {
    shows(
        "file { type index_file { name } }",
        json!({ "file": { "type": "bam", "index_file": { "name": "i" } } }),
        json!({ "file": { "type": "bam", "index_file": { "name": "i" } } }),
    );
    shows("file { type }", json!({ "file": [{ "type": "a" }, { "type": "b" }] }), json!({ "file": { "type": "a" } }));
    shows("file { type }", json!({ "file": "text" }), json!({ "file": null }));
    shows("file { type }", json!({}), json!({ "file": null }));
    let donors = json!({ "donors": [
        { "id": "D1", "age": 1, "specimens": [{ "type": "x", "samples": { "code": "c" } }, { "type": "y" }] },
        { "age": 2 }
    ] });
    shows(
        "donors { hits { total edges { searchAfter node { id field_id age specimens { hits { total edges { node { id type \
         samples { __typename hits { edges { node { id code } } } } } } } } } } } }",
        donors.clone(),
        json!({ "donors": { "hits": { "total": 2, "edges": [
            { "searchAfter": null, "node": { "id": "R1/donors/0", "field_id": "D1", "age": 1, "specimens": { "hits": {
                "total": 2, "edges": [
                    { "node": { "id": "R1/donors/0/specimens/0", "type": "x", "samples": {
                        "__typename": "fileDonorsSpecimensSamples",
                        "hits": { "edges": [{ "node": { "id": "R1/donors/0/specimens/0/samples/0", "code": "c" } }] }
                    } } },
                    { "node": { "id": "R1/donors/0/specimens/1", "type": "y", "samples": {
                        "__typename": "fileDonorsSpecimensSamples", "hits": { "edges": [] }
                    } } }
                ] } } } },
            { "searchAfter": null, "node": { "id": "R1/donors/1", "field_id": null, "age": 2,
                "specimens": { "hits": { "total": 0, "edges": [] } } } }
        ] } } }),
    );
    shows(
        "donors { aggregations { age { bucket_count } } hits(first: 1, offset: 1) { total edges { node { age } } } }",
        donors,
        json!({ "donors": { "aggregations": null, "hits": { "total": 2, "edges": [{ "node": { "age": 2 } }] } } }),
    );
}

#[test]
fn nested_elements_are_filtered_and_sorted() {
    let donors = json!({ "donors": [
        { "gender": "f", "age": 3, "specimens": [{ "type": "x" }, { "type": "y" }] },
        { "gender": "m", "age": 1, "specimens": { "type": "z" } },
        { "gender": "f", "age": 2 },
        { "gender": "f" },
    ] });
    let ages = |arguments: &str| {
        let (shown, errors) =
            node(&format!("donors {{ hits({arguments}) {{ total edges {{ node {{ id age }} }} }} }}"), donors.clone());
        assert_eq!(errors, Value::Null, "{arguments}");
        let hits = &shown["donors"]["hits"];
        let edges = hits["edges"].as_array().unwrap().iter();
        let ids = edges.map(|edge| edge["node"]["id"].as_str().unwrap().rsplit('/').next().unwrap().to_owned());
        format!("{}: {}", hits["total"], ids.collect::<Vec<_>>().join(" "))
    };
    let female = "filters: {op: \"in\", content: {fieldName: \"donors.gender\", value: \"f\"}}";
    assert_eq!(ages(female), "3: 0 2 3");
    assert_eq!(ages(&format!("{female}, sort: [{{fieldName: \"donors.age\"}}]")), "3: 2 0 3");
    assert_eq!(ages(&format!("{female}, sort: [{{fieldName: \"donors.age\", order: asc}}], first: 2")), "3: 3 2");
    assert_eq!(ages("sort: [{fieldName: \"donors.age\", order: desc}], offset: 1, first: 2"), "4: 2 1");
    let deeper = "filters: {op: \"in\", content: {fieldName: \"donors__specimens__type\", value: [\"y\", \"z\"]}}";
    assert_eq!(ages(deeper), "2: 0 1");
    assert_eq!(ages("filters: {op: \"gt\", content: {fieldName: \"donors.age\", value: 1}}"), "2: 0 2");
    assert_eq!(ages("filters: {op: \"in\", content: {fieldName: \"donors.age\", value: \"__missing__\"}}"), "1: 3");
    assert_eq!(ages("filters: {op: \"wildcard\", content: {fieldNames: [\"donors.gender\"], value: \"M*\"}}"), "1: 1");
    for (arguments, message) in [
        ("filters: {op: \"in\", content: {fieldName: \"size\", value: 1}}", "outside of `donors`"),
        ("filters: {op: \"in\", content: {fieldName: \"nothing\", value: 1}}", "no field"),
        ("sort: [{fieldName: \"size\"}]", "a field of the elements of \"donors\""),
    ] {
        let query =
            format!("{{ file {{ hits {{ edges {{ node {{ donors {{ hits({arguments}) {{ total }} }} }} }} }} }} }}");
        let body = write_hits(&plan(&schema(), &query, json!({})), &[("a", donors.clone())]);
        let found = body["errors"][0]["message"].as_str().unwrap();
        assert!(found.contains(message), "{arguments}: {found}");
    }
}

#[test]
fn flat_names_show_what_lies_deeper() {
    let document = json!({
        "file": { "type": "bam", "index_file": { "name": ["i", "j"] } },
        "donors": [{ "gender": "f", "specimens": [{ "type": "x" }, { "type": "y" }] }, { "specimens": { "type": "z" } }]
    });
    shows(
        "file__type file__index_file__name donors__gender donors__specimens__type donors__specimens__samples__code",
        document.clone(),
        json!({
            "file__type": "bam", "file__index_file__name": "i", "donors__gender": ["f"],
            "donors__specimens__type": ["x", "y", "z"], "donors__specimens__samples__code": []
        }),
    );
    shows(
        "donors { hits { edges { node { specimens__type } } } } file { index_file__name }",
        document,
        json!({
            "donors": { "hits": { "edges": [{ "node": { "specimens__type": ["x", "y"] } }, { "node": { "specimens__type": ["z"] } }] } },
            "file": { "index_file__name": "i" }
        }),
    );
}

#[test]
fn aliases_and_copies_show_the_values_they_stand_for() {
    shows(
        "named everything",
        json!({ "analysis_id": "A", "tags": ["b", "c"] }),
        json!({ "named": "A", "everything": ["A", "b", "c"] }),
    );
}

#[test]
fn cursors_are_those_of_the_engine() {
    let planned =
        plan(&schema(), "{ file { hits(sort: [{fieldName: \"size\"}]) { edges { searchAfter } } } }", json!({}));
    let cursor = Cursor { values: vec![Some(TypedValue::Integer(i64::MAX))], id: "a".to_owned() };
    let hits = vec![Hit { cursor: cursor.clone(), document: None, score: None }];
    let body = write(&planned, SearchResponse { hits: vec![HitsResult { total: None, hits }], facets: Vec::new() });
    let written = &body["data"]["file"]["hits"]["edges"][0]["searchAfter"];
    assert_eq!(*written, json!([i64::MAX.to_string(), "a"]));
    let next =
        "query($c: JSON) { file { hits(sort: [{fieldName: \"size\"}], searchAfter: $c) { edges { searchAfter } } } }";
    let next = plan(&schema(), next, json!({ "c": written })).records.unwrap();
    assert_eq!(next.hits[0].after, Some(cursor));
}

#[test]
fn totals_that_were_not_counted_are_those_seen() {
    let planned = plan(
        &schema(),
        "{ file { hits(trackTotalHits: false, offset: 4) { total edges { node { id } } } } }",
        json!({}),
    );
    let hit = || Hit { cursor: Cursor { values: Vec::new(), id: "a".to_owned() }, document: None, score: None };
    let body = write(
        &planned,
        SearchResponse { hits: vec![HitsResult { total: None, hits: vec![hit(), hit()] }], facets: Vec::new() },
    );
    assert_eq!(body["data"]["file"]["hits"]["total"], 6);
}

fn bucket(value: TypedValue, count: u64) -> Bucket {
    Bucket { value, count, top_hits: Vec::new(), filtered: Vec::new() }
}

#[test]
fn bucket_keys_are_texts_of_each_type() {
    let values = [
        (TypedValue::Bool(true), json!("1"), json!("true")),
        (TypedValue::Integer(-5), json!("-5"), Value::Null),
        (TypedValue::Unsigned(u64::MAX), json!("18446744073709551615"), Value::Null),
        (TypedValue::Double(5.0), json!("5.0"), Value::Null),
        (TypedValue::Double(5.5), json!("5.5"), Value::Null),
        (TypedValue::Text("a\"".to_owned()), json!("a\""), Value::Null),
        (TypedValue::DateMillis(1_700_000_000_123), json!("1700000000123"), json!("2023-11-14T22:13:20.123Z")),
        (TypedValue::DateNanos(1_000_001), json!("1"), json!("1970-01-01T00:00:00.001000001Z")),
        (TypedValue::Ip("10.0.0.1".parse().unwrap()), json!("10.0.0.1"), Value::Null),
    ];
    for (value, key, key_as_string) in values {
        let planned = plan(
            &schema(),
            "{ file { aggregations { tags { buckets { key key_as_string doc_count } } } } }",
            json!({}),
        );
        let facet = FacetResult { buckets: vec![bucket(value, 3)], ..FacetResult::default() };
        let body = write(&planned, SearchResponse { hits: Vec::new(), facets: vec![facet] });
        assert_eq!(
            body,
            json!({ "data": { "file": { "aggregations": { "tags": { "buckets": [
                { "key": key, "key_as_string": key_as_string, "doc_count": 3 }
            ] } } } } })
        );
    }
}

#[test]
fn missing_values_have_the_last_bucket() {
    let buckets = |arguments: &str, missing: u64| {
        let query = format!(
            "{{ file {{ aggregations{arguments} {{ __typename tags {{ __typename bucket_count cardinality \
            two: buckets(max: 2) {{ key }} buckets {{ key doc_count }} }} }} }} }}"
        );
        let planned = plan(&schema(), &query, json!({}));
        let facet = &planned.records.as_ref().unwrap().facets[0];
        assert_eq!((facet.buckets, facet.missing), (Some(300_000), arguments.is_empty()));
        let values = ["a", "b", "c"].map(|key| bucket(TypedValue::Text(key.to_owned()), 1)).into();
        let facet = FacetResult { buckets: values, distinct: 3, missing, ..FacetResult::default() };
        write(&planned, SearchResponse { hits: Vec::new(), facets: vec![facet] })["data"]["file"]["aggregations"].take()
    };
    let found = buckets("", 4);
    assert_eq!(found["__typename"], "fileAggregations");
    assert_eq!(
        found["tags"],
        json!({
            "__typename": "Aggregations", "bucket_count": 4, "cardinality": 3,
            "two": [{ "key": "a" }, { "key": "b" }, { "key": "__missing__" }],
            "buckets": [
                { "key": "a", "doc_count": 1 }, { "key": "b", "doc_count": 1 }, { "key": "c", "doc_count": 1 },
                { "key": "__missing__", "doc_count": 4 }
            ]
        })
    );
    assert_eq!(buckets("", 0)["tags"]["buckets"].as_array().unwrap().len(), 3);
    assert_eq!(buckets("(include_missing: false)", 0)["tags"]["buckets"].as_array().unwrap().len(), 3);
}

#[test]
fn figures_histograms_and_ranges_are_shown() {
    let query = "{ file { aggregations { size { __typename stats { __typename max min avg sum count } histogram(interval: \
        10) { __typename bucket_count cardinality buckets { key key_as_string doc_count } } range(ranges: [{from: 1000}, \
        {to: 5}, {key: \"mine\", from: 1, to: 2}]) { bucket_count buckets { key doc_count } } } created { histogram { \
        buckets { key key_as_string } } stats { max count } } } } }";
    let planned = plan(&schema(), query, json!({}));
    let size = FacetResult {
        stats: Some(FieldStats { count: 2, min: 1.0, max: 4.5, sum: 5.5 }),
        histograms: vec![vec![(0.0, 1), (10.0, 0), (20.5, 1)]],
        ranges: vec![vec![1, 2, 0]],
        ..FacetResult::default()
    };
    let created = FacetResult {
        stats: Some(FieldStats { count: 0, min: 0.0, max: 0.0, sum: 0.0 }),
        histograms: vec![vec![(1000.0, 1)]],
        ..FacetResult::default()
    };
    let body = write(&planned, SearchResponse { hits: Vec::new(), facets: vec![size, created] });
    assert_eq!(
        body["data"]["file"]["aggregations"],
        json!({
            "size": {
                "__typename": "NumericAggregations",
                "stats": { "__typename": "Stats", "max": 4.5, "min": 1, "avg": 2.75, "sum": 5.5, "count": 2 },
                "histogram": { "__typename": "Aggregations", "bucket_count": 3, "cardinality": null, "buckets": [
                    { "key": "0", "key_as_string": null, "doc_count": 1 },
                    { "key": "10", "key_as_string": null, "doc_count": 0 },
                    { "key": "20.5", "key_as_string": null, "doc_count": 1 }
                ] },
                "range": { "bucket_count": 3, "buckets": [
                    { "key": "1000.0-*", "doc_count": 1 }, { "key": "*-5.0", "doc_count": 2 }, { "key": "mine", "doc_count": 0 }
                ] }
            },
            "created": {
                "histogram": { "buckets": [{ "key": "1000", "key_as_string": "1970-01-01T00:00:01.000Z" }] },
                "stats": { "max": null, "count": 0 }
            }
        })
    );
}

#[test]
fn buckets_show_their_first_record_and_filtered_counts() {
    let query = "{ file { aggregations { tags { buckets { key all: top_hits some: top_hits(_source: [\"file.type\", \
        \"donors__age\"], size: 3) none: top_hits(size: 0) a: filter_by_term(filter: {op: \"in\", content: {fieldName: \
        \"size\", value: 1}}) b: filter_by_term(filter: {}) } } } } }";
    let planned = plan(&schema(), query, json!({}));
    let facet = &planned.records.as_ref().unwrap().facets[0];
    assert_eq!(facet.bucket_filters.len(), 2);
    let document = json!({ "file": { "type": "bam", "x": 1 }, "donors": [{ "age": 1, "gender": "f" }], "size": 3 });
    let bucket = Bucket {
        value: TypedValue::Text("a".to_owned()),
        count: 9,
        top_hits: vec![document.clone().into()],
        filtered: vec![4, 9],
    };
    let facet = FacetResult { buckets: vec![bucket], ..FacetResult::default() };
    let body = write(&planned, SearchResponse { hits: Vec::new(), facets: vec![facet] });
    assert_eq!(
        body["data"]["file"]["aggregations"]["tags"]["buckets"],
        json!([{
            "key": "a", "all": document, "some": { "file": { "type": "bam" }, "donors": [{ "age": 1 }] }, "none": null,
            "a": { "doc_count": 4 }, "b": { "doc_count": 9 }
        }])
    );
}

#[test]
fn fields_that_are_cut_are_reported_once() {
    let planned = plan(
        &schema(),
        "{ file { hits { edges { node { size analysis_id tags file__type file { type } } } } } }",
        json!({}),
    );
    let document =
        json!({ "size": [1, 2], "analysis_id": ["a"], "tags": ["a", "b"], "file": [{ "type": 1 }, { "type": 2 }] });
    let hit = || Hit {
        cursor: Cursor { values: Vec::new(), id: "a".to_owned() },
        document: Some(document.clone().into()),
        score: None,
    };
    let answer =
        SearchResponse { hits: vec![HitsResult { total: None, hits: vec![hit(), hit()] }], facets: Vec::new() };
    let written = planned.write(&PlanResults { records: Some(Ok(answer)), ..PlanResults::default() });
    assert_eq!(written.truncated_fields, ["size", "file.type", "file"]);
}

#[test]
fn nothing_asked_needs_no_answer() {
    let query = "{ file { aggregations { __typename size { range(ranges: []) { bucket_count } } } } }";
    let planned = plan(&schema(), query, json!({}));
    assert!(planned.records.is_none());
    let body: Value = serde_json::from_slice(&planned.write(&PlanResults::default()).body).unwrap();
    assert_eq!(body["data"]["file"]["aggregations"], json!({ "__typename": "fileAggregations", "size": null }));
    assert_eq!(body["errors"].as_array().unwrap().len(), 1);
}

#[test]
fn containers_have_the_missing_bucket_only() {
    let planned =
        plan(&schema(), "{ file { aggregations { file { bucket_count buckets { key doc_count } } } } }", json!({}));
    let page = HitsResult { total: Some(5), hits: Vec::new() };
    let body = write(&planned, SearchResponse { hits: vec![page], facets: Vec::new() });
    assert_eq!(
        body["data"]["file"]["aggregations"]["file"],
        json!({ "bucket_count": 1, "buckets": [{ "key": "__missing__", "doc_count": 5 }] })
    );
}

#[test]
fn failures_of_the_engine_leave_the_rest() {
    let query = "{ file { hits { total } aggregations { tags { bucket_count } size { bucket_count } } mapping } }";
    for (failure, code) in [
        (EngineError::TimedOut, "SERVICE_UNAVAILABLE"),
        (EngineError::Unreachable, "SERVICE_UNAVAILABLE"),
        (EngineError::Busy, "SERVICE_UNAVAILABLE"),
        (
            EngineError::IndexUnavailable { index: "files".to_owned(), reason: "db-1: too many open files".to_owned() },
            "SERVICE_UNAVAILABLE",
        ),
        (EngineError::PermissionDenied, "INTERNAL_SERVER_ERROR"),
        (EngineError::IndexNotFound("files".to_owned()), "INTERNAL_SERVER_ERROR"),
        (EngineError::Failed("disk 7 of host db-1 is full".to_owned()), "INTERNAL_SERVER_ERROR"),
        (EngineError::Rejected("too many buckets".to_owned()), "BAD_USER_INPUT"),
    ] {
        let planned = plan(&schema(), query, json!({}));
        let answers = PlanResults { records: Some(Err(failure.clone())), ..PlanResults::default() };
        let body: Value = serde_json::from_slice(&planned.write(&answers).body).unwrap();
        assert_eq!(body["data"]["file"]["hits"], Value::Null);
        assert_eq!(body["data"]["file"]["aggregations"], Value::Null);
        assert!(body["data"]["file"]["mapping"].is_object());
        assert!(!body.to_string().contains("db-1"), "{body}");
        let expected =
            |path: Value| json!({ "message": failure.client_message(), "path": path, "extensions": { "code": code } });
        assert_eq!(
            body["errors"],
            json!([expected(json!(["file", "hits"])), expected(json!(["file", "aggregations"]))])
        );
    }
}

#[test]
fn every_text_is_valid_json() {
    let planned = plan(&schema(), "{ file { hits { edges { node { analysis_id } } } } }", json!({}));
    for code in (0..0x250).chain([0x2028, 0xFFFF, 0x1F980]) {
        for before in 0..9 {
            let text =
                format!("{}{}tail of it", "é".repeat(before / 2) + &"a".repeat(before), char::from_u32(code).unwrap());
            let body = write_hits(&planned, &[("a", json!({ "analysis_id": text }))]);
            assert_eq!(body["data"]["file"]["hits"]["edges"][0]["node"]["analysis_id"], text);
        }
    }
}
