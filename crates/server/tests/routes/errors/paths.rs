//! Paths and methods that are not there.

use cantata_testkit::TestServer;
use http::Method;

const ORIGIN: &str = "HttpServer";

#[tokio::test]
async fn paths_that_are_not_there() {
    let server = TestServer::start().await;
    for path in [
        "/nope",
        "/schemas/a/b",
        "/studies",
        "/studies/",
        "/submit",
        "/submit/S/batch/x",
        "/upload/S",
        "/studies/S/all",
        "/studies/S/donors/1",
        "/studies/S/analysis/search/info",
        "/export",
        "/export/analysis",
        "/entities/a/b",
        "/v2/api-docs",
        "/isalive",
        "/isAlive/x",
        "/actuator",
    ] {
        let shown = path.strip_suffix('/').unwrap_or(path);
        let text = format!("There is nothing at '{shown}'; GET /docs shows every path");
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let response = server.send(method, path, &[], None).await;
            response.assert_error(404, ORIGIN, "path.not.found", &text);
        }
    }
}

#[tokio::test]
async fn one_slash_at_the_end_is_not_minded() {
    let server = TestServer::start().await;
    server.create_study("S").await;
    for path in ["/isAlive/", "/schemas/", "/schemas/variantCall/", "/studies/all/", "/studies/S/", "/entities/?size=1"]
    {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
    for path in ["//isAlive", "/studies//S", "/studies/S//"] {
        server.get(path).await.assert_error_id(404, "path.not.found");
    }
    server.get("/studies//analysis").await.assert_status(404);
}

#[tokio::test]
async fn methods_that_a_path_does_not_take() {
    let server = TestServer::start().await;
    for (method, path, allowed) in [
        (Method::DELETE, "/schemas", ["GET", "POST"].as_slice()),
        (Method::PUT, "/studies/all", &["GET"]),
        (Method::GET, "/submit/S", &["POST"]),
        (Method::POST, "/studies/S/files/x", &["GET", "PUT", "DELETE"]),
        (Method::POST, "/isAlive", &["GET"]),
        (Method::OPTIONS, "/schemas", &["GET", "POST"]),
        (Method::TRACE, "/schemas", &["GET", "POST"]),
        (Method::from_bytes(b"BREW").unwrap(), "/schemas", &["GET", "POST"]),
        (Method::from_bytes(b"get").unwrap(), "/schemas", &["GET", "POST"]),
    ] {
        let response = server.send(method.clone(), path, &[], None).await;
        let text = format!("'{path}' does not take {method}; the Allow header lists the methods that it takes");
        response.assert_error(405, ORIGIN, "method.not.allowed", &text);
        let listed: Vec<&str> = response.header("allow").unwrap().split(',').map(str::trim).collect();
        assert!(allowed.iter().all(|method| listed.contains(method)), "{path}: {listed:?}");
        assert!(!listed.contains(&method.as_str()), "{path}: {listed:?}");
    }
}

#[tokio::test]
async fn a_browser_of_another_origin_is_told_nothing() {
    let server = TestServer::start().await;
    let headers = [("origin", "http://elsewhere"), ("access-control-request-method", "POST")];
    let preflight = server.send(Method::OPTIONS, "/schemas", &headers, None).await;
    preflight.assert_status(405);
    let response = server.send(Method::GET, "/schemas", &headers, None).await;
    for response in [preflight, response] {
        assert!(response.headers.keys().all(|name| !name.as_str().starts_with("access-control")), "{response:?}");
    }
}
