//! `/isAlive` and `/actuator/health`

use cantata_testkit::TestServer;
use http::Method;

#[tokio::test]
async fn the_server_says_that_it_is_there() {
    let server = TestServer::start().await;
    let response = server.get("/isAlive").await;
    response.assert_text(200, "true");
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    server.get("/actuator/health").await.assert_text(200, r#"{"status":"UP"}"#);
}

#[tokio::test]
async fn a_head_is_a_get_without_its_body() {
    let server = TestServer::start().await;
    for path in ["/isAlive", "/schemas", "/studies/all", "/studies/none"] {
        let whole = server.get(path).await;
        let head = server.send(Method::HEAD, path, &[], None).await;
        assert_eq!(head.status, whole.status, "{path}");
        assert_eq!(head.header("content-type"), whole.header("content-type"), "{path}");
        assert!(head.body.is_empty(), "{path}");
    }
}
