//! The requests of the published portal components and of other known clients, as they send them.

use cantata_testkit::TestServer;
use serde_json::{Value, json};

use crate::support::{counts, data, ids, leaf, server_with};

async fn portal() -> TestServer {
    server_with(json!({"enableSets": true, "maxDepth": 12})).await
}

/// Sends what the fetcher of a portal sends, to the address it makes of the tag.
async fn fetch(server: &TestServer, tag: &str, query: &str, variables: &Value) -> Value {
    let answers = [
        data(&server.graphql(&format!("/graphql/{tag}"), query, variables).await),
        data(&server.graphql(&format!("/{tag}"), query, variables).await),
    ];
    assert_eq!(answers[0], answers[1], "{tag}");
    let [answer, _] = answers;
    answer
}

fn male() -> Value {
    json!({"op": "and", "content": [leaf("in", "donors.gender", json!(["Male"]))]})
}

#[tokio::test]
async fn the_configuration_is_loaded() {
    let query = "query ArrangerConfigs { file { configs { downloads{allowCustomMaxRows maxRows} extended facets{aggregations{displayName \
        displayType fieldName isActive show}} table{columns{accessor canChangeShow displayFormat displayName displayType \
        displayValues fieldName id isArray jsonPath query show sortable type} defaultSorting{desc fieldName} \
        maxResultsWindow rowIdFieldName} } } }";
    let answer = fetch(&portal().await, "Arranger-ConfigsQuery", query, &json!({})).await;
    assert_eq!(answer["file"]["configs"]["table"]["columns"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn the_document_type_is_looked_up() {
    let server = portal().await;
    let body = server.get("/file/introspection").await.ok();
    assert_eq!(body["documentType"], "file");
    let body = server.get("/none/introspection").await;
    assert_eq!((body.status, body.json()["error"].as_str()), (404, Some("Catalogue \"none\" was not found.")));
}

#[tokio::test]
async fn the_table_is_filled() {
    let server = portal().await;
    let query = "query tableData($sort: [Sort], $first: Int, $offset: Int, $score: String, $sqon: JSON) { file { hits(first:$first, \
        offset:$offset, sort:$sort, score:$score, filters:$sqon) { edges { node { analysis size donors { hits { edges { \
        node { donor_id } } } } file { format } id } } total } } }";
    let sort = json!([{"fieldName": "size", "order": "desc"}]);
    let variables = json!({"sort": sort, "first": 2, "offset": 1, "score": null, "sqon": male()});
    let hits = fetch(&server, "Arranger-Table", query, &variables).await["file"]["hits"].take();
    assert_eq!((ids(&hits), &hits["total"]), (vec!["f3".to_owned(), "f1".to_owned()], &json!(3)));
    assert_eq!(hits["edges"][0]["node"]["donors"]["hits"]["edges"][0]["node"]["donor_id"], "D1");
    let nothing = json!({"sort": [], "first": 20, "offset": 0, "sqon": null});
    assert_eq!(fetch(&server, "Arranger-Table", query, &nothing).await["file"]["hits"]["total"], 5);
}

#[tokio::test]
async fn facets_are_filled() {
    let server = portal().await;
    let query = "query fileAggregationsQuery($sqon: JSON) { file { aggregations(aggregations_filter_themselves: false, filters: \
        $sqon) { donors__gender{buckets{doc_count key_as_string key}} size{stats{max min count avg sum}} released{buckets\
        {doc_count key_as_string key}} } } }";
    let answer = fetch(&server, "Arranger-fileAggregations", query, &json!({"sqon": male()})).await;
    let facets = &answer["file"]["aggregations"];
    assert_eq!(counts(&facets["donors__gender"]["buckets"])[..2], [("Male", 3), ("Female", 1)]);
    assert_eq!((&facets["size"]["stats"]["count"], &facets["size"]["stats"]["min"]), (&json!(3), &json!(10)));
    assert_eq!(facets["released"]["buckets"][0]["key_as_string"], "true");
}

#[tokio::test]
async fn quick_search_finds() {
    let server = portal().await;
    let query = "query fileQuickSearchResults($sqon: JSON, $size: Int) { file { hits(filters:$sqon, first:$size) { total edges { node { \
        primaryKey: analysis gqlField: donors{hits{edges{node{donor_id}}}} } } } } }";
    for op in ["wildcard", "filter"] {
        let sqon = json!({"op": "or", "content": [
            {"op": op, "content": {"fieldNames": ["analysis", "donors.donor_id"], "value": "*d3*"}}]});
        let answer = fetch(&server, "Arranger-QuickSearch", query, &json!({"sqon": sqon, "size": 5})).await;
        let hits = &answer["file"]["hits"];
        assert_eq!((&hits["total"], &hits["edges"][0]["node"]["primaryKey"]), (&json!(1), &json!("A1")));
        assert_eq!(hits["edges"][0]["node"]["gqlField"]["hits"]["edges"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn figures_are_counted() {
    let server = portal().await;
    let root = "query($sqon: JSON) { data: file { hits(filters:$sqon){total} } }";
    let answer = fetch(&server, "Arranger-StatsRoot", root, &json!({"sqon": male()})).await;
    assert_eq!(answer, json!({"data": {"hits": {"total": 3}}}));
    let field = "query($sqon: JSON) { data: file { aggregations(filters:$sqon, include_missing:false, \
        aggregations_filter_themselves:true){ donors__gender{bucket_count} } } }";
    let answer = fetch(&server, "Arranger-StatsField", field, &json!({"sqon": male()})).await;
    assert_eq!(answer["data"]["aggregations"]["donors__gender"]["bucket_count"], 1);
    let combined = "query($q0Sqon: JSON, $q1Sqon: JSON) { q0: file { hits(filters:$q0Sqon){total} } q1: file { aggregations(\
        filters:$q1Sqon, include_missing:false, aggregations_filter_themselves:true){ tags{bucket_count} } } }";
    let answer = fetch(&server, "Arranger-CombinedStats", combined, &json!({"q0Sqon": male(), "q1Sqon": null})).await;
    assert_eq!(answer, json!({"q0": {"hits": {"total": 3}}, "q1": {"aggregations": {"tags": {"bucket_count": 3}}}}));
}

#[tokio::test]
async fn the_builder_and_the_advanced_view_are_filled() {
    let server = portal().await;
    let builder =
        "query($sqon: JSON){ file { aggregations(filters:$sqon){ tags{buckets{key key_as_string doc_count}} } } }";
    let answer = data(&server.graphql("/graphql", builder, &json!({"sqon": male()})).await);
    assert_eq!(counts(&answer["file"]["aggregations"]["tags"]["buckets"])[0], ("y", 2));
    let advanced = "{ file { configs { extended, facets { aggregations { fieldName isActive } } } mapping } }";
    let answer = data(&server.graphql("/graphql", advanced, &json!({})).await);
    assert_eq!(answer["file"]["mapping"]["donors"]["type"], "nested");
    let active: String = answer["file"]["configs"]["facets"]["aggregations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|facet| format!("{} {{ bucket_count }} ", facet["fieldName"].as_str().unwrap()))
        .collect();
    let all = format!("{{ file {{ aggregations {{ {active} }} }} }}");
    assert_eq!(
        data(&server.graphql("/graphql", &all, &json!({})).await)["file"]["aggregations"]["size"]["bucket_count"],
        5
    );
}

#[tokio::test]
async fn a_set_is_saved_with_its_type_as_a_string() {
    let server = portal().await;
    let query = "mutation saveSet($type: String! $userId: String $sqon: JSON! $path: String!, $sort: [Sort]) { saveSet(type: $type, \
        userId: $userId, sqon: $sqon, path: $path, sort: $sort) { setId size } }";
    let variables = json!({"type": "file", "userId": null, "sqon": male(), "path": "donors.donor_id", "sort": []});
    let answer = data(&server.graphql("/graphql/Arranger-SaveSet", query, &variables).await);
    assert_eq!(answer["saveSet"]["size"], 3);
}

#[tokio::test]
async fn charts_are_drawn() {
    let server = portal().await;
    let query = "query ChartsQuery($filters: JSON) { file { aggregations(filters:$filters include_missing:true \
        aggregations_filter_themselves:true) { tags{__typename bucket_count buckets{doc_count key}} size{__typename \
        range(ranges:[{key:\"small\",from:0,to:20},{key:\"large\",from:20}]){__typename bucket_count buckets{doc_count \
        key}}} } } }";
    for path in ["/graphql", "/"] {
        let facets =
            data(&server.graphql(path, query, &json!({"filters": male()})).await)["file"]["aggregations"].take();
        assert_eq!(facets["tags"]["__typename"], "Aggregations");
        assert_eq!(facets["size"]["__typename"], "NumericAggregations");
        assert_eq!(counts(&facets["size"]["range"]["buckets"]), [("small", 1), ("large", 2)]);
    }
}

#[tokio::test]
async fn a_download_button_sends_a_form() {
    let server = portal().await;
    let params = json!({"files": [{"columns": [
        {"accessor": "analysis", "fieldName": "analysis", "displayName": "Analysis", "show": true, "displayType": "keyword",
            "isArray": false, "jsonPath": "$.analysis", "query": "analysis", "sortable": true, "canChangeShow": true},
        {"accessor": "donors.donor_id", "fieldName": "donors.donor_id", "displayName": "Donors", "show": true,
            "jsonPath": "$.donors.hits.edges[*].node.donor_id"}],
        "documentType": "file", "fileName": "files.tsv", "fileType": "tsv", "maxRows": 100, "sqon": male(),
        "sort": [{"fieldName": "size", "order": "asc"}]}]});
    let form = [("params", params.to_string()), ("httpHeaders", "{}".to_owned()), ("downloadKey", "k".to_owned())];
    let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let file = server.post_form("/download", &form).await;
    file.assert_text(200, "Analysis\tDonors\nA1\tD1\nA2\tD1\nA1\tD2, D3\n");
    assert!(file.header("content-disposition").unwrap().contains("files.tsv"));
    assert_eq!(file.header("content-type"), Some("text/plain; charset=utf-8"));
}

#[tokio::test]
async fn programs_for_models_execute_queries() {
    let server = portal().await;
    let directory = server.get("/introspection").await.ok();
    let (id, entry) = directory["catalogs"].as_object().unwrap().iter().next().unwrap();
    let fields = server.get(&format!("/introspection/{id}")).await.ok();
    assert!(fields["fields"]["donors.gender"]["type"].is_string());
    let query = "query ArrangerMcpExecuteQuery($filters: JSON, $first: Int, $offset: Int, $sort: [Sort], $includeMissing: Boolean, \
        $aggregationsFilterThemselves: Boolean) { file { hits(filters: $filters, first: $first, offset: $offset, sort: \
        $sort) { total edges { node { analysis donors { hits { edges { node { gender } } } } } } } aggregations(filters: \
        $filters, include_missing: $includeMissing, aggregations_filter_themselves: $aggregationsFilterThemselves) { tags \
        { bucket_count buckets { key key_as_string doc_count } } size { stats { min max avg sum count } } } } }";
    let variables = json!({"filters": male(), "first": 20, "offset": 0, "sort": [{"fieldName": "analysis", "order": "asc"}],
        "includeMissing": true, "aggregationsFilterThemselves": false});
    let body = json!({"query": query, "variables": variables, "operationName": "ArrangerMcpExecuteQuery"});
    let answer = data(&server.post(entry["paths"]["graphql"].as_str().unwrap(), &body).await);
    assert_eq!(
        (&answer["file"]["hits"]["total"], &answer["file"]["aggregations"]["tags"]["bucket_count"]),
        (&json!(3), &json!(3))
    );
}
