//! The page for browsers, and its files.

use http::Method;
use serde_json::json;

use crate::support::{server, server_with};

const HTML: (&str, &str) = ("accept", "text/html,application/xhtml+xml,*/*;q=0.8");

#[tokio::test]
async fn browsers_get_a_page_that_needs_nothing_from_elsewhere() {
    let server = server().await;
    for path in ["/graphql", "/graphql/", "/file/graphql", "/graphql/Arranger-Table"] {
        let page = server.send(Method::GET, path, &[HTML], None).await;
        page.assert_status(200);
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
        let policy = page.header("content-security-policy").unwrap();
        for directive in ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.split("; ").any(|given| given == directive), "{path}: {directive} is not in {policy}");
        }
    }
    let page = server.send(Method::GET, "/graphql", &[HTML], None).await;
    let assets: Vec<&str> =
        page.text().split('"').filter(|part| part.ends_with(".js") || part.ends_with(".css")).collect();
    assert_eq!(assets.len(), 2, "{}", page.text());
    for asset in assets {
        assert!(asset.starts_with("/assets/graphiql/"), "{asset}");
        let file = server.get(asset).await;
        file.assert_status(200);
        assert!(!file.body.is_empty());
        assert!(file.header("cache-control").unwrap().contains("immutable"), "{asset}");
    }
    assert!(!page.text().contains("https://"), "{}", page.text());
    server.get("/assets/graphiql/none.js").await.assert_status(404);
    server.get("/assets/graphiql/..%2f..%2fCargo.toml").await.assert_status(404);
}

#[tokio::test]
async fn a_query_in_the_address_is_run_for_browsers_too() {
    let server = server().await;
    let answer = server.send(Method::GET, "/graphql?query=%7B__typename%7D", &[HTML], None).await;
    assert_eq!(answer.ok(), json!({"data": {"__typename": "Root"}}));
}

#[tokio::test]
async fn the_page_can_be_switched_off() {
    let server = server_with(json!({"disablePlayground": true})).await;
    server.send(Method::GET, "/graphql", &[HTML], None).await.assert_text(400, "GET query missing.");
}
