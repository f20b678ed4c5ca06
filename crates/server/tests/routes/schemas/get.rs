//! `GET /schemas`

use cantata_testkit::{TestServer, minimal_type};
use serde_json::{Value, json};

use crate::support::keys;

const ORIGIN: &str = "AnalysisTypeService";

/// A server with versions 1 to 3 of `b` and, after its first, version 1 of `a`.
async fn server() -> TestServer {
    let server = TestServer::start().await;
    for name in ["b", "a", "b", "b"] {
        server.register_minimal(name).await;
    }
    server
}

/// Lists names and versions, such as `b:3`.
async fn list(server: &TestServer, query: &str) -> Vec<String> {
    let page = server.get(&format!("/schemas?{query}")).await.ok();
    let name = |row: &Value| format!("{}:{}", row["name"].as_str().unwrap(), row["version"]);
    page["resultSet"].as_array().unwrap().iter().map(name).collect()
}

#[tokio::test]
async fn two_types_are_there_from_the_start() {
    let server = TestServer::start().await;
    let page = server.get("/schemas").await.ok();
    assert_eq!(keys(&page), ["limit", "offset", "count", "resultSet"]);
    assert_eq!((&page["limit"], &page["offset"], &page["count"]), (&json!(20), &json!(0), &json!(2)));
    assert_eq!(list(&server, "").await, ["sequencingRead:1", "variantCall:1"]);
    let types = &page["resultSet"];
    assert_eq!(keys(&types[0]), ["name", "version", "createdAt", "options", "schema"]);
    let experiment = &types[1]["schema"]["properties"]["experiment"];
    assert_eq!(experiment["required"], json!(["matchedNormalSampleSubmitterId", "variantCallingTool"]));
    let experiment = &types[0]["schema"]["properties"]["experiment"];
    assert_eq!(experiment["required"], json!(["libraryStrategy"]));
    assert_eq!(
        experiment["properties"]["libraryStrategy"]["enum"],
        json!(["WGS", "WXS", "RNA-Seq", "ChIP-Seq", "miRNA-Seq", "Bisulfite-Seq", "Validation", "Amplicon", "Other"])
    );
}

#[tokio::test]
async fn the_newest_registration_comes_first() {
    let server = server().await;
    assert_eq!(list(&server, "").await, ["b:3", "b:2", "a:1", "b:1", "sequencingRead:1", "variantCall:1"]);
}

#[tokio::test]
async fn names_and_versions_select() {
    let server = server().await;
    assert_eq!(list(&server, "names=b").await, ["b:3", "b:2", "b:1"]);
    assert_eq!(list(&server, "names=a,variantCall,unknown").await, ["a:1", "variantCall:1"]);
    assert_eq!(list(&server, "names=unknown").await, Vec::<String>::new());
    assert_eq!(list(&server, "names=a&names=variantCall&names=").await, ["a:1", "variantCall:1"]);
    assert_eq!(list(&server, "versions=2,3").await, ["b:3", "b:2"]);
    assert_eq!(list(&server, "versions=2&versions=3").await, ["b:3", "b:2"]);
    assert_eq!(list(&server, "names=a,b&sort=name&sort=version&sortOrder=ASC").await, ["a:1", "b:1", "b:2", "b:3"]);
    assert_eq!(list(&server, "names=b&versions=1,99999999999999999999").await, ["b:1"]);
    assert_eq!(server.get("/schemas?names=b&limit=1").await.ok()["count"], 3);
}

#[tokio::test]
async fn pages_are_cut_out_of_the_order() {
    let server = server().await;
    assert_eq!(list(&server, "limit=2").await, ["b:3", "b:2"]);
    assert_eq!(list(&server, "limit=2&offset=3").await, ["b:1", "sequencingRead:1"]);
    assert_eq!(list(&server, "offset=6").await, Vec::<String>::new());
    assert_eq!(list(&server, "offset=18446744073709551616").await, Vec::<String>::new());
    assert_eq!(list(&server, "limit=99999999999999999999").await.len(), 6);
    assert_eq!(list(&server, "limit=&offset=").await.len(), 6);
    let page = server.get("/schemas?limit=0&offset=4").await;
    page.assert_text(200, r#"{"limit":0,"offset":4,"count":6,"resultSet":[]}"#);
}

#[tokio::test]
async fn the_order_can_be_chosen() {
    let server = server().await;
    let ascending = ["variantCall:1", "sequencingRead:1", "b:1", "a:1", "b:2", "b:3"];
    for query in ["sortOrder=ASC", "sortOrder=asc", "sort=version&sortOrder=ASC", "sort=&sortOrder=Asc"] {
        assert_eq!(list(&server, query).await, ascending, "{query}");
    }
    let by_name = ["a:1", "b:1", "b:2", "b:3", "sequencingRead:1", "variantCall:1"];
    assert_eq!(list(&server, "sort=name,version&sortOrder=ASC").await, by_name);
    let mut by_name_descending = by_name;
    by_name_descending.reverse();
    assert_eq!(list(&server, "sort=name,version").await, by_name_descending);
}

#[tokio::test]
async fn schemas_are_shown_rendered_as_registered_or_not_at_all() {
    let server = server().await;
    let row = |page: Value| page["resultSet"][0].clone();
    let rendered = row(server.get("/schemas?limit=1").await.ok());
    assert_eq!(rendered["schema"]["id"], "analysisPayload");
    let unrendered = row(server.get("/schemas?limit=1&unrenderedOnly=true").await.ok());
    assert_eq!(unrendered["schema"], minimal_type("b")["schema"]);
    for query in ["hideSchema=true", "hideSchema=true&unrenderedOnly=true"] {
        let hidden = row(server.get(&format!("/schemas?{query}")).await.ok());
        assert_eq!(keys(&hidden), ["name", "version", "createdAt", "options"], "{query}");
    }
}

#[tokio::test]
async fn values_that_are_not_allowed_are_named() {
    let server = TestServer::start().await;
    for (query, text) in [
        ("versions=0", "The parameter 'versions' is '0', but must be a list of integers of 1 or more"),
        ("versions=1,x", "The parameter 'versions' is 'x', but must be a list of integers of 1 or more"),
        ("limit=-1", "The parameter 'limit' is '-1', but must be an integer of 0 or more"),
        ("limit=1.5", "The parameter 'limit' is '1.5', but must be an integer of 0 or more"),
        ("offset=-1", "The parameter 'offset' is '-1', but must be an integer of 0 or more"),
        ("offset=%C3%A9", "The parameter 'offset' is 'é', but must be an integer of 0 or more"),
        ("sort=ver", "The parameter 'sort' is 'ver', but must be a list of version and name"),
        ("sort=version,createdAt", "The parameter 'sort' is 'createdAt', but must be a list of version and name"),
        ("sortOrder=UP", "The parameter 'sortOrder' is 'UP', but must be ASC or DESC"),
        ("hideSchema=maybe", "The parameter 'hideSchema' is 'maybe', but must be true or false"),
        ("unrenderedOnly=2", "The parameter 'unrenderedOnly' is '2', but must be true or false"),
    ] {
        server.get(&format!("/schemas?{query}")).await.assert_error(400, ORIGIN, "malformed.parameter", text);
    }
}

/// There is no maximum, so a long list is sent as it is read.
#[tokio::test]
async fn a_long_list_is_a_stream() {
    let server = TestServer::start().await;
    for _ in 0..68 {
        server.register_minimal("t").await;
    }
    let all: Vec<String> = (1..=68).rev().map(|version| format!("t:{version}")).collect();
    assert_eq!(list(&server, "names=t&limit=9223372036854775807").await, all);
    assert_eq!(list(&server, "names=t&limit=66&offset=1").await, all[1..67]);
    assert_eq!(list(&server, "names=t&limit=64").await, all[..64]);
    let answer = server.get("/schemas?names=t&limit=9223372036854775807").await;
    assert!(answer.header("content-length").is_none(), "it is in memory as a whole");
    let page = answer.ok();
    assert_eq!(keys(&page), ["limit", "offset", "count", "resultSet"]);
    assert_eq!((&page["limit"], &page["count"]), (&json!(9_223_372_036_854_775_807_u64), &json!(68)));
    let versions = server.get("/schemas/t").await;
    assert!(versions.header("content-length").is_none(), "it is in memory as a whole");
    let versions = versions.ok();
    assert_eq!(keys(&versions), ["name", "version", "createdAt", "options", "schema", "count", "resultSet"]);
    assert_eq!((&versions["version"], &versions["count"]), (&json!(68), &json!(68)));
    assert_eq!(versions["resultSet"], page["resultSet"]);
}
