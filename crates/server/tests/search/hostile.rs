//! Clients that mean no good: everything is answered, nothing fails the server.

use std::fmt::Write;

use cantata_testkit::{TestResponse, TestServer, raw};
use http::Method;
use serde_json::{Value, json};

use crate::support::{data, flat, folders, leaf, server, server_with};

const TOTAL: &str = "{ file { hits { total } } }";

#[track_caller]
fn survived(response: &TestResponse) {
    assert!(response.status < 500, "{} {}", response.status, &response.text()[..response.text().len().min(500)]);
}

async fn is_well(server: &TestServer) {
    assert_eq!(data(&server.graphql("/graphql", TOTAL, &json!({})).await)["file"]["hits"]["total"], 5);
}

#[tokio::test]
async fn documents_of_any_shape_are_answered() {
    let server = server().await;
    let nested =
        |open: &str, close: &str, depth: usize| format!("{{ file {}{} }}", open.repeat(depth), close.repeat(depth));
    let aliases: String = (0..1000).map(|place| format!("a{place}: hits {{ total }} ")).collect();
    let mut doubling = String::from("{ ...F0 } ");
    for place in 0..40 {
        write!(doubling, "fragment F{place} on Root {{ ...F{} ...F{} }} ", place + 1, place + 1).unwrap();
    }
    doubling.push_str("fragment F40 on Root { file { hits { total } } }");
    let mut chain = String::from("{ ...F0 } ");
    for place in 0..5000 {
        write!(chain, "fragment F{place} on Root {{ ...F{} }} ", place + 1).unwrap();
    }
    chain.push_str("fragment F5000 on Root { file { hits { total } } }");
    for query in [
        nested("{ file ", "}", 50_000),
        nested("{ viewer ", "}", 1000),
        "{".repeat(100_000),
        "[".repeat(100_000),
        format!("{{ file {{ {aliases} }} }}"),
        doubling,
        chain,
        "{ ...F } fragment F on Root { ...F }".to_owned(),
        "{ ...F } fragment F on Root { ...G } fragment G on Root { viewer { ...F } }".to_owned(),
        format!("{{ file {{ hits(filters: {}{}) {{ total }} }} }}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("query({}) {{ __typename }}", (0..20_000).map(|n| format!("$v{n}: Int ")).collect::<String>()),
        format!("{{ file {{ hits {{ {} }} }} }}", "total ".repeat(100_000)),
        format!("{{ {} }}", "file { hits { total } } ".repeat(20_000)),
        format!("#{}\n{TOTAL}", "x".repeat(1_000_000)),
        format!("{{ file {{ hits(score: \"{}\") {{ total }} }} }}", "x".repeat(1_000_000)),
        format!("{{ {} }}", "x".repeat(1_000_000)),
        "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }"
            .to_owned(),
        format!("{{ file @skip(if: false) {} {{ hits {{ total }} }} }}", "@include(if: true) ".repeat(10_000)),
    ] {
        let answer = server.graphql("/graphql", &query, &json!({})).await;
        survived(&answer);
        // What was said of it is no longer than it was.
        assert!(answer.body.len() < query.len() + 1_000_000, "{}", &query[..100]);
    }
    is_well(&server).await;
}

#[tokio::test]
async fn a_thousand_aliases_are_answered_where_they_are_allowed() {
    let server = server_with(json!({"maxAliases": 5000})).await;
    let aliases: String =
        (0..1000).map(|place| format!("a{place}: hits(first: 1) {{ total edges {{ node {{ id }} }} }} ")).collect();
    let facets: String = (0..1000).map(|place| format!("b{place}: tags {{ bucket_count }} ")).collect();
    let query = format!("{{ file {{ {aliases} aggregations {{ {facets} }} }} }}");
    let answer = data(&server.graphql("/graphql", &query, &json!({})).await);
    assert_eq!(answer["file"]["a999"]["total"], 5);
    assert_eq!(answer["file"]["aggregations"]["b999"]["bucket_count"], 4);
}

/// Returns a filter with a number of groups within each other around a leaf, an even number of which changes nothing.
fn negated(groups: usize) -> Value {
    let inner = leaf("in", "analysis", json!(["A1"]));
    (0..groups).fold(inner, |inner, _| json!({"op": "not", "content": [inner]}))
}

#[tokio::test]
async fn filters_are_read_to_the_depth_that_is_documented() {
    let server = server().await;
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let total = async |groups: usize| {
        let answer = server.graphql("/graphql", query, &json!({"f": negated(groups)})).await;
        data(&answer)["file"]["hits"]["total"].clone()
    };
    assert_eq!(total(94).await, total(0).await);
    assert_eq!(total(98).await, total(0).await);
    assert_eq!(total(99).await, total(1).await);
    let answer = server.graphql("/graphql", query, &json!({"f": negated(100)})).await;
    assert!(answer.text().contains("more than 100 levels of groups and leaves"), "{}", answer.text());
    let columns = json!({"files": [{"fileType": "jsonl", "sqon": negated(98), "columns": ["analysis"]}]});
    server.post("/download", &columns).await.assert_status(200);
    let variables = json!({"f": negated(98)});
    let query = "mutation($f: JSON!) { saveSet(type: file, userId: \"u\", sqon: $f, path: \"name\") { setId } }";
    let server = server_with(json!({"enableSets": true})).await;
    let answer = server.graphql("/graphql", query, &variables).await;
    assert!(answer.text().contains("at most 99 can be saved"), "{}", answer.text());
}

#[tokio::test]
async fn variables_of_any_size_are_answered() {
    let large = TestServer::builder().limits(|limits| limits.search_body_limit = 50 << 20);
    let server = large.catalogues(flat(json!({}))).start().await;
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let mut deep = leaf("in", "tags", json!("x"));
    for _ in 0..100 {
        deep = json!({"op": "and", "content": [deep]});
    }
    let wide: Vec<Value> = (0..100_000).map(|_| leaf("in", "tags", json!("x"))).collect();
    let texts: Vec<String> = (0..500_000).map(|n| format!("value-{n:012}")).collect();
    for filter in [
        deep,
        json!({"op": "or", "content": wide}),
        leaf("in", "tags", json!(texts)),
        leaf("in", "tags", json!("y".repeat(10 << 20))),
        leaf("in", "tags", json!("*".repeat(10_000))),
        leaf("in", "analysis", json!(["a*".repeat(500)])),
        json!({"op": "wildcard", "content": {"fieldNames": ["tags"], "value": "*?".repeat(5_000)}}),
        json!({"op": "fuzzy", "content": {"fieldNames": ["name"], "value": "x".repeat(100_000)}}),
        leaf("in", &"a.".repeat(500_000), json!("x")),
        leaf("in", &"a__".repeat(500_000), json!("x")),
        json!({"op": "and", "pivot": "donors.".repeat(500_000), "content": [leaf("in", "tags", json!("x"))]}),
        leaf("in", "set_id:", json!("set_id:")),
        leaf("gt", "size", json!(1e308)),
        leaf("in", "size", json!(["99999999999999999999999", "-0", "1e400", "NaN"])),
        leaf("gt", "created", json!("now-999999999999999y")),
        leaf("gt", "created", json!("+999999-12-31")),
    ] {
        survived(&server.graphql("/graphql", query, &json!({"f": filter})).await);
    }
    let brackets = "[".repeat(1_000_000);
    for body in [
        format!("{{\"query\":\"{TOTAL}\",\"variables\":{brackets}"),
        format!("{{\"query\":\"{TOTAL}\",\"variables\":{{\"f\":{brackets}{}}}}}", "]".repeat(1_000_000)),
        brackets,
    ] {
        let answer = server.send(Method::POST, "/graphql", &[], Some(body.into_bytes())).await;
        answer.assert_status(400);
    }
    is_well(&server).await;
}

#[tokio::test]
async fn names_in_addresses_of_any_shape_are_answered() {
    let server = TestServer::with_catalogues(folders()).await;
    let long = "x".repeat(20_000);
    for name in
        ["%20", "%00", "%2e%2e", "..%2f..%2fetc", "%ff%fe", "%E2%98%83", "a%2Fb", "%", "%zz", "{catalogue}", "*", &long]
    {
        for (method, form) in [
            ("GET", "/introspection/{}"),
            ("GET", "/{}/introspection"),
            ("GET", "/{}/graphql?query=x"),
            ("POST", "/{}/graphql"),
            ("POST", "/{}/graphql/Arranger-x"),
            ("POST", "/graphql/{}"),
            ("POST", "/{}/download"),
            ("POST", "/admin/catalogues/{}/reload"),
            ("PUT", "/admin/catalogues/{}/display"),
            ("GET", "/assets/graphiql/{}"),
            ("POST", "/{}"),
        ] {
            let target = form.replace("{}", name);
            let request = raw::request(method, target.as_bytes(), &[], b"{}");
            let answer = raw::exchange(server.address(), &request).await.unwrap();
            assert!((400..500).contains(&answer.status), "{method} {target}: {}", answer.status);
        }
    }
    server.get("/ping").await.assert_status(200);
}

#[tokio::test]
async fn bodies_that_are_no_text_are_refused() {
    let server = server().await;
    for body in [&b"\xff\xfe"[..], b"{\"query\":\"\xff\"}", b"\x00", b"\x1f\x8b\x08", b"{\"query\":\"\\ud800\"}"] {
        for path in ["/graphql", "/download"] {
            let answer = server.send(Method::POST, path, &[], Some(body.to_vec())).await;
            answer.assert_status(400);
        }
    }
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    for body in [&b"query=%ff"[..], b"%%%=&&&", b"query", b"query=%7Bfile%7D&variables=%"] {
        survived(&server.send(Method::POST, "/graphql", &headers, Some(body.to_vec())).await);
    }
    let request = raw::request("POST", b"/graphql", &["content-type: application/json"], b"{\"query\":\"{ file }\"}");
    let cut = raw::exchange_half_closed(server.address(), &request[..request.len() - 3]).await;
    assert!(cut.is_none_or(|answer| answer.status == 400));
    is_well(&server).await;
}
