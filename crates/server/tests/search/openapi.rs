//! The routes of the search service in `/openapi.json`.

use std::collections::BTreeSet;

use cantata_testkit::TestServer;
use http::Method;
use serde_json::{Value, json};

use crate::support::{flat, server};

/// Every route there must be, written down by hand.
const ROUTES: [(&str, &str); 18] = [
    ("GET", "/ping"),
    ("GET", "/ready"),
    ("GET", "/.well-known/apollo/server-health"),
    ("GET", "/introspection"),
    ("GET", "/introspection/sqon"),
    ("GET", "/introspection/fields"),
    ("GET", "/introspection/{catalogue}"),
    ("GET", "/{catalogue}/introspection"),
    ("GET", "/graphql"),
    ("POST", "/graphql"),
    ("GET", "/{catalogue}/graphql"),
    ("POST", "/{catalogue}/graphql"),
    ("GET", "/download"),
    ("POST", "/download"),
    ("GET", "/{catalogue}/download"),
    ("POST", "/{catalogue}/download"),
    ("POST", "/admin/catalogues/{catalogue}/reload"),
    ("PUT", "/admin/catalogues/{catalogue}/display"),
];

fn of_search(document: &Value) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation["tags"] == json!(["Search"]) {
                assert!(operation["summary"].is_string(), "{method} {path}");
                found.insert((method.to_uppercase(), path.clone()));
            }
        }
    }
    found
}

#[tokio::test]
async fn the_document_has_every_route_of_the_search_service() {
    let document = server().await.get("/openapi.json").await.ok();
    let expected = ROUTES.iter().map(|(method, path)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(of_search(&document), expected);
    assert!(document["tags"].as_array().unwrap().iter().any(|tag| tag["name"] == "Search"));
    for (method, path) in ROUTES {
        let parameters = document["paths"][path][method.to_lowercase()]["parameters"].as_array().cloned();
        let describes = parameters.unwrap_or_default().iter().any(|parameter| parameter["name"] == "catalogue");
        assert_eq!(describes, path.contains("{catalogue}"), "{method} {path}");
    }
}

#[tokio::test]
async fn the_document_has_the_header_of_downloads_that_are_cut() {
    let document = server().await.get("/openapi.json").await.ok();
    for path in ["/download", "/{catalogue}/download"] {
        let header = &document["paths"][path]["post"]["responses"]["200"]["headers"]["X-Row-Limit"];
        assert!(header["description"].is_string(), "{path}: {header}");
    }
}

#[tokio::test]
async fn the_document_has_every_form_of_a_download() {
    let document = server().await.get("/openapi.json").await.ok();
    for (path, method, forms) in [
        ("/download", "get", 7),
        ("/{catalogue}/download", "get", 7),
        ("/download", "post", 8),
        ("/{catalogue}/download", "post", 8),
    ] {
        let responses = &document["paths"][path][method]["responses"];
        let content = responses["200"]["content"].as_object().unwrap();
        assert_eq!(content.len(), forms, "{method} {path}: {content:?}");
        assert_eq!(content["text/csv"], json!({"schema": {"type": "string"}}));
        assert_eq!(content["application/json"], json!({"schema": {"type": "array", "items": {"type": "object"}}}));
        let refusal = &responses["default"]["content"]["application/json"]["schema"];
        assert_eq!(*refusal, json!({"$ref": "#/components/schemas/SearchRefusal"}));
    }
    assert!(document["components"]["schemas"]["SearchRefusal"].is_object());
}

#[tokio::test]
async fn chosen_paths_are_described_as_chosen() {
    let builder = TestServer::builder().health_paths("/live", "/usable");
    let server = builder.catalogues(flat(json!({}))).start().await;
    let document = server.get("/openapi.json").await.ok();
    assert!(document["paths"]["/live"]["get"].is_object() && document["paths"]["/usable"]["get"].is_object());
    assert_eq!((document["paths"].get("/ping"), document["paths"].get("/ready")), (None, None));
}

#[tokio::test]
async fn other_methods_are_refused_with_those_allowed() {
    let server = server().await;
    for (path, allowed) in [
        ("/graphql", "GET,HEAD,POST"),
        ("/graphql/Arranger-Table", "GET,HEAD,POST"),
        ("/file/graphql", "GET,HEAD,POST"),
        ("/introspection", "GET,HEAD"),
        ("/download", "GET,HEAD,POST"),
        ("/admin/catalogues/x/reload", "POST"),
    ] {
        for method in [Method::PUT, Method::PATCH, Method::DELETE] {
            let answer = server.send(method.clone(), path, &[], None).await;
            answer.assert_error_id(405, "method.not.allowed");
            assert_eq!(answer.header("allow"), Some(allowed), "{method} {path}");
        }
    }
}
