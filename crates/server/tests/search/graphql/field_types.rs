//! Fields of less common types, and numbers as different languages write them.

use cantata_testkit::{TestCatalogues, TestServer};
use serde_json::{Value, json};

use crate::support::{ask, base, counts, data, leaf, matching, server, server_with};

async fn server_of(properties: Value, documents: &[(&str, Value)]) -> TestServer {
    let mapping = json!({"properties": properties});
    let catalogues =
        TestCatalogues::new().file("base.json", &base(json!({}))).index("files", &mapping, documents.iter().cloned());
    TestServer::with_catalogues(catalogues).await
}

#[tokio::test]
async fn keys_of_floats_have_the_digits_of_the_type() {
    let documents = [("a", json!({"ratio": 3.12})), ("b", json!({"ratio": 0.1})), ("c", json!({"ratio": 3.12}))];
    let server = server_of(json!({"ratio": {"type": "float"}}), &documents).await;
    let answer = ask(&server, "aggregations { ratio { buckets { key doc_count } } }", &json!({})).await;
    assert_eq!(counts(&answer["aggregations"]["ratio"]["buckets"]), [("3.12", 2), ("0.1", 1)]);
    assert_eq!(matching(&server, &leaf("in", "ratio", json!(["3.12"]))).await, ["a", "c"]);
}

#[tokio::test]
async fn values_that_the_index_ignores_are_null() {
    let properties = json!({"size": {"type": "long", "ignore_malformed": true}, "file.size": {"type": "long"}});
    let documents = [("a", json!({"size": "large", "file": {"size": 5}})), ("b", json!({"size": 7}))];
    let server = server_of(properties, &documents).await;
    let answer = ask(&server, "hits { edges { node { size file__size } } }", &json!({})).await;
    assert_eq!(
        answer["hits"]["edges"],
        json!([{"node": {"size": null, "file__size": 5}}, {"node": {"size": 7, "file__size": null}}])
    );
}

#[tokio::test]
async fn types_that_cannot_be_searched_have_no_operators() {
    let types = ["geo_point", "binary", "integer_range", "token_count", "keyword", "flattened"];
    let properties: serde_json::Map<String, Value> =
        types.iter().map(|name| (format!("a_{name}"), json!({"type": name}))).collect();
    let server = server_of(Value::Object(properties), &[]).await;
    let operators = server.get("/introspection/fields").await.ok()["operators"].take();
    for name in types {
        let has_some = !operators[name].as_array().unwrap().is_empty();
        assert_eq!(has_some, matches!(name, "keyword" | "flattened"), "{name}");
    }
}

#[tokio::test]
async fn texts_are_compared_by_their_order() {
    let server = server().await;
    assert_eq!(matching(&server, &leaf("gt", "analysis", json!("A1"))).await, ["f3", "f4", "f5"]);
    assert_eq!(matching(&server, &leaf("between", "tags", json!(["x", "y"]))).await, ["f1", "f2"]);
    assert_eq!(matching(&server, &leaf("gt", "size", json!([]))).await, [""; 0]);
}

#[tokio::test]
async fn records_are_found_by_their_ids() {
    let server = server_with(json!({"enableSets": true})).await;
    assert_eq!(matching(&server, &leaf("in", "_id", json!(["f2", "f4", "none"]))).await, ["f2", "f4"]);
    assert_eq!(matching(&server, &leaf("not-in", "id", json!(["f2", "f4"]))).await, ["f1", "f3", "f5"]);
    let fields = server.get("/introspection/fields").await.ok();
    assert_eq!(fields["fields"]["_id"]["type"], "id");
    assert_eq!(fields["operators"]["id"], json!(["in", "not-in", "some-not-in", "all"]));
    let save = "mutation($f: JSON!) { saveSet(type: file, path: \"_id\", sqon: $f) { setId size } }";
    let filter = leaf("in", "analysis", json!("A1"));
    let set = data(&server.graphql("/graphql", save, &json!({"f": filter})).await)["saveSet"].take();
    assert_eq!(set["size"], 2);
    let by_set = leaf("in", "_id", json!([format!("set_id:{}", set["setId"].as_str().unwrap())]));
    assert_eq!(matching(&server, &by_set).await, ["f1", "f2"]);
}

#[tokio::test]
async fn whole_numbers_are_integers_and_integers_are_bounds() {
    let server = server().await;
    let page = "query($n: Int) { file { hits(first: $n) { edges { node { id } } } } }";
    let answer = data(&server.graphql("/graphql", page, &json!({"n": 2.0})).await);
    assert_eq!(answer["file"]["hits"]["edges"].as_array().unwrap().len(), 2);
    let facet = "query($from: Int, $to: Int!, $width: Int) { file { aggregations { size { range(ranges: [{from: $from, \
        to: $to}]) { buckets { doc_count } } histogram(interval: $width) { bucket_count } } } } }";
    let variables = json!({"from": 10, "to": 30, "width": 1_000_000_000});
    let answer = data(&server.graphql("/graphql", facet, &variables).await);
    assert_eq!(answer["file"]["aggregations"]["size"]["range"]["buckets"], json!([{"doc_count": 2}]));
    // A variable that is also used as an integer stays one.
    let both = "query($n: Int) { file { hits(first: $n) { total } aggregations { size { histogram(interval: $n) { \
        bucket_count } } } } }";
    server.graphql("/graphql", both, &json!({"n": 5})).await.assert_status(400);
}
