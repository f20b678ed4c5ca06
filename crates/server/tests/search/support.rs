//! The catalogue that the tests ask, and ways to ask it.

use cantata_testkit::{TestCatalogues, TestClient, TestResponse, TestServer};
use serde_json::{Value, json};

/// Every sort of field, and elements nested three deep.
pub(crate) fn mapping() -> Value {
    json!({"properties": {
        "analysis": {"type": "keyword"},
        "created": {"type": "date"},
        "donors": {"type": "nested", "properties": {
            "age": {"type": "integer"},
            "donor_id": {"type": "keyword"},
            "gender": {"type": "keyword"},
            "specimens": {"type": "nested", "properties": {
                "kind": {"type": "keyword"},
                "samples": {"type": "nested", "properties": {
                    "code": {"type": "keyword"},
                    "mass": {"type": "double"},
                }},
            }},
        }},
        "file": {"properties": {"format": {"type": "keyword"}}},
        "name": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
        "quality": {"type": "double"},
        "released": {"type": "boolean"},
        "size": {"type": "long"},
        "tags": {"type": "keyword"},
    }})
}

/// Five records: `f4` has no donors, `f5` lacks nearly everything.
pub(crate) fn documents() -> [(&'static str, Value); 5] {
    [
        (
            "f1",
            json!({"analysis": "A1", "name": "Alpha read", "size": 10, "quality": 0.5, "released": true,
                "created": "2020-01-01T10:00:00Z", "tags": ["x", "y"], "file": {"format": "bam"}, "donors": [
                    {"donor_id": "D1", "gender": "Male", "age": 30, "specimens": [
                        {"kind": "Tumour", "samples": [{"code": "S1", "mass": 1.5}, {"code": "S2"}]}]}]}),
        ),
        (
            "f2",
            json!({"analysis": "A1", "name": "Beta read", "size": 5_000_000_000_i64, "quality": 0.25,
                "released": false, "created": "2021-06-15T00:00:00Z", "tags": ["y"], "file": {"format": "bam"},
                "donors": [
                    {"donor_id": "D2", "gender": "Female", "age": 40, "specimens": [
                        {"kind": "Normal", "samples": [{"code": "S3", "mass": 2.5}]}]},
                    {"donor_id": "D3", "gender": "Male", "age": 50, "specimens": []}]}),
        ),
        (
            "f3",
            json!({"analysis": "A2", "name": "Gamma", "size": 20, "released": true,
                "created": "2022-03-01T12:30:00Z", "tags": ["z"], "file": {"format": "vcf"}, "donors": [
                    {"donor_id": "D1", "gender": "Male", "age": 30, "specimens": [
                        {"kind": "Tumour", "samples": [{"code": "S1", "mass": 1.5}]},
                        {"kind": "Normal", "samples": [{"code": "S4"}]}]}]}),
        ),
        (
            "f4",
            json!({"analysis": "A2", "name": "Delta", "size": 30, "quality": 0.75, "released": false,
                "created": "2023-12-31T23:59:59Z", "file": {"format": "vcf"}, "donors": []}),
        ),
        ("f5", json!({"analysis": "A3"})),
    ]
}

/// The members of `base.json`, and more of them.
pub(crate) fn base(more: Value) -> Value {
    let mut base = json!({"documentType": "file", "esIndex": "files", "maxDepth": 20});
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    base
}

/// One catalogue in a flat folder, with more members in its `base.json`.
pub(crate) fn flat(more: Value) -> TestCatalogues {
    TestCatalogues::new()
        .file("base.json", &base(more))
        .file(
            "extended.json",
            &json!({"extended": [
                {"fieldName": "tags", "isArray": true},
                {"fieldName": "size", "displayName": "Size", "unit": "bytes"},
                {"fieldName": "donors.gender", "displayName": "Gender"},
            ]}),
        )
        .file(
            "facets.json",
            &json!({"facets": {"aggregations": [
                {"fieldName": "donors.gender", "isActive": true, "show": true},
                {"fieldName": "size", "isActive": true, "show": true},
            ]}}),
        )
        .file(
            "table.json",
            &json!({"table": {"defaultSorting": [{"fieldName": "analysis", "desc": true}], "columns": [
                {"fieldName": "analysis", "show": true, "sortable": true},
                {"fieldName": "size", "show": true},
                {"fieldName": "donors.donor_id", "show": true, "jsonPath": "$.donors.hits.edges[*].node.donor_id",
                    "query": "donors { hits { edges { node { donor_id } } } }"},
            ]}}),
        )
        .index("files", &mapping(), documents())
}

/// A server with one catalogue in a flat folder.
pub(crate) async fn server() -> TestServer {
    TestServer::with_catalogues(flat(json!({}))).await
}

/// The same with more members in its `base.json`.
pub(crate) async fn server_with(more: Value) -> TestServer {
    TestServer::with_catalogues(flat(more)).await
}

/// Catalogues `alpha` and `beta` over the same records, both of the type `file`, and `gamma` of the type `donor`.
pub(crate) fn folders() -> TestCatalogues {
    TestCatalogues::new()
        .file("alpha/base.json", &base(json!({"description": "The first"})))
        .file("beta/base.json", &base(json!({})))
        .file("gamma/base.json", &base(json!({"documentType": "donor"})))
        .index("files", &mapping(), documents())
}

/// Returns the data of an answer without errors.
#[track_caller]
pub(crate) fn data(response: &TestResponse) -> Value {
    let mut body = response.ok();
    assert_eq!(body.get("errors"), None, "{body}");
    assert_eq!(response.header("content-type"), Some("application/json; charset=utf-8"));
    assert!(response.body.ends_with(b"\n"));
    body["data"].take()
}

/// Asks the only catalogue, and returns what its root field has.
pub(crate) async fn ask(server: &TestClient, selection: &str, variables: &Value) -> Value {
    let declared = ["f", "sort", "after"].map(|name| {
        let type_name = if name == "sort" { "[Sort]" } else { "JSON" };
        (format!("${name}"), format!("${name}: {type_name}"))
    });
    let used: Vec<&str> =
        declared.iter().filter(|(name, _)| selection.contains(name.as_str())).map(|(_, text)| text.as_str()).collect();
    let head = if used.is_empty() { String::new() } else { format!("query({}) ", used.join(", ")) };
    let query = format!("{head}{{ file {{ {selection} }} }}");
    data(&server.graphql("/graphql", &query, variables).await)["file"].take()
}

/// Returns the ids of the records that pass a filter, in order.
pub(crate) async fn matching(server: &TestClient, filter: &Value) -> Vec<String> {
    let selection = "hits(filters: $f, first: 100, sort: [{fieldName: \"_id\"}]) { total edges { node { id } } }";
    let answer = ask(server, selection, &json!({"f": filter})).await;
    let ids = ids(&answer["hits"]);
    assert_eq!(answer["hits"]["total"], ids.len());
    ids
}

/// Returns the ids of the records of a page.
#[track_caller]
pub(crate) fn ids(page: &Value) -> Vec<String> {
    let edges = page["edges"].as_array().unwrap_or_else(|| panic!("{page}"));
    edges.iter().map(|edge| edge["node"]["id"].as_str().unwrap().to_owned()).collect()
}

/// Returns keys and counts of buckets.
#[track_caller]
pub(crate) fn counts(buckets: &Value) -> Vec<(&str, u64)> {
    let buckets = buckets.as_array().unwrap_or_else(|| panic!("{buckets}"));
    buckets.iter().map(|bucket| (bucket["key"].as_str().unwrap(), bucket["doc_count"].as_u64().unwrap())).collect()
}

/// A condition on one field.
pub(crate) fn leaf(op: &str, field: &str, value: Value) -> Value {
    json!({"op": op, "content": {"fieldName": field, "value": value}})
}

/// Requires a GraphQL error with a status and a code; returns its message.
#[track_caller]
pub(crate) fn refused(response: &TestResponse, status: u16, code: &str) -> String {
    response.assert_status(status);
    assert_eq!(response.header("content-type"), Some("application/json; charset=utf-8"));
    let body = response.json();
    assert_eq!(body["errors"][0]["extensions"]["code"], code, "{body}");
    if status != 200 {
        assert_eq!(body.get("data"), None, "{body}");
    }
    body["errors"][0]["message"].as_str().unwrap().to_owned()
}
