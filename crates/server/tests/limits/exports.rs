//! How many exports run at once, and when their places are free again.

use cantata_testkit::{TestCatalogues, TestServer, raw};
use http::Method;
use serde_json::json;
use tokio::net::TcpStream;

use crate::support::{fill, open, until};

/// Begins an export for the client at an address and reads nothing of it.
async fn begin(server: &TestServer, client: &str) -> TcpStream {
    let forwarded = format!("x-forwarded-for: {client}");
    let stream = open(server.address(), &raw::request("GET", b"/export/studies/S", &[&forwarded], b"")).await;
    // The answer has begun once something of it is there.
    stream.readable().await.unwrap();
    stream
}

async fn export(server: &TestServer, client: &str) -> cantata_testkit::TestResponse {
    server.send(Method::GET, "/export/studies/S", &[("x-forwarded-for", client)], None).await
}

#[tokio::test]
async fn a_client_may_run_so_many_and_all_together_so_many() {
    let server = TestServer::builder()
        .limits(|limits| {
            limits.max_exports = 3;
            limits.max_exports_per_client = 2;
            limits.trusted_proxies = "127.0.0.1".parse().unwrap();
        })
        .start()
        .await;
    fill(&server).await;
    let _first = begin(&server, "192.0.2.1").await;
    let second = begin(&server, "192.0.2.1").await;
    let answer = export(&server, "192.0.2.1").await;
    let text = "This client has 2 exports running, which is the limit; wait for one of them to end";
    answer.assert_error(429, "HttpServer", "too.many.requests", text);
    assert!(answer.header("retry-after").is_some());
    export(&server, "192.0.2.2").await.ok();
    let _third = begin(&server, "192.0.2.2").await;
    let answer = export(&server, "192.0.2.3").await;
    answer.assert_error(
        503,
        "HttpServer",
        "service.unavailable",
        "All exports that may run at once are taken; try again later",
    );
    assert!(answer.header("retry-after").is_some());
    server.get("/studies/all").await.ok();
    // A client that leaves makes room.
    drop(second);
    until("an export that was left", async || export(&server, "192.0.2.1").await.status == 200).await;
}

#[tokio::test]
async fn downloads_count_too_and_end_by_themselves() {
    let catalogues = TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .index("files", &json!({"properties": {"a": {"type": "keyword"}}}), [("1", json!({"a": "x"}))]);
    let server = TestServer::builder()
        .catalogues(catalogues)
        .limits(|limits| {
            limits.max_exports = 1;
            limits.trusted_proxies = "127.0.0.1".parse().unwrap();
        })
        .start()
        .await;
    fill(&server).await;
    let request = json!({"files": [{"fileName": "f", "fileType": "json", "columns": [{"fieldName": "a"}]}]});
    for _ in 0..20 {
        server.post("/download", &request).await.assert_status(200);
    }
    let _running = begin(&server, "192.0.2.1").await;
    let answer = server.post("/download", &request).await;
    answer.assert_status(503);
    assert_eq!(answer.json()["errors"][0]["extensions"]["code"], "SERVICE_UNAVAILABLE");
}
