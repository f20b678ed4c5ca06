//! `/_es/_aliases`, `/_es/_alias` and `/_es/_cat/aliases`.

use cantata_testkit::TestServer;
use http::Method;
use serde_json::{Value, json};

use crate::support::{assert_es_error, bulk, count, send};

async fn server_with_indexes() -> TestServer {
    let server = TestServer::start().await;
    for index in ["files-1", "files-2"] {
        server.put(&format!("/_es/{index}"), &json!({})).await.ok();
        bulk(&server, &format!("/_es/{index}/_bulk"), &[json!({"index": {"_id": index}}), json!({})]).await.ok();
    }
    server
}

async fn change(server: &TestServer, actions: Value) -> cantata_testkit::TestResponse {
    server.post("/_es/_aliases", &json!({"actions": actions})).await
}

async fn listed(server: &TestServer) -> String {
    server.get("/_es/_cat/aliases?h=alias,index").await.text().trim().replace('\n', ", ")
}

#[tokio::test]
async fn aliases_are_added_shown_and_removed() {
    let server = server_with_indexes().await;
    assert_eq!(server.get("/_es/_cat/aliases").await.text(), "");
    server.put_empty("/_es/files-1/_alias/files").await.ok();
    server.put("/_es/files-1/_aliases/current", &json!({"is_write_index": true})).await.ok();
    assert_eq!(server.get("/_es/_cat/aliases").await.text(), "current files-1 - - - -\nfiles files-1 - - - -\n");
    let with_head = server.get("/_es/_cat/aliases/files?v=true&h=alias,index").await;
    assert_eq!(with_head.text(), "alias index\nfiles files-1\n");
    assert_eq!(
        server.get("/_es/_cat/aliases/c*?format=json").await.ok(),
        json!([{"alias": "current", "index": "files-1", "filter": "-", "routing.index": "-", "routing.search": "-",
            "is_write_index": "-"}])
    );
    let of = |names: &[&str]| -> Value {
        names.iter().map(|name| ((*name).to_owned(), json!({}))).collect::<serde_json::Map<_, _>>().into()
    };
    let both = json!({"aliases": of(&["current", "files"])});
    assert_eq!(server.get("/_es/_alias").await.ok(), json!({"files-1": both, "files-2": {"aliases": {}}}));
    assert_eq!(server.get("/_es/files-1/_alias").await.ok(), json!({"files-1": both}));
    assert_eq!(server.get("/_es/_alias/files").await.ok(), json!({"files-1": {"aliases": of(&["files"])}}));
    assert_eq!(server.get("/_es/files-*/_alias/cur*").await.ok(), json!({"files-1": {"aliases": of(&["current"])}}));
    send(&server, Method::HEAD, "/_es/_alias/files").await.assert_status(200);
    send(&server, Method::HEAD, "/_es/_alias/none").await.assert_status(404);
    assert_es_error(&server.get("/_es/_alias/none").await, 404, "aliases_not_found_exception");
    assert_es_error(&server.get("/_es/none/_alias").await, 404, "index_not_found_exception");
    assert_eq!(count(&server, "files").await, 1);
    server.get("/_es/files/_doc/files-1").await.ok();

    assert_es_error(&server.delete("/_es/files-2/_alias/files").await, 404, "aliases_not_found_exception");
    server.delete("/_es/files-1/_alias/files").await.ok();
    assert_eq!(listed(&server).await, "current files-1");
    server.delete("/_es/_all/_alias/*").await.ok();
    assert_eq!(listed(&server).await, "");
}

#[tokio::test]
async fn an_alias_moves_in_one_request() {
    let server = server_with_indexes().await;
    change(&server, json!([{"add": {"index": "files-1", "aliases": ["files", "current"]}}])).await.ok();
    let actions = json!([
        {"remove": {"index": "*", "alias": "files"}},
        {"add": {"indices": ["files-2"], "alias": "files"}},
    ]);
    change(&server, actions).await.ok();
    assert_eq!(listed(&server).await, "current files-1, files files-2");
    server.get("/_es/files/_doc/files-2").await.ok();
    // What cannot be done as a whole is not done in part.
    let two = json!([{"add": {"index": "files-1", "alias": "new"}}, {"add": {"index": "files-1", "alias": "files"}}]);
    let reason = assert_es_error(&change(&server, two).await, 400, "illegal_argument_exception");
    assert!(reason.contains("`files`"), "{reason}");
    assert_eq!(listed(&server).await, "current files-1, files files-2");
}

#[tokio::test]
async fn an_index_is_removed_with_its_aliases_or_replaced_by_one() {
    let server = server_with_indexes().await;
    change(&server, json!([{"add": {"index": "files-1", "alias": "files"}}])).await.ok();
    let replaced = json!([{"remove_index": {"index": "files-1"}}, {"add": {"index": "files-2", "alias": "files-1"}}]);
    change(&server, replaced).await.ok();
    assert_eq!(listed(&server).await, "files-1 files-2");
    server.get("/_es/files-1/_doc/files-2").await.ok();
    change(&server, json!([{"remove_index": {"index": "files-2"}}])).await.ok();
    assert_eq!(listed(&server).await, "");
    assert_eq!(server.get("/admin/indexes").await.ok(), json!([]));
}

#[tokio::test]
async fn wrong_actions_are_refused() {
    let server = server_with_indexes().await;
    for actions in [
        json!(null),
        json!({}),
        json!([5]),
        json!([{}]),
        json!([{"add": 5}]),
        json!([{"add": {"index": "files-1"}}]),
        json!([{"add": {"alias": "a"}}]),
        json!([{"add": {"index": 5, "alias": "a"}}]),
        json!([{"add": {"index": "files-1", "alias": "files-2"}}]),
        json!([{"add": {"index": "files-*", "alias": "a"}}]),
        json!([{"add": {"index": "files-1", "alias": "../a"}}]),
        json!([{"add": {"index": "files-1", "alias": "a", "filter": {"match_all": {}}}}]),
        json!([{"move": {"index": "files-1", "alias": "a"}}]),
        json!([{"add": {"index": "files-1", "alias": "a"}, "remove": {"index": "files-1", "alias": "a"}}]),
        json!([{"remove_index": {"index": "*"}}]),
        json!([{"remove_index": {"index": "_all"}}]),
        json!([{"remove_index": {"indices": ["files-1", "files-*"]}}]),
    ] {
        assert_es_error(&change(&server, actions).await, 400, "illegal_argument_exception");
    }
    let nowhere = json!([{"add": {"index": "none", "alias": "a"}}]);
    assert_es_error(&change(&server, nowhere).await, 404, "index_not_found_exception");
    let never = json!([{"remove": {"index": "files-1", "alias": "never"}}]);
    assert_es_error(&change(&server, never).await, 404, "aliases_not_found_exception");
    assert_eq!(listed(&server).await, "");
    assert_eq!(server.get("/admin/indexes").await.ok().as_array().unwrap().len(), 2);
}
