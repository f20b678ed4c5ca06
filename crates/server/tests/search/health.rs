//! `/ping`, `/ready` and what browsers and other clients look for unasked.

use cantata_testkit::{TestCatalogues, TestServer};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{base, documents, flat, folders, mapping, server};

#[tokio::test]
async fn a_ping_is_answered() {
    let server = server().await;
    assert_eq!(server.get("/ping").await.ok(), json!({"message": "Reporting for duty..."}));
    let health = server.get("/.well-known/apollo/server-health").await;
    assert_eq!(health.header("content-type"), Some("application/health+json"));
    health.assert_text(200, "{\"status\":\"pass\"}");
    let icon = server.get("/favicon.ico").await;
    icon.assert_text(204, "");
}

#[tokio::test]
async fn readiness_tells_how_the_catalogues_are() {
    assert_eq!(server().await.get("/ready").await.ok(), json!({"status": "healthy"}));
    let degraded =
        TestServer::with_catalogues(folders().file("zeta/base.json", &base(json!({"esIndex": "none"})))).await;
    assert_eq!(degraded.get("/ready").await.ok(), json!({"status": "degraded"}));
    assert_eq!(degraded.get("/ping").await.status, 200);
    let unhealthy = TestServer::with_catalogues(TestCatalogues::new().file("base.json", &base(json!({})))).await;
    let ready = unhealthy.get("/ready").await;
    ready.assert_status(503);
    assert_eq!(ready.json(), json!({"status": "unhealthy"}));
    assert_eq!(unhealthy.get("/ping").await.status, 200);
}

/// The indexes can be written all the time.
#[tokio::test]
async fn a_server_whose_store_takes_no_writes_is_not_ready_until_it_does() {
    let folder = TempDir::new().unwrap();
    let server = TestServer::builder().catalogues(flat(json!({}))).data_folder(folder.path()).start().await;
    server.get("/ready").await.assert_status(200);
    let other = Connection::open(folder.path().join("metadata.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    server.get("/ready").await.assert_status(503);
    assert_ne!(server.get("/actuator/health").await.status, 200);
    assert_eq!(server.get("/studies/all").await.ok(), json!([]), "reads go on");
    other.execute_batch("ROLLBACK").unwrap();
    server.get("/ready").await.assert_status(200);
}

#[tokio::test]
async fn the_paths_can_be_chosen() {
    let builder = TestServer::builder().health_paths("/health/live", "/health/ready");
    let server = builder.catalogues(flat(json!({}))).start().await;
    assert_eq!(server.get("/health/live").await.ok(), json!({"message": "Reporting for duty..."}));
    assert_eq!(server.get("/health/ready").await.ok(), json!({"status": "healthy"}));
    server.get("/ping").await.assert_error_id(404, "path.not.found");
}

#[tokio::test]
async fn a_server_without_catalogues_has_no_search_routes() {
    let server = TestServer::start().await;
    for path in ["/ping", "/ready", "/introspection", "/graphql", "/x/graphql"] {
        server.get(path).await.assert_error_id(404, "path.not.found");
    }
    let with_data = TestCatalogues::new().file("base.json", &base(json!({}))).index("files", &mapping(), documents());
    assert_eq!(TestServer::with_catalogues(with_data).await.get("/ready").await.status, 200);
}
