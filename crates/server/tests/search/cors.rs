//! Pages of other sites.

use cantata_testkit::{TestResponse, TestServer, raw};
use http::Method;
use serde_json::json;

use crate::support::{flat, server};

const LISTED: &str = "https://portal.example";
const OTHER: &str = "https://other.example";
const QUERY: &[u8] = b"{\"query\":\"{ file { hits { total } } }\"}";

async fn limited() -> TestServer {
    let builder = TestServer::builder().allowed_origins([LISTED, "http://localhost:3000"]);
    builder.catalogues(flat(json!({}))).start().await
}

async fn post(server: &TestServer, origin: &str) -> TestResponse {
    server.send(Method::POST, "/graphql", &[("origin", origin)], Some(QUERY.to_vec())).await
}

async fn preflight(server: &TestServer, origin: &str) -> TestResponse {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,x-own"),
    ];
    server.send(Method::OPTIONS, "/", &headers, None).await
}

#[tokio::test]
async fn without_a_list_every_page_may() {
    let server = server().await;
    let answer = post(&server, OTHER).await;
    answer.assert_status(200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let asked = preflight(&server, OTHER).await;
    asked.assert_status(204);
    assert_eq!(asked.header("access-control-allow-origin"), Some("*"));
    assert_eq!(asked.header("access-control-allow-headers"), Some("content-type,x-own"));
    assert!(asked.header("access-control-allow-methods").unwrap().contains("POST"));
    for path in ["/graphql/Arranger-Table", "/mine/graphql", "/introspection", "/download", "/Arranger-Table"] {
        let request =
            raw::request("OPTIONS", path.as_bytes(), &["origin: http://a", "access-control-request-method: POST"], b"");
        assert_eq!(raw::exchange(server.address(), &request).await.unwrap().status, 204, "{path}");
    }
    // Errors must be readable by the page too.
    let wrong = server.send(Method::POST, "/graphql", &[("origin", OTHER)], Some(b"{".to_vec())).await;
    wrong.assert_status(400);
    assert_eq!(wrong.header("access-control-allow-origin"), Some("*"));
}

#[tokio::test]
async fn with_a_list_only_pages_on_it_may() {
    let server = limited().await;
    for origin in [LISTED, "http://localhost:3000"] {
        let answer = post(&server, origin).await;
        answer.assert_status(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert!(answer.header("vary").unwrap().split(',').any(|name| name.trim().eq_ignore_ascii_case("origin")));
        let asked = preflight(&server, origin).await;
        asked.assert_status(204);
        assert_eq!(asked.header("access-control-allow-origin"), Some(origin));
    }
    for origin in
        [OTHER, "http://portal.example", "https://portal.example.evil", "https://portal.example:444", "null", ""]
    {
        for answer in [post(&server, origin).await, preflight(&server, origin).await] {
            answer.assert_status(403);
            assert!(answer.json()["error"].as_str().unwrap().contains("ALLOWED_CORS_ORIGINS"));
            assert_eq!(answer.header("access-control-allow-origin"), None);
            assert_eq!(answer.header("vary"), Some("Origin"), "a cache must not give this to a page that may");
        }
        for path in ["/introspection", "/ping", "/isAlive", "/docs/index.html"] {
            let request = raw::request("GET", path.as_bytes(), &[&format!("origin: {origin}")], b"");
            let answer = raw::exchange(server.address(), &request).await.unwrap();
            assert_eq!(answer.status, 403, "{path}");
        }
    }
}

#[tokio::test]
async fn the_servers_own_pages_and_programs_are_not_concerned() {
    let server = limited().await;
    let own = format!("http://{}", server.address());
    post(&server, &own).await.assert_status(200);
    let program = server.send(Method::POST, "/graphql", &[], Some(QUERY.to_vec())).await;
    program.assert_status(200);
    assert_eq!(program.header("access-control-allow-origin"), None);
    // A cache must not give a page what it gave a program.
    assert!(program.header("vary").unwrap().split(',').any(|name| name.trim().eq_ignore_ascii_case("origin")));
}

#[tokio::test]
async fn without_a_list_pages_may_search_but_not_change_metadata() {
    let server = server().await;
    for path in
        ["/studies/S", "/studies/graphql", "/submit/download", "/schemas", "/admin/indexes", "/docs/introspection"]
    {
        let request =
            raw::request("OPTIONS", path.as_bytes(), &["origin: http://a", "access-control-request-method: PUT"], b"");
        let answer = raw::exchange(server.address(), &request).await.unwrap();
        assert!(answer.status >= 400, "{path}: {}", answer.status);
        assert!(!answer.head.to_lowercase().contains("access-control-allow"), "{path}: {}", answer.head);
    }
}

/// A browser sends a POST without a content type, or with that of a form, without asking whether it may.
#[tokio::test]
async fn without_a_list_pages_cannot_change_anything_by_requests_that_browsers_just_send() {
    let server = server().await;
    let study = br#"{"studyId":"S"}"#;
    let post = async |path: &str, headers: &[&str], body: &[u8]| {
        raw::exchange(server.address(), &raw::request("POST", path.as_bytes(), headers, body)).await.unwrap().status
    };
    for (path, body) in [
        ("/studies/S", &study[..]),
        ("/submit/S", b"{}"),
        ("/schemas", b"{}"),
        ("/admin/catalogues/mine/reload", b""),
        ("/_es/_bulk", b"{\"index\":{\"_index\":\"x\"}}\n{}\n"),
        ("/mcp", b"{}"),
    ] {
        for origin in [OTHER, "null", "http://localhost.evil.example", "http://localhost:1"] {
            assert_eq!(post(path, &[&format!("origin: {origin}")], body).await, 403, "{path} {origin}");
        }
    }
    assert_eq!(server.get("/studies/all").await.ok(), json!([]));
    // Its own pages, and programs, may; and whatever cannot change anything is not concerned.
    assert_eq!(post("/studies/S", &["origin: http://localhost"], study).await, 200);
    assert_eq!(post("/studies/S", &[], study).await, 409);
    // A proxy may have asked for the server by another name than the browser did.
    let behind_proxy = |site: &str| [format!("origin: {OTHER}"), format!("sec-fetch-site: {site}")];
    for (site, status) in [("same-origin", 409), ("same-site", 403), ("cross-site", 403), ("none", 403)] {
        let [origin, site] = &behind_proxy(site);
        assert_eq!(post("/studies/S", &[origin, site], study).await, status, "{site}");
    }
    server.send(Method::GET, "/studies/all", &[("origin", OTHER)], None).await.assert_status(200);
}

/// Sends a request that asks for the server by a name.
async fn by_name(server: &TestServer, method: &str, path: &str, host: &str, headers: &[&str]) -> u16 {
    let body = if method == "POST" { QUERY } else { &QUERY[..0] };
    let request = String::from_utf8(raw::request(method, path.as_bytes(), headers, body)).unwrap();
    let request = request.replace("host: localhost", &format!("host: {host}"));
    raw::exchange(server.address(), request.as_bytes()).await.unwrap().status
}

/// An attacker lets a name of their own resolve to the server, so that a browser takes their page for the server's own.
#[tokio::test]
async fn a_page_is_not_the_servers_own_because_its_name_leads_there() {
    const EVIL: &str = "evil.example:5050";
    let same_origin = ["origin: http://evil.example:5050", "sec-fetch-site: same-origin"];
    let listed = limited().await;
    for headers in [&same_origin[..1], &same_origin] {
        assert_eq!(by_name(&listed, "POST", "/graphql", EVIL, headers).await, 403, "{headers:?}");
        assert_eq!(by_name(&server().await, "POST", "/studies/S", EVIL, headers).await, 403, "{headers:?}");
    }
    // Names that nobody can point elsewhere, and names of allowed origins, are the server's.
    for host in ["localhost:80", "app.localhost", "192.0.2.7:5050", "[::1]:5050", "portal.example", "Portal.Example:1"]
    {
        let origin = format!("origin: http://{host}");
        assert_eq!(by_name(&listed, "POST", "/graphql", host, &[&origin]).await, 200, "{host}");
    }
    // A page that may is not asked by which name it knows the server.
    assert_eq!(by_name(&listed, "POST", "/graphql", "api.example", &["origin: https://portal.example"]).await, 200);
}

#[tokio::test]
async fn a_server_with_a_public_address_is_asked_for_by_it() {
    let builder = TestServer::builder().public_url("https://cantata.example").allowed_hosts("cantata.default.svc");
    let server = builder.catalogues(flat(json!({}))).start().await;
    for host in ["cantata.example", "Cantata.Example:443", "127.0.0.1:5050", "localhost", "Cantata.default.svc:5050"] {
        assert_eq!(by_name(&server, "GET", "/studies/all", host, &[]).await, 200, "{host}");
    }
    for host in ["evil.example", "cantata.example.evil.example", "cantata", "xcantata.example"] {
        assert_eq!(by_name(&server, "GET", "/studies/all", host, &[]).await, 403, "{host}");
        assert_eq!(by_name(&server, "POST", "/graphql", host, &["origin: https://evil.example"]).await, 403, "{host}");
    }
    // An orchestrator asks how the server is by whatever name it has for it.
    for path in ["/isAlive", "/actuator/health", "/ping", "/ready"] {
        assert_eq!(by_name(&server, "GET", path, "pod-7.node.internal", &[]).await, 200, "{path}");
    }
    // A proxy may ask by another name for what a page of the public address wants.
    assert_eq!(by_name(&server, "POST", "/graphql", "backend:5050", &["origin: https://cantata.example"]).await, 200);
    assert_ne!(by_name(&server, "POST", "/studies/S", "backend:5050", &["origin: https://cantata.example"]).await, 403);
}
