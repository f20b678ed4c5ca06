//! `/_es/{index}`, its mapping, its count, and lists of indexes.

use cantata_testkit::TestServer;
use http::Method;
use serde_json::{Value, json};

use crate::support::{assert_es_error, bulk, count, send, server_with_index};

#[tokio::test]
async fn an_index_is_made_shown_and_removed() {
    let server = TestServer::start().await;
    send(&server, Method::HEAD, "/_es/files").await.assert_status(404);
    let mapping = json!({"_meta": {"by": "me"}, "properties": {"size": {"type": "long"}}});
    let body = json!({"mappings": mapping, "settings": {"number_of_shards": 3}, "aliases": {"current": {}}});
    let made = server.put("/_es/files", &body).await.ok();
    assert_eq!(made, json!({"acknowledged": true, "shards_acknowledged": true, "index": "files"}));
    send(&server, Method::HEAD, "/_es/files").await.assert_text(200, "");
    for name in ["files", "current", "*", "fi*", "_all", "files,current"] {
        let shown = server.get(&format!("/_es/{name}")).await.ok();
        assert_eq!(shown["files"]["mappings"], mapping, "{name}");
        assert_eq!(shown["files"]["aliases"], json!({"current": {}}), "{name}");
        assert_eq!(server.get(&format!("/_es/{name}/_mapping")).await.ok(), json!({"files": {"mappings": mapping}}));
        let refreshed = server.get(&format!("/_es/{name}/_refresh")).await.ok();
        assert_eq!(refreshed["_shards"]["failed"], 0, "{name}");
    }
    // An index of this API is an index of the server.
    assert_eq!(server.get("/admin/indexes").await.ok()[0]["name"], "files");
    assert_es_error(&server.put("/_es/files", &body).await, 400, "resource_already_exists_exception");
    assert_es_error(&server.put("/_es/current", &json!({})).await, 400, "mapper_parsing_exception");
    assert_es_error(&server.delete("/_es/current").await, 400, "illegal_argument_exception");
    for everything in ["*", "_all", "f*"] {
        assert_es_error(&server.delete(&format!("/_es/{everything}")).await, 400, "illegal_argument_exception");
    }
    assert_eq!(server.delete("/_es/files").await.ok(), json!({"acknowledged": true}));
    assert_es_error(&server.delete("/_es/files").await, 404, "index_not_found_exception");
    assert_eq!(server.delete("/_es/files?ignore_unavailable=true").await.ok(), json!({"acknowledged": true}));
    assert_eq!(server.get("/_es/_alias").await.ok(), json!({}));
}

#[tokio::test]
async fn a_mapping_with_the_name_of_a_type_around_it_is_understood() {
    let server = TestServer::start().await;
    let mapping = json!({"properties": {"size": {"type": "long"}}});
    server.put("/_es/files?include_type_name=true", &json!({"mappings": {"_doc": mapping}})).await.ok();
    assert_eq!(server.get("/_es/files/_mapping").await.ok()["files"]["mappings"], mapping);
}

#[tokio::test]
async fn an_index_that_cannot_be_made_is_not_there() {
    let server = server_with_index().await;
    for body in [
        json!({"mappings": []}),
        json!({"unknown": {}}),
        json!({"settings": 5}),
        json!([]),
        json!({"aliases": {"a": {"filter": {"term": {"x": 1}}}}}),
        json!({"aliases": {"files": {}}}),
        json!({"aliases": {"../up": {}}}),
        json!({"mappings": {"properties": {"a": {"type": "alias", "path": "nowhere"}}}}),
    ] {
        server.put("/_es/other", &body).await.assert_status(400);
        send(&server, Method::HEAD, "/_es/other").await.assert_status(404);
    }
}

#[tokio::test]
async fn fields_are_added_to_a_mapping() {
    let server = server_with_index().await;
    let more = json!({"properties": {"donors": {"type": "nested", "properties": {"age": {"type": "integer"}}}}});
    assert_eq!(server.put("/_es/files/_mapping", &more).await.ok(), json!({"acknowledged": true}));
    server.post("/_es/files/_mapping", &json!({"_meta": {"version": 2}})).await.ok();
    let mapping = server.get("/_es/_mapping").await.ok()["files"]["mappings"].clone();
    assert_eq!(mapping["properties"]["donors"], more["properties"]["donors"]);
    assert_eq!((&mapping["_meta"], &mapping["properties"]["size"]), (&json!({"version": 2}), &json!({"type": "long"})));
    let other = json!({"properties": {"size": {"type": "keyword"}, "brought": {"type": "long"}}});
    let reason = assert_es_error(&server.put("/_es/files/_mapping", &other).await, 400, "mapper_parsing_exception");
    assert!(reason.contains("size"), "{reason}");
    assert_eq!(server.get("/_es/files/_mapping").await.ok()["files"]["mappings"], mapping);
    assert_es_error(&server.put("/_es/none/_mapping", &more).await, 404, "index_not_found_exception");
}

#[tokio::test]
async fn all_documents_are_counted_and_nothing_else() {
    let server = server_with_index().await;
    assert_eq!(count(&server, "files").await, 0);
    let lines = [json!({"index": {}}), json!({"size": 1}), json!({"index": {"_index": "more"}}), json!({"size": 2})];
    bulk(&server, "/_es/files/_bulk", &lines).await.ok();
    for (names, expected) in [("files", 1), ("files,more", 2), ("*", 2), ("m*", 1), ("x*", 0)] {
        assert_eq!(count(&server, names).await, expected, "{names}");
    }
    assert_eq!(server.get("/_es/_count").await.ok()["count"], 2);
    let asked = async |body: Value| server.post("/_es/files/_count", &body).await;
    assert_eq!(asked(json!({"query": {"match_all": {"boost": 1.0}}})).await.ok()["count"], 1);
    for query in
        [json!({"query": {"term": {"size": 1}}}), json!({"query": {}}), json!({"size": 0}), json!({"query": 5})]
    {
        assert_es_error(&asked(query).await, 400, "illegal_argument_exception");
    }
    assert_es_error(&server.get("/_es/files/_count?q=size:1").await, 400, "illegal_argument_exception");
    assert_es_error(&server.get("/_es/none/_count").await, 404, "index_not_found_exception");
}

#[tokio::test]
async fn indexes_are_listed() {
    let server = server_with_index().await;
    assert_eq!(server.get("/_es/_cat/indices?h=health,status,index,docs.count").await.text(), "green open files 0\n");
    let rows = server.get("/_es/_cat/indices/fil*?format=json").await.ok();
    assert_eq!((&rows[0]["index"], &rows[0]["docs.count"]), (&json!("files"), &json!("0")));
    assert_es_error(&server.get("/_es/_cat/indices/none").await, 404, "index_not_found_exception");
}
