//! `/_es/_bulk` and `/_es/{index}/_bulk`.

use std::io::Write as _;

use cantata_testkit::{TestCatalogues, TestServer};
use flate2::write::GzEncoder;
use http::Method;
use serde_json::{Value, json};

use crate::support::{assert_es_error, bulk, count, server_with_index};

fn results(report: &Value) -> Vec<String> {
    let one = |item: &Value| {
        let (verb, item) = item.as_object().unwrap().iter().next().unwrap();
        let what = item["result"].as_str().or_else(|| item["error"]["type"].as_str()).unwrap();
        format!("{verb} {} {what}", item["status"])
    };
    report["items"].as_array().unwrap().iter().map(one).collect()
}

#[tokio::test]
async fn operations_are_done_in_their_order_and_answered_one_by_one() {
    let server = server_with_index().await;
    let lines = [
        json!({"index": {"_index": "files", "_id": "a"}}),
        json!({"size": 1}),
        json!({"index": {"_index": "files", "_id": "a", "_type": "_doc", "routing": "r"}}),
        json!({"size": 2}),
        json!({"create": {"_index": "files", "_id": "a"}}),
        json!({"size": 3}),
        json!({"update": {"_index": "files", "_id": "a", "retry_on_conflict": 3}}),
        json!({"doc": {"name": "x"}}),
        json!({"index": {"_index": "files", "_id": "wrong"}}),
        json!({"size": "large"}),
        json!({"update": {"_index": "files", "_id": "b"}}),
        json!({"doc": {"name": "x"}}),
        json!({"update": {"_index": "files", "_id": "b"}}),
        json!({"doc": {"name": "b"}, "doc_as_upsert": true}),
        json!({"create": {"_index": "files", "_id": "c"}}),
        json!({"size": 4}),
        json!({"delete": {"_index": "files", "_id": "c"}}),
        json!({"delete": {"_index": "files", "_id": "c"}}),
        json!({"create": {"_index": "files", "_id": "c"}}),
        json!({"size": 5}),
        json!({"delete": {"_index": "none", "_id": "c"}}),
        json!({"index": {"_index": "../up", "_id": "c"}}),
        json!({}),
        json!({"index": {"_index": "made", "_id": 7}}),
        json!({"n": 1}),
    ];
    let report = bulk(&server, "/_es/_bulk?refresh=true", &lines).await.ok();
    assert_eq!(report["errors"], true);
    let expected = [
        "index 201 created",
        "index 200 updated",
        "create 409 version_conflict_engine_exception",
        "update 200 updated",
        "index 400 mapper_parsing_exception",
        "update 404 document_missing_exception",
        "update 201 created",
        "create 201 created",
        "delete 200 deleted",
        "delete 404 not_found",
        "create 201 created",
        "delete 404 index_not_found_exception",
        "index 400 illegal_argument_exception",
        "index 201 created",
    ];
    assert_eq!(results(&report), expected);
    let source = async |path: &str| server.get(&format!("/_es/{path}")).await.ok()["_source"].clone();
    assert_eq!(source("files/_doc/a").await, json!({"size": 2, "name": "x"}));
    assert_eq!(source("files/_doc/b").await, json!({"name": "b"}));
    assert_eq!(source("files/_doc/c").await, json!({"size": 5}));
    assert_eq!(source("made/_doc/7").await, json!({"n": 1}));
    assert_eq!(count(&server, "files").await, 3);
    let quiet = [json!({"index": {}}), json!({}), json!({"delete": {"_id": "never"}})];
    let report = bulk(&server, "/_es/files/_bulk", &quiet).await.ok();
    assert_eq!((&report["errors"], results(&report)[1].as_str()), (&json!(false), "delete 404 not_found"));
}

#[tokio::test]
async fn a_request_that_cannot_be_read_does_nothing() {
    let server = server_with_index().await;
    let good = "{\"index\":{\"_id\":\"a\"}}\n{\"size\":1}\n";
    for rest in [
        "{\"index\":{}}",
        "{\"index\":{}}\n",
        "nonsense\n",
        "{\"explode\":{}}\n{}\n",
        "[]\n",
        "{\"delete\":{}}\n",
        "\u{feff}",
    ] {
        let body = Some(format!("{good}{rest}").into_bytes());
        let refused = server.send(Method::POST, "/_es/files/_bulk", &[], body).await;
        let reason = assert_es_error(&refused, 400, "illegal_argument_exception");
        assert!(reason.contains("line [3]"), "{reason}");
        assert_eq!(count(&server, "files").await, 0, "{rest}");
    }
    for empty in ["", "\n\n"] {
        let refused = server.send(Method::POST, "/_es/files/_bulk", &[], Some(empty.into())).await;
        assert!(refused.status == 400 || refused.ok()["items"] == json!([]), "{empty:?}");
    }
    assert_es_error(
        &bulk(&server, "/_es/_bulk", &[json!({"index": {}}), json!({})]).await,
        400,
        "illegal_argument_exception",
    );
}

#[tokio::test]
async fn a_compressed_request_is_read() {
    let server = server_with_index().await;
    let lines: String = (0..5000).map(|n| format!("{{\"index\":{{\"_id\":\"{n}\"}}}}\n{{\"size\":{n}}}\n")).collect();
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(lines.as_bytes()).unwrap();
    let compressed = encoder.finish().unwrap();
    let headers = [("content-encoding", "gzip"), ("content-type", "application/x-ndjson")];
    let send = async |body: &[u8]| server.send(Method::POST, "/_es/files/_bulk", &headers, Some(body.to_vec())).await;
    assert_eq!(send(&compressed).await.ok()["errors"], false);
    assert_eq!(count(&server, "files").await, 5000);
    for broken in
        [&compressed[..compressed.len() / 2], &compressed[..compressed.len() - 4], b"not gzip", &lines.as_bytes()[..99]]
    {
        assert_es_error(&send(broken).await, 400, "parse_exception");
    }
    let deflated = [("content-encoding", "deflate")];
    server.send(Method::POST, "/_es/files/_bulk", &deflated, Some(compressed.clone())).await.assert_status(415);
    // Elsewhere nothing is decompressed.
    server
        .send(Method::POST, "/submit/S", &headers, Some(compressed))
        .await
        .assert_error_id(415, "unsupported.media.type");
}

#[tokio::test]
async fn a_large_request_is_written_in_parts() {
    let server = server_with_index().await;
    let name = "x".repeat(2000);
    let lines: String = (0..20_000)
        .map(|n| format!("{{\"index\":{{\"_id\":\"{n}\"}}}}\n{{\"size\":{n},\"name\":\"{name}\"}}\n"))
        .collect();
    let report = server.send(Method::POST, "/_es/files/_bulk", &[], Some(lines.into_bytes())).await.ok();
    assert_eq!((&report["errors"], report["items"].as_array().unwrap().len()), (&json!(false), 20_000));
    assert_eq!(report["items"][19_999]["index"]["_id"], "19999");
    assert_eq!(count(&server, "files").await, 20_000);
}

#[tokio::test]
async fn what_comes_in_is_found_by_a_search_at_once() {
    let catalogues = TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .index("files-1", &json!({"properties": {"name": {"type": "keyword"}}}), []);
    let catalogues = catalogues.index("files", &json!({"properties": {"name": {"type": "keyword"}}}), []);
    let server = TestServer::with_catalogues(catalogues).await;
    let lines = [
        json!({"index": {"_id": "a"}}),
        json!({"name": "red"}),
        json!({"index": {"_id": "b"}}),
        json!({"name": "red"}),
    ];
    bulk(&server, "/_es/files/_bulk", &lines).await.ok();
    let query = "{ file { aggregations { name { buckets { key doc_count } } } } }";
    let answer = server.graphql("/graphql", query, &json!({})).await.ok();
    assert_eq!(answer["data"]["file"]["aggregations"]["name"]["buckets"], json!([{"key": "red", "doc_count": 2}]));
}
