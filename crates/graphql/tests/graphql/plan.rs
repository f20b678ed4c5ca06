//! From requests to plans.

use std::collections::HashMap;

use cantata_access::Identity;
use cantata_catalogue::CatalogueView;
use cantata_engine::{Filter, MissingOrder, SortMode, SortOrder};
use cantata_graphql::{PlanContext, PlannedRequest};
use cantata_mapping::{TypedValue, UtcDateTime};

use serde_json::{Value, json};

use crate::sample::{config, golden, mapping, plan, request, schema, schema_of, schema_with, write_hits};

fn male() -> Value {
    json!({ "op": "and", "content": [
        { "op": "in", "content": { "fieldName": "donors__gender", "value": ["Male"] } },
        { "op": "gte", "content": { "fieldName": "size", "value": 5_000_000_000_u64 } }
    ] })
}

/// Returns the single error of a plan, with the data beside it.
fn error(planned: &PlannedRequest) -> (Value, Value) {
    let body = write_hits(planned, &[]);
    let errors = body["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0]["extensions"]["code"], "BAD_USER_INPUT");
    (body["data"].clone(), errors[0].clone())
}

#[test]
fn a_portal_page_is_one_plan() {
    let query = "query($f: JSON) { file { \
        hits(first: 20, filters: $f, sort: [{fieldName: \"donors.age\", order: desc}]) { total edges { node { id \
        analysis_id } searchAfter } } \
        aggregations(filters: $f) { tags { buckets { key doc_count } bucket_count } donors__gender { buckets { key } } \
        size { stats { max } histogram(interval: 100) { buckets { key } } range(ranges: [{from: 1, to: 5}]) { buckets { \
        key } } } donors__specimens__type { cardinality } } } }";
    let planned = plan(&schema(), query, json!({ "f": male() }));
    golden("portal_page.txt", &format!("{:#?}\n", planned.records.unwrap()));
    assert!(planned.sets.is_none());
}

#[test]
fn arguments_have_defaults() {
    let planned = plan(
        &schema(),
        "{ file { hits { total edges { node { size } } } aggregations { size { buckets { key \
        top_hits filter_by_term(filter: {}) } histogram { buckets { key } } range { buckets { key } } } } } }",
        json!({}),
    );
    golden("defaults.txt", &format!("{:#?}\n", planned.records.unwrap()));
}

#[test]
fn pages_ask_for_what_is_selected_only() {
    let hits = |query: &str| plan(&schema(), query, json!({})).records.unwrap().hits.remove(0);
    let total = hits("{ file { hits(first: 50) { total } } }");
    assert_eq!((total.size, total.total, total.documents), (0, true, false));
    let ids = hits("{ file { hits { edges { searchAfter node { id score __typename } } } } }");
    assert_eq!((ids.size, ids.total, ids.documents), (10, false, false));
    assert!(ids.score.is_some() && total.score.is_none());
    let counted = hits("{ file { hits(trackTotalHits: false) { total edges { node { size } } } } }");
    assert_eq!((counted.size, counted.total, counted.documents), (10, false, true));
    assert!(counted.score.is_none(), "nobody asks for scores");
    let of_elements = hits("{ file { hits { edges { node { donors { hits { edges { node { score } } } } } } } } }");
    assert!(of_elements.score.is_some(), "elements have the score of their record");
    let uncounted = hits("{ file { hits(sort: [{fieldName: \"_score\"}], first: 0) { edges { node { score } } } } }");
    assert!(uncounted.score.is_none(), "there is nothing to score");
}

#[test]
fn conditions_of_the_client_score_among_the_records_that_it_may_see() {
    let restriction = json!({ "op": "in", "content": { "fieldName": "tags", "value": ["open*"] } });
    let schema = schema_with(json!({ "access": { "records": [{ "scope": "*", "filter": restriction }] } }));
    let view = schema.catalogue().view(&Identity::anonymous());
    let filter = json!({ "op": "wildcard", "content": { "fieldNames": ["analysis_id"], "value": "*7*" } });
    let query = "query($f: JSON) { file { hits(filters: $f, sort: [{fieldName: \"_score\"}, {fieldName: \"size\"}]) \
        { edges { node { id } } } } }";
    let prepared = schema.prepare(&request(query, json!({ "f": filter }))).unwrap();
    let now = UtcDateTime::from_millis(0).unwrap();
    let sets: HashMap<String, Vec<String>> = HashMap::new();
    let records = prepared.plan(&PlanContext { now, sets: &sets, view: &view }).records.unwrap();
    let (page, shown) = (&records.hits[0], |filter: usize| format!("{:?}", records.filters[filter]));
    let (found, score) = (shown(page.filter), page.score.unwrap());
    assert!(found.contains("open*") && found.contains("*7*"), "{found}");
    assert!(!shown(score.query).contains("open*") && shown(score.query).contains("*7*"), "{}", shown(score.query));
    assert!(shown(score.within).contains("open*") && !shown(score.within).contains("*7*"), "{}", shown(score.within));
    assert!(page.sort[0].is_score() && page.sort[0].order == SortOrder::Descending, "the best first");
}

#[test]
fn aliases_of_one_field_are_independent() {
    let query = "{ file { a: hits(first: 1) { edges { node { id } } } b: hits(first: 2, filters: {op: \"in\", content: \
        {fieldName: \"tags\", value: \"x\"}}) { edges { node { id } } } aggregations { a: size { stats { max } } b: size \
        { buckets(max: 3) { key } } } } }";
    let records = plan(&schema(), query, json!({})).records.unwrap();
    assert_eq!(records.filters.len(), 2);
    assert_eq!(records.hits.iter().map(|hits| (hits.size, hits.filter)).collect::<Vec<_>>(), [(1, 0), (2, 1)]);
    assert_eq!(
        records.facets.iter().map(|facet| (facet.stats, facet.buckets)).collect::<Vec<_>>(),
        [(true, None), (false, Some(3))]
    );
}

#[test]
fn conditions_leave_out_what_they_say() {
    let query = "query($yes: Boolean!, $no: Boolean!) { file { a: mapping @include(if: $no) b: mapping @skip(if: $yes) \
        ... @include(if: $no) { c: mapping } ...F @skip(if: $yes) hits @include(if: $yes) { total } } } \
        fragment F on file { d: mapping }";
    let planned = plan(&schema(), query, json!({ "yes": true, "no": false }));
    assert_eq!(write_hits(&planned, &[]), json!({ "data": { "file": { "hits": { "total": 0 } } } }));
}

#[test]
fn no_filter_means_all_records() {
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    for variables in
        [json!({}), json!({ "f": null }), json!({ "f": {} }), json!({ "f": { "op": "and", "content": [] } })]
    {
        assert_eq!(plan(&schema(), query, variables).records.unwrap().filters, [Filter::All]);
    }
}

#[test]
fn a_malformed_filter_fails_its_field_alone() {
    let query = "query($f: JSON) { file { bad: hits(filters: $f) { total } hits { total } aggregations(filters: $f) { \
        tags { bucket_count } } } }";
    for filter in [
        json!("text"),
        json!({ "op": "inn", "content": {} }),
        json!({ "op": "in", "content": { "value": ["a"] } }),
        json!({ "op": "and", "content": [{ "op": "gt", "content": { "fieldName": "size", "value": "many" } }] }),
        json!({ "op": "in", "content": { "fieldName": "tags", "value": ["set_id:unknown"] } }),
        json!({ "op": "in", "content": { "fieldName": "nothing", "value": "a" } }),
        json!({ "op": "not-in", "content": { "fieldName": "donors.nothing", "value": "a" } }),
    ] {
        let body = write_hits(&plan(&schema(), query, json!({ "f": filter })), &[("a", json!({}))]);
        assert_eq!(
            body["data"],
            json!({ "file": { "bad": null, "hits": { "total": 1 }, "aggregations": null } }),
            "{filter}"
        );
        for (error, path) in
            body["errors"].as_array().unwrap().iter().zip([json!(["file", "bad"]), json!(["file", "aggregations"])])
        {
            assert_eq!(error["path"], path);
            assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT");
            assert_eq!(error["locations"].as_array().unwrap().len(), 1);
            assert!(error["message"].as_str().unwrap().starts_with("Invalid filter: "), "{error}");
        }
    }
}

#[test]
fn sets_of_filters_are_reported_and_used() {
    let query =
        "query($f: JSON) { file { hits(filters: $f) { total } aggregations(filters: $f) { tags { bucket_count } } } }";
    let variables =
        json!({ "f": { "op": "in", "content": { "fieldName": "tags", "value": ["set_id:mine", "set_id:b"] } } });
    let prepared = schema().prepare(&request(query, variables)).unwrap();
    assert_eq!(prepared.sets_needed(), ["b", "mine"]);
    let variables = json!({ "f": { "op": "in", "content": { "fieldName": "tags", "value": ["set_id:mine"] } } });
    let filters = plan(&schema(), query, variables).records.unwrap().filters;
    let members = vec![TypedValue::Text("A1".to_owned())];
    assert_eq!(filters[0], Filter::Terms { field: "tags".to_owned(), values: members });
}

#[test]
fn own_filters_are_left_out_of_facets_unless_asked_for() {
    let aggregations = |itself: bool| {
        let query = "query($f: JSON, $i: Boolean) { file { aggregations(filters: $f, aggregations_filter_themselves: $i) \
            { donors__gender { bucket_count } donors__age { bucket_count } size { bucket_count } } } }";
        let plan = plan(&schema(), query, json!({ "f": male(), "i": itself })).records.unwrap();
        let shown = |filter: &Filter| format!("{filter:?}");
        plan.facets.iter().map(|facet| (shown(&plan.filters[facet.filter]), shown(&facet.elements))).collect::<Vec<_>>()
    };
    let names = |(filter, elements): &(String, String)| {
        ["donors.gender", "size"].map(|name| (filter.contains(name), elements.contains(name)))
    };
    let own: Vec<_> = aggregations(false).iter().map(names).collect();
    assert_eq!(own, [[(false, false), (true, false)], [(true, true), (true, false)], [(true, false), (false, false)]]);
    let all: Vec<_> = aggregations(true).iter().map(names).collect();
    assert_eq!(all, [[(true, true), (true, false)], [(true, true), (true, false)], [(true, false), (true, false)]]);
}

#[test]
fn a_restriction_holds_for_everything() {
    let restriction = json!({ "op": "in", "content": { "fieldName": "tags", "value": ["open"] } });
    let schema = schema_with(json!({ "access": { "records": [{ "scope": "*", "filter": restriction }] } }));
    let view = schema.catalogue().view(&Identity::anonymous());
    let filter = json!({ "op": "in", "content": { "fieldName": "tags", "value": ["closed"] } });
    let query =
        "query($f: JSON) { file { hits(filters: $f) { total } aggregations(filters: $f) { tags { bucket_count } } } }";
    let prepared = schema.prepare(&request(query, json!({ "f": filter }))).unwrap();
    let now = UtcDateTime::from_millis(0).unwrap();
    let sets: HashMap<String, Vec<String>> = HashMap::new();
    let planned = prepared.plan(&PlanContext { now, sets: &sets, view: &view });
    for filter in planned.records.unwrap().filters {
        assert!(format!("{filter:?}").contains("open"), "{filter:?}");
    }
}

#[test]
fn sort_has_modes_and_places_for_what_is_missing() {
    let sort = |sort: Value| {
        let query = "query($s: [Sort]) { file { hits(sort: $s) { edges { node { id } } } } }";
        plan(&schema(), query, json!({ "s": sort })).records.unwrap().hits.remove(0).sort
    };
    let keys = sort(json!([
        { "fieldName": "size" },
        { "fieldName": "donors__age", "order": "desc" },
        { "fieldName": "donors.age", "order": "desc", "mode": "avg", "missing": "first" },
        { "fieldName": "_id", "order": "desc" },
        { "fieldName": "named" },
        { "fieldName": "file_name__keyword" },
        { "fieldName": "info.key" }
    ]));
    let shown: Vec<_> = keys.iter().map(|key| (key.field.as_deref(), key.order, key.mode, key.missing)).collect();
    assert_eq!(
        shown,
        [
            (Some("size"), SortOrder::Ascending, SortMode::Min, MissingOrder::Last),
            (Some("donors.age"), SortOrder::Descending, SortMode::Max, MissingOrder::Last),
            (Some("donors.age"), SortOrder::Descending, SortMode::Avg, MissingOrder::First),
            (None, SortOrder::Descending, SortMode::Max, MissingOrder::Last),
            (Some("analysis_id"), SortOrder::Ascending, SortMode::Min, MissingOrder::Last),
            (Some("file-name.keyword"), SortOrder::Ascending, SortMode::Min, MissingOrder::Last),
            (Some("info.key"), SortOrder::Ascending, SortMode::Min, MissingOrder::Last),
        ]
    );
    assert_eq!(sort(json!({ "fieldName": "size" })).len(), 1);
    assert_eq!(sort(json!({ "fieldName": "size", "order": "asc" }))[0].missing, MissingOrder::First);
}

#[test]
fn arguments_that_cannot_be_used_fail_their_field() {
    let schema = schema_with(json!({ "table": { "maxResultsWindow": 50 } }));
    for (arguments, message) in [
        ("first: -1", "first: found -1; expected 0 or a greater number"),
        ("offset: -2", "offset: found -2; expected 0 or a greater number"),
        (
            "offset: 9991",
            "offset: found 9991 with a page of 10; expected their sum to be at most 10000; use the \
          `searchAfter` of the last edge to go on from there",
        ),
        ("offset: 1, searchAfter: [\"a\"]", "offset: found 1 together with searchAfter; expected 0"),
        (
            "searchAfter: [1, \"a\"]",
            "searchAfter: found a list of 2 values; expected the `searchAfter` of an edge of a \
          request with the same sort: a list of 1 values",
        ),
        (
            "sort: [{fieldName: \"nothing\"}]",
            "sort[0].fieldName: found \"nothing\"; expected the dotted path of a field \
          with values, \"_id\" or \"_score\"",
        ),
        (
            "sort: [{fieldName: \"donors\"}]",
            "sort[0].fieldName: found \"donors\"; expected the dotted path of a field \
          with values, \"_id\" or \"_score\"",
        ),
        (
            "sort: [{fieldName: \"size\"}, {fieldName: \"tags\", mode: sum}]",
            "sort[1].mode: found \"sum\", but \"tags\" \
          has no numbers or dates; expected \"min\" or \"max\"",
        ),
    ] {
        let query = format!("{{ file {{ hits({arguments}) {{ edges {{ node {{ id }} }} }} }} }}");
        let (data, error) = error(&plan(&schema, &query, json!({})));
        assert_eq!(data, json!({ "file": { "hits": null } }));
        assert_eq!(error["message"], message);
        assert_eq!(error["path"], json!(["file", "hits"]));
    }
    for (facet, message) in [
        ("histogram(interval: 0) { bucket_count }", "interval: found 0; expected a number above 0"),
        ("buckets(max: -1) { key }", "max: found -1; expected 0 or a greater number"),
        (
            "range(ranges: []) { bucket_count }",
            "ranges: found an empty list; expected at least one range such as {from: \
          0, to: 10}",
        ),
    ] {
        let query = format!("{{ file {{ aggregations {{ size {{ {facet} }} }} }} }}");
        let planned = plan(&schema, &query, json!({}));
        assert!(planned.records.is_none());
        let body: Value =
            serde_json::from_slice(&planned.write(&cantata_graphql::PlanResults::default()).body).unwrap();
        assert_eq!(body["data"], json!({ "file": { "aggregations": { "size": null } } }));
        assert_eq!(body["errors"][0]["message"], message);
    }
}

#[test]
fn pages_are_capped_by_the_window() {
    let schema = schema_with(json!({ "table": { "maxResultsWindow": 50 } }));
    let hits = plan(&schema, "{ file { hits(first: 1000, offset: 100) { edges { node { id } } } } }", json!({}));
    let hits = hits.records.unwrap().hits.remove(0);
    assert_eq!((hits.size, hits.offset), (50, 100));
}

#[test]
fn paths_carry_the_prefix_of_the_documents() {
    let mut properties = mapping()["properties"].take();
    properties["named"]["path"] = json!("data.analysis_id");
    for copied in ["analysis_id", "tags"] {
        properties[copied]["copy_to"] = json!("data.everything");
    }
    let enveloped = json!({ "properties": { "data": { "properties": properties } } });
    let schema = schema_of(&config(json!({ "nestingPrefix": "data" })), &enveloped);
    let query = "query($f: JSON) { file { hits(filters: $f, sort: [{fieldName: \"size\"}]) { edges { node { size donors \
        { hits { total } } } } } aggregations(filters: $f) { donors__age { bucket_count } } } }";
    let planned = plan(&schema, query, json!({ "f": male() }));
    golden("prefix.txt", &format!("{:#?}\n", planned.records.as_ref().unwrap()));
    let planned = plan(&schema, "{ file { hits { edges { node { size file__type named everything } } } } }", json!({}));
    let document = json!({ "data": { "size": 3, "analysis_id": "A", "file": { "type": "bam" } }, "size": 4 });
    let body = write_hits(&planned, &[("a", document)]);
    assert_eq!(
        body["data"]["file"]["hits"]["edges"],
        json!([{ "node": { "size": 3, "file__type": "bam", "named": "A", "everything": ["A"] } }])
    );
}

#[test]
fn variables_stand_within_literals_and_single_values_for_lists() {
    let query = "query Other { __typename } query Mine($tag: String, $none: Int) { file { hits(first: $none, offset: \
        $none, filters: {op: \"in\", content: {fieldName: \"tags\", value: [$tag]}}, sort: {fieldName: \"size\"}) { edges \
        { node { id } } } } }";
    let mut request = request(query, json!({ "tag": "x" }));
    request.operation_name = Some("Mine".to_owned());
    let prepared = schema().prepare(&request).unwrap();
    let sets: HashMap<String, Vec<String>> = HashMap::new();
    let view = CatalogueView::without_rules();
    let context = PlanContext { now: UtcDateTime::from_millis(0).unwrap(), sets: &sets, view: &view };
    let plan = prepared.plan(&context).records.unwrap();
    let values = vec![TypedValue::Text("x".to_owned())];
    assert_eq!(plan.filters, [Filter::Terms { field: "tags".to_owned(), values }]);
    assert_eq!((plan.hits[0].size, plan.hits[0].offset, plan.hits[0].sort.len()), (10, 0, 1));
}

#[test]
fn one_document_is_planned_anew_for_other_variables() {
    let schema = schema();
    for first in [1, 2, 3] {
        let query = "query($n: Int = 9) { file { hits(first: $n) { edges { node { id } } } } }";
        let size = |variables| plan(&schema, query, variables).records.unwrap().hits[0].size;
        assert_eq!((size(json!({ "n": first })), size(json!({}))), (first, 9));
    }
}

#[test]
fn what_is_prepared_and_planned_can_cross_threads() {
    fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<cantata_graphql::CatalogueSchema>();
    crosses_threads::<cantata_graphql::PreparedRequest>();
    crosses_threads::<PlannedRequest>();
}

#[test]
fn requests_of_one_document_share_only_what_no_variable_changes() {
    let query = "query($n: Int, $all: Boolean!, $gender: JSON) { file { \
        hits(first: $n) { total edges { node { id size donors { hits { edges { node { gender age } } } } } } } \
        some: hits(first: 2) { edges { node { ...names size @include(if: $all) \
        donors { hits(first: $n, filters: $gender) { total edges { node { gender } } } } } } } \
        fixed: hits { edges { node { donors { hits(first: 1, sort: [{fieldName: \"donors.age\"}]) { edges { node { age } } } } } } } \
        aggregations { tags { buckets { key } } size @skip(if: $all) { stats { max } } } } } \
        fragment names on fileNode { analysis_id tags @include(if: $all) }";
    let donors = json!([{ "gender": "Male", "age": 40 }, { "gender": "Female", "age": 30 }]);
    let record = json!({ "analysis_id": "A1", "size": 7, "tags": ["t"], "donors": donors });
    let shared = schema();
    for (first, all, gender) in
        [(1, true, "Male"), (2, false, "Female"), (1, true, "Female"), (2, true, "Male"), (1, false, "Male")]
    {
        let filter = json!({ "op": "in", "content": { "fieldName": "donors.gender", "value": [gender] } });
        let variables = json!({ "n": first, "all": all, "gender": filter });
        let (planned, alone) = (plan(&shared, query, variables.clone()), plan(&schema(), query, variables));
        assert_eq!(planned.records, alone.records);
        let [body, expected] = [planned, alone].map(|planned| write_hits(&planned, &[("1", record.clone())]));
        assert_eq!(body, expected);
        let some = &body["data"]["file"]["some"]["edges"][0]["node"];
        assert_eq!((some.get("size").is_some(), some.get("tags").is_some()), (all, all));
        assert_eq!(some["donors"]["hits"]["edges"][0]["node"]["gender"], gender);
    }
}
