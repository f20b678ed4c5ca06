//! `/_es/{index}/_doc`, `_create`, `_update` and `_source`.

use http::Method;
use serde_json::{Value, json};

use crate::support::{assert_es_error, count, send, server_with_index};

const DOCUMENT: &str = "/_es/files/_doc/a";

#[tokio::test]
async fn a_document_is_put_read_and_removed() {
    let server = server_with_index().await;
    let missing = server.get(DOCUMENT).await;
    missing.assert_status(404);
    assert_eq!(missing.json(), json!({"_index": "files", "_type": "_doc", "_id": "a", "found": false}));
    send(&server, Method::HEAD, DOCUMENT).await.assert_status(404);
    let put = server.put(&format!("{DOCUMENT}?refresh=true"), &json!({"name": "x", "size": 1})).await;
    put.assert_status(201);
    let expected = json!({"_index": "files", "_type": "_doc", "_id": "a", "_version": 1, "result": "created",
        "_shards": {"total": 1, "successful": 1, "failed": 0}, "_seq_no": 0, "_primary_term": 1, "status": 201});
    assert_eq!(put.json(), expected);
    assert_eq!(server.post(DOCUMENT, &json!({"size": 2, "name": "y"})).await.ok()["result"], "updated");
    let read = server.get(DOCUMENT).await.ok();
    assert_eq!((&read["found"], &read["_source"]), (&json!(true), &json!({"size": 2, "name": "y"})));
    assert_eq!(server.get("/_es/files/_source/a").await.text(), r#"{"size":2,"name":"y"}"#);
    send(&server, Method::HEAD, DOCUMENT).await.assert_status(200);
    assert_eq!(server.delete(DOCUMENT).await.ok()["result"], "deleted");
    let again = server.delete(DOCUMENT).await;
    again.assert_status(404);
    assert_eq!(again.json()["result"], "not_found");
    assert_es_error(&server.get("/_es/none/_doc/a").await, 404, "index_not_found_exception");
    assert_es_error(&server.delete("/_es/none/_doc/a").await, 404, "index_not_found_exception");
}

#[tokio::test]
async fn a_document_is_only_made_where_there_is_none() {
    let server = server_with_index().await;
    for path in ["/_es/files/_create/a", "/_es/files/_doc/a?op_type=create"] {
        server.put(path, &json!({"size": 1})).await.assert_status(201);
        assert_es_error(&server.put(path, &json!({"size": 2})).await, 409, "version_conflict_engine_exception");
        assert_eq!(server.get(DOCUMENT).await.ok()["_source"], json!({"size": 1}));
        server.delete(DOCUMENT).await.ok();
    }
    // Of many who make the same document one does.
    let made = (0..20).map(|n| {
        let server = &server;
        async move { server.put("/_es/files/_create/b", &json!({"size": n})).await.status }
    });
    let made = futures_util::future::join_all(made).await;
    assert_eq!(made.iter().filter(|status| **status == 201).count(), 1, "{made:?}");
}

#[tokio::test]
async fn an_id_is_made_where_none_is_given() {
    let server = server_with_index().await;
    let first = server.post("/_es/files/_doc", &json!({"size": 1})).await;
    first.assert_status(201);
    let second = server.post("/_es/files/_doc", &json!({"size": 1})).await.json();
    assert_ne!(first.json()["_id"], second["_id"]);
    let id = second["_id"].as_str().unwrap();
    server.get(&format!("/_es/files/_doc/{id}")).await.ok();
    assert_eq!(count(&server, "files").await, 2);
}

#[tokio::test]
async fn a_part_of_a_document_is_changed() {
    let server = server_with_index().await;
    let update = async |body: Value| server.post("/_es/files/_update/a", &body).await;
    assert_es_error(&update(json!({"doc": {"size": 1}})).await, 404, "document_missing_exception");
    update(json!({"doc": {"size": 1}, "upsert": {"size": 9, "deep": {"a": 1, "b": [1]}}})).await.assert_status(201);
    let changed = update(json!({"doc": {"size": 2, "deep": {"b": [2, 3], "c": null}}})).await.ok();
    assert_eq!(changed["result"], "updated");
    assert_eq!(
        server.get(DOCUMENT).await.ok()["_source"],
        json!({"size": 2, "deep": {"a": 1, "b": [2, 3], "c": null}})
    );
    assert_eq!(update(json!({"doc": {"size": 2}})).await.ok()["result"], "noop");
    for body in [json!({"script": "x"}), json!({}), json!({"doc": {}, "doc_as_upsert": 1})] {
        assert_es_error(&update(body).await, 400, "illegal_argument_exception");
    }
    for body in [json!([]), json!({"doc": 5})] {
        assert_es_error(&update(body).await, 400, "parse_exception");
    }
    assert_es_error(&update(json!({"doc": {"size": "large"}})).await, 400, "mapper_parsing_exception");
    assert_eq!(server.get(DOCUMENT).await.ok()["_source"]["size"], 2);
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let server = server_with_index().await;
    let wrong = server.put(DOCUMENT, &json!({"size": "large"})).await;
    let reason = assert_es_error(&wrong, 400, "mapper_parsing_exception");
    assert!(reason.contains("size"), "{reason}");
    for query in ["version=3", "if_seq_no=1&if_primary_term=1", "pipeline=p"] {
        let refused = server.put(&format!("{DOCUMENT}?{query}"), &json!({})).await;
        assert_es_error(&refused, 400, "illegal_argument_exception");
    }
    assert_es_error(&server.put_empty(DOCUMENT).await, 400, "parse_exception");
    for body in ["", "[]", "5", "{", "null", "{\"size\": 1} {}"] {
        let refused = server.send(Method::PUT, DOCUMENT, &[], Some(body.as_bytes().to_vec())).await;
        refused.assert_status(400);
    }
    let long = format!("/_es/files/_doc/{}", "x".repeat(513));
    assert_es_error(&server.put(&long, &json!({})).await, 400, "illegal_argument_exception");
    assert_eq!(count(&server, "files").await, 0);
}
