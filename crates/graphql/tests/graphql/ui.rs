//! The requests of the published portal components, as they send them.

use serde_json::{Value, json};

use crate::sample::{plan, schema};

const REQUESTS: [&str; 12] = [
    "query ArrangerConfigs { file { configs { downloads{allowCustomMaxRows maxRows} extended facets{aggregations\
     {displayName displayType fieldName isActive show}} table{columns{accessor canChangeShow displayFormat displayName \
     displayType displayValues fieldName id isArray jsonPath query show sortable type} defaultSorting{desc fieldName} \
     maxResultsWindow rowIdFieldName} } } }",
    "query tableData($sort: [Sort], $first: Int, $offset: Int, $score: String, $sqon: JSON) { file { hits(first:$first, \
     offset:$offset, sort:$sort, score:$score, filters:$sqon) { edges { node { analysis_id donors{hits{edges{node{age}\
     }}} file{type} id } } total } } }",
    "query fileAggregationsQuery($sqon: JSON) { file { aggregations(aggregations_filter_themselves: false, filters: \
     $sqon) { donors__gender{buckets{doc_count key_as_string key}} size{stats{max min count avg sum}} } } }",
    "query fileQuickSearchResults($sqon: JSON, $size: Int) { file { hits(filters:$sqon, first:$size) { total edges { \
     node { primaryKey: analysis_id gqlField: donors{hits{edges{node{gender}}}} } } } } }",
    "query($sqon: JSON) { data: file { hits(filters:$sqon){total} } }",
    "query($sqon: JSON) { data: file { aggregations(filters:$sqon, include_missing:false, \
     aggregations_filter_themselves:true){ donors__gender { bucket_count } } } }",
    "query($q0Sqon: JSON, $q1Sqon: JSON) { q0: file { hits(filters:$q0Sqon){total} } q1: file { aggregations(\
     filters:$q1Sqon, include_missing:false, aggregations_filter_themselves:true){ tags { bucket_count } } } }",
    "query($sqon: JSON){ file { aggregations(filters:$sqon){ tags{buckets{key key_as_string doc_count}} } } }",
    "{ file { configs { extended, facets { aggregations { fieldName isActive } } } mapping } }",
    "mutation saveSet($type: String! $userId: String $sqon: JSON! $path: String!, $sort: [Sort]) { saveSet(type: $type, \
     userId: $userId, sqon: $sqon, path: $path, sort: $sort) { setId } }",
    "query ChartsQuery($filters: JSON) { file { aggregations(filters:$filters include_missing:true \
     aggregations_filter_themselves:true) { tags{__typename bucket_count buckets{doc_count key}} size{__typename \
     range(ranges:[{key:\"small\",from:0,to:10},{key:\"large\",from:10}]){__typename bucket_count buckets{doc_count \
     key}}} } } }",
    "query ArrangerMcpExecuteQuery($filters: JSON, $first: Int, $offset: Int, $sort: [Sort], $includeMissing: Boolean, \
     $aggregationsFilterThemselves: Boolean) { file { hits(filters: $filters, first: $first, offset: $offset, sort: \
     $sort) { total edges { node { analysis_id donors { hits { edges { node { gender } } } } } } } aggregations(filters: \
     $filters, include_missing: $includeMissing, aggregations_filter_themselves: $aggregationsFilterThemselves) { tags \
     { bucket_count buckets { key key_as_string doc_count } } size { stats { min max avg sum count } } } } }",
];

#[test]
fn requests_of_portals_are_planned_without_errors() {
    let schema = schema();
    let sqon = json!({ "op": "and", "content": [{ "op": "in", "content": { "fieldName": "donors.gender", "value": ["Male"] } }] });
    let variables = json!({
        "sqon": sqon, "filters": sqon, "q0Sqon": sqon, "q1Sqon": null, "first": 20, "offset": 0, "size": 5,
        "sort": [{ "fieldName": "analysis_id", "order": "asc" }], "score": null, "type": "file", "path": "analysis_id",
        "includeMissing": true, "aggregationsFilterThemselves": false
    });
    for query in REQUESTS {
        let planned = plan(&schema, query, variables.clone());
        let body: Value =
            serde_json::from_slice(&planned.write(&cantata_graphql::PlanResults::default()).body).unwrap();
        let planning_errors = body["errors"].as_array().into_iter().flatten();
        let mut planning_errors = planning_errors.filter(|error| error["extensions"]["code"] == "BAD_USER_INPUT");
        assert_eq!(planning_errors.next(), None, "{query}");
    }
}

#[test]
fn quick_search_with_wildcards_is_planned() {
    let filter = |op: &str| {
        json!({ "op": "or", "content": [
        { "op": op, "content": { "fieldNames": ["analysis_id", "donors.gender"], "value": "*ab*" } }
    ] })
    };
    for op in ["wildcard", "filter"] {
        let query = "query($sqon: JSON) { file { hits(filters:$sqon){total} } }";
        let planned = plan(&schema(), query, json!({ "sqon": filter(op) }));
        assert_ne!(planned.records.unwrap().filters, [cantata_engine::Filter::None]);
    }
}
