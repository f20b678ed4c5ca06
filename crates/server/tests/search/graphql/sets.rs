//! Saved sets: made, used in filters, listed, renamed, deleted.

use cantata_testkit::TestServer;
use serde_json::{Value, json};

use crate::support::{ask, counts, data, ids, leaf, matching, refused, server, server_with};

const SAVE: &str = "mutation($sqon: JSON!, $path: String!, $sort: [Sort]) { saveSet(type: file, userId: \"u\", sqon: $sqon, path: \
    $path, sort: $sort, refresh: WAIT_FOR) { setId size ids type path userId createdAt sqon } }";

async fn with_sets() -> TestServer {
    server_with(json!({"enableSets": true})).await
}

async fn save(server: &TestServer, sqon: &Value, path: &str) -> Value {
    data(&server.graphql("/graphql", SAVE, &json!({"sqon": sqon, "path": path})).await)["saveSet"].take()
}

async fn list(server: &TestServer, filter: Value) -> Value {
    let query =
        "query($f: JSON) { sets { hits(filters: $f) { total edges { node { setId name size ids userId sqon } } } } }";
    data(&server.graphql("/graphql", query, &json!({"f": filter})).await)["sets"]["hits"].take()
}

#[tokio::test]
async fn a_set_is_saved_and_used_in_filters() {
    let server = with_sets().await;
    let sqon = leaf("in", "analysis", json!("A1"));
    let set = save(&server, &sqon, "donors.donor_id").await;
    assert_eq!((&set["ids"], &set["size"]), (&json!(["D1", "D2", "D3"]), &json!(3)));
    assert_eq!((&set["type"], &set["path"], &set["userId"]), (&json!("file"), &json!("donors.donor_id"), &json!("u")));
    assert_eq!(set["sqon"], sqon);
    assert!(!set["createdAt"].is_null(), "{set}");
    let by_set = leaf("in", "donors.donor_id", json!([format!("set_id:{}", set["setId"].as_str().unwrap())]));
    assert_eq!(matching(&server, &by_set).await, ["f1", "f2", "f3"]);
    let selection = "hits(filters: $f) { total edges { node { id } } } aggregations(filters: $f, include_missing: false) { \
        analysis { buckets { key doc_count } } }";
    let answer = ask(&server, selection, &json!({"f": by_set})).await;
    assert_eq!(ids(&answer["hits"]), ["f1", "f2", "f3"]);
    assert_eq!(counts(&answer["aggregations"]["analysis"]["buckets"]), [("A1", 2), ("A2", 1)]);
    let outside = leaf("not-in", "donors.donor_id", json!([format!("set_id:{}", set["setId"].as_str().unwrap())]));
    assert_eq!(matching(&server, &outside).await, Vec::<String>::new());
    let download = json!({"files": [{"fileType": "jsonl", "sqon": by_set, "columns": ["analysis"]}]});
    assert_eq!(server.post("/download", &download).await.text().lines().count(), 3);
}

#[tokio::test]
async fn sets_of_ids_keep_their_order() {
    let server = with_sets().await;
    let variables = json!({"sqon": {}, "path": "nothing", "sort": [{"fieldName": "_id", "order": "desc"}]});
    let set = data(&server.graphql("/graphql", SAVE, &variables).await)["saveSet"].take();
    assert_eq!(set["ids"], json!(["f5", "f4", "f3", "f2", "f1"]));
    let empty = save(&server, &leaf("in", "tags", json!("nothing")), "tags").await;
    assert_eq!((&empty["ids"], &empty["size"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn sets_are_listed_renamed_and_deleted() {
    let server = with_sets().await;
    assert_eq!(list(&server, json!(null)).await, json!({"total": 0, "edges": []}));
    let set = save(&server, &leaf("in", "tags", json!("y")), "tags").await;
    let id = set["setId"].as_str().unwrap();
    let listed = list(&server, leaf("in", "userId", json!("u"))).await;
    assert_eq!(listed["total"], 1);
    let node = &listed["edges"][0]["node"];
    assert_eq!((&node["setId"], &node["ids"]), (&set["setId"], &json!(["x", "y"])));
    assert_eq!(node["sqon"], set["sqon"]);
    let rename = "mutation($id: String!, $name: String!) { renameSet(setId: $id, name: $name) { setId name size } }";
    let renamed = data(&server.graphql("/graphql", rename, &json!({"id": id, "name": "Mine"})).await);
    assert_eq!(renamed["renameSet"], json!({"setId": id, "name": "Mine", "size": 2}));
    assert_eq!(list(&server, json!(null)).await["edges"][0]["node"]["name"], "Mine");
    for (id, name) in [(id, ""), (id, "  "), (id, &"n".repeat(501)), ("none", "x")] {
        let answer = server.graphql("/graphql", rename, &json!({"id": id, "name": name})).await;
        refused(&answer, 200, "BAD_USER_INPUT");
        assert_eq!(answer.json()["data"]["renameSet"], Value::Null);
    }
    let delete = "mutation($id: String!) { deleteSet(setId: $id) }";
    for expected in [true, false] {
        assert_eq!(data(&server.graphql("/graphql", delete, &json!({"id": id})).await), json!({"deleteSet": expected}));
    }
    assert_eq!(list(&server, json!(null)).await["total"], 0);
}

#[tokio::test]
async fn an_unknown_set_is_no_set_of_everything() {
    let server = with_sets().await;
    let filter = leaf("in", "analysis", json!(["set_id:none"]));
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let body = server.graphql("/graphql", query, &json!({"f": filter})).await.ok();
    let total = &body["data"]["file"]["hits"]["total"];
    assert!(*total == 0 || body["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT", "{body}");
}

#[tokio::test]
async fn a_set_that_cannot_be_saved_is_refused() {
    let server = with_sets().await;
    for sqon in [json!({"op": "nope"}), leaf("gt", "size", json!("many"))] {
        let answer = server.graphql("/graphql", SAVE, &json!({"sqon": sqon, "path": "tags"})).await;
        refused(&answer, 200, "BAD_USER_INPUT");
        assert_eq!(answer.json()["data"]["saveSet"], Value::Null);
    }
    assert_eq!(list(&server, json!(null)).await["total"], 0);
}

#[tokio::test]
async fn sets_are_off_unless_switched_on() {
    let server = server().await;
    let variables = json!({"sqon": {}, "path": "tags"});
    let message = refused(&server.graphql("/graphql", SAVE, &variables).await, 200, "BAD_USER_INPUT");
    assert!(message.contains("enableSets"), "{message}");
}
