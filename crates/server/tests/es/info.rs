//! `/_es`, `/_es/_cluster/health`, and what is not there.

use cantata_testkit::TestServer;
use http::Method;
use serde_json::json;

use crate::support::{assert_es_error, send, server_with_index};

#[tokio::test]
async fn clients_of_elasticsearch_recognise_the_server() {
    let server = TestServer::start().await;
    for path in ["/_es", "/_es/"] {
        let info = server.get(path).await;
        assert_eq!(info.header("x-elastic-product"), Some("Elasticsearch"));
        assert_eq!(info.header("content-type"), Some("application/json"));
        let info = info.ok();
        assert!(info["version"]["number"].as_str().unwrap().starts_with("7.17."));
        assert_eq!(
            (&info["version"]["build_flavor"], &info["tagline"]),
            (&json!("default"), &json!("You Know, for Search"))
        );
        send(&server, Method::HEAD, path).await.assert_text(200, "");
    }
}

#[tokio::test]
async fn the_health_is_green() {
    let server = server_with_index().await;
    for path in ["/_es/_cluster/health", "/_es/_cluster/health/files?wait_for_status=yellow"] {
        let health = server.get(path).await.ok();
        assert_eq!((&health["status"], &health["active_shards"]), (&json!("green"), &json!(1)));
    }
}

#[tokio::test]
async fn what_the_door_does_not_have_is_refused_in_its_words() {
    let server = server_with_index().await;
    for (method, path) in [
        (Method::POST, "/_es/files/_search"),
        (Method::POST, "/_es/_search"),
        (Method::POST, "/_es/files/_delete_by_query"),
        (Method::POST, "/_es/_reindex"),
        (Method::GET, "/_es/_nodes/http"),
        (Method::GET, "/_es/files/_doc/a/b"),
    ] {
        let reason = assert_es_error(&send(&server, method, path).await, 400, "illegal_argument_exception");
        assert!(reason.contains(path), "{reason}");
    }
    let reason = assert_es_error(&send(&server, Method::DELETE, "/_es").await, 405, "illegal_argument_exception");
    assert!(reason.contains("DELETE"), "{reason}");
    server.get("/_esx").await.assert_error_id(404, "path.not.found");
}
