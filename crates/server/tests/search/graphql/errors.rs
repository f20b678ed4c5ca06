//! What is wrong with a request as a whole, by status and code.

use serde_json::{Value, json};

use crate::support::{ask, refused, server, server_with};

#[tokio::test]
async fn a_document_that_cannot_be_read_has_its_code() {
    let server = server().await;
    for query in ["{", "{ file { hits { total } }", "query }", "{ file(: 1) }", "#", "\u{0}", "{ é }"] {
        let answer = server.graphql("/graphql", query, &json!({})).await;
        refused(&answer, 400, "GRAPHQL_PARSE_FAILED");
    }
    let located = server.graphql("/graphql", "{ file { hits { total } ", &json!({})).await.json();
    assert!(located["errors"][0]["locations"][0]["line"].is_u64(), "{located}");
}

#[tokio::test]
async fn a_document_that_does_not_fit_the_schema_has_its_code() {
    let server = server().await;
    for query in [
        "{ nothing }",
        "{ file { hits { totl } } }",
        "{ file }",
        "{ file { hits(frst: 1) { total } } }",
        "{ file { hits(first: \"x\") { total } } }",
        "{ file { hits(sort: [{fieldName: \"size\", order: up}]) { total } } }",
        "{ file { hits(sort: [{order: asc}]) { total } } }",
        "query($a: Nothing) { file { hits { total } } }",
        "query($a: Int) { file { hits(first: $b) { total } } }",
        "{ ...F }",
        "fragment F on file { hits { total } }",
        "subscription { file }",
        "type Query { a: Int }",
    ] {
        let answer = server.graphql("/graphql", query, &json!({})).await;
        answer.assert_status(400);
        let body = answer.json();
        let code = body["errors"][0]["extensions"]["code"].as_str().unwrap();
        assert!(["GRAPHQL_VALIDATION_FAILED", "OPERATION_RESOLUTION_FAILURE"].contains(&code), "{query}: {body}");
        assert_eq!(body.get("data"), None);
        assert!(!answer.text().contains("Did you mean"), "{query}: {body}");
    }
}

#[tokio::test]
async fn variables_that_do_not_fit_have_their_code() {
    let server = server().await;
    let query = "query($n: Int!, $s: [Sort]) { file { hits(first: $n, sort: $s) { total } } }";
    for variables in [
        json!({}),
        json!({"n": null}),
        json!({"n": "5"}),
        json!({"n": 1.5}),
        json!({"n": 5_000_000_000_i64}),
        json!({"n": 1, "s": [{"fieldName": "size", "order": "up"}]}),
        json!({"n": 1, "s": [{}]}),
        json!({"n": 1, "s": "size"}),
    ] {
        refused(&server.graphql("/graphql", query, &variables).await, 400, "BAD_USER_INPUT");
    }
    let more = json!({"n": 1, "s": null, "unused": 7});
    server.graphql("/graphql", query, &more).await.assert_status(200);
}

#[tokio::test]
async fn introspection_follows_its_switch() {
    let query = "{ __schema { queryType { name } } __type(name: \"file\") { fields { name } } }";
    let answer = server().await.graphql("/graphql", query, &json!({})).await.ok();
    assert_eq!(answer["data"]["__schema"]["queryType"]["name"], "Root");
    let fields = answer["data"]["__type"]["fields"].as_array().unwrap();
    let names: Vec<&str> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["aggregations", "configs", "hits", "mapping"]);
    let closed = server_with(json!({"disableGraphQLIntrospection": true})).await;
    for query in [
        "{ __schema { queryType { name } } }",
        "{ a: __type(name: \"file\") { name } }",
        "{ ...F } fragment F on Root { __schema { queryType { name } } }",
    ] {
        let message = refused(&closed.graphql("/graphql", query, &json!({})).await, 400, "GRAPHQL_VALIDATION_FAILED");
        assert!(message.contains("GraphQL introspection is not allowed"), "{message}");
    }
    assert_eq!(closed.graphql("/graphql", "{ __typename }", &json!({})).await.ok()["data"]["__typename"], "Root");
    closed.get("/introspection/fields").await.assert_status(200);
}

#[tokio::test]
async fn introspection_is_off_in_production_unless_it_is_switched_on() {
    use cantata_catalogue::ConfigDefaults;
    let defaults = |variables: &[(&str, &str)]| {
        let value = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        ConfigDefaults::from_variables(value).0
    };
    let production = ("NODE_ENV", "production");
    for (variables, is_closed) in [
        (defaults(&[production]), true),
        (defaults(&[("NODE_ENV", "test")]), false),
        (defaults(&[]), false),
        (defaults(&[production, ("DISABLE_GRAPHQL_INTROSPECTION", "false")]), false),
        (defaults(&[("DISABLE_GRAPHQL_INTROSPECTION", "true")]), true),
    ] {
        let catalogues = crate::support::flat(json!({})).defaults(variables);
        let server = cantata_testkit::TestServer::with_catalogues(catalogues).await;
        let status = server.graphql("/graphql", "{ __schema { queryType { name } } }", &json!({})).await.status;
        assert_eq!(status == 400, is_closed);
    }
}

#[tokio::test]
async fn filters_can_be_switched_off() {
    let server = server_with(json!({"disableFilters": true})).await;
    let filter = "{op: \\\"in\\\", content: {fieldName: \\\"tags\\\", value: \\\"x\\\"}}".replace('\\', "");
    for query in [
        format!("{{ file {{ hits(filters: {filter}) {{ total }} }} }}"),
        format!("{{ file {{ aggregations(filters: {filter}) {{ tags {{ bucket_count }} }} }} }}"),
        format!("{{ file {{ aggregations {{ tags {{ buckets {{ filter_by_term(filter: {filter}) }} }} }} }} }}"),
        "{ file { hits(filters: 7) { total } } }".to_owned(),
    ] {
        let answer = server.graphql("/graphql", &query, &json!({})).await;
        answer.assert_status(400);
        assert_eq!(answer.json(), json!({"error": "Filters are disabled for this server."}), "{query}");
    }
    assert_eq!(ask(&server, "hits(filters: $f) { total }", &json!({"f": null})).await["hits"]["total"], 5);
    let download = json!({"files": [{"sqon": {"op": "in", "content": {"fieldName": "tags", "value": "x"}}}]});
    server.post("/download", &download).await.assert_status(400);
}

#[tokio::test]
async fn other_root_fields_answer_as_they_always_did() {
    let server = server().await;
    let query = "{ viewer { file { hits { total } } } node(id: \"x\") { id } query(query: \"x\") { total } }";
    assert_eq!(
        server.graphql("/graphql", query, &json!({})).await.ok(),
        json!({"data": {"viewer": {"file": {"hits": {"total": 5}}}, "node": null, "query": null}})
    );
    let answer = server.graphql("/graphql", "{ sets { hits { total } } }", &json!({})).await.ok();
    assert!(answer["errors"][0]["message"].as_str().unwrap().contains("enableSets"), "{answer}");
    assert_eq!(answer["data"]["sets"], Value::Null);
}
