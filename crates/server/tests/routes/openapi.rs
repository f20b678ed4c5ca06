//! `/openapi.json` and `/docs`: the document has every route, and the page needs nothing from elsewhere.

use std::collections::BTreeSet;

use cantata_testkit::TestServer;
use http::Method;
use serde_json::Value;

/// Every route there must be, written down by hand.
const ROUTES: [(&str, &str); 56] = [
    ("GET", "/isAlive"),
    ("GET", "/actuator/health"),
    ("POST", "/schemas"),
    ("GET", "/schemas"),
    ("GET", "/schemas/registration"),
    ("GET", "/schemas/{name}"),
    ("GET", "/schemas/{name}/template"),
    ("POST", "/submit/{studyId}"),
    ("POST", "/submit/{studyId}/batch"),
    ("POST", "/sheets/{studyId}"),
    ("POST", "/studies/{studyId}"),
    ("GET", "/studies/all"),
    ("GET", "/studies/{studyId}"),
    ("GET", "/studies/{studyId}/analysis"),
    ("GET", "/studies/{studyId}/analysis/paginated"),
    ("GET", "/studies/{studyId}/analysis/{analysisId}"),
    ("GET", "/studies/{studyId}/analysis/{analysisId}/files"),
    ("PUT", "/studies/{studyId}/analysis/{analysisId}"),
    ("PATCH", "/studies/{studyId}/analysis/{analysisId}"),
    ("PUT", "/studies/{studyId}/analysis/publish/{analysisId}"),
    ("PUT", "/studies/{studyId}/analysis/unpublish/{analysisId}"),
    ("PUT", "/studies/{studyId}/analysis/suppress/{analysisId}"),
    ("GET", "/studies/{studyId}/analysis/search/id"),
    ("POST", "/studies/{studyId}/analysis/search/id"),
    ("GET", "/studies/{studyId}/files/{objectId}"),
    ("PUT", "/studies/{studyId}/files/{objectId}"),
    ("DELETE", "/studies/{studyId}/files/{objectId}"),
    ("GET", "/export/analysis/{analysisIds}"),
    ("GET", "/export/studies/{studyId}"),
    ("GET", "/entities/{id}"),
    ("GET", "/entities"),
    ("GET", "/events"),
    ("GET", "/admin/indexes"),
    ("GET", "/admin/indexes/{name}"),
    ("PUT", "/admin/indexes/{name}"),
    ("DELETE", "/admin/indexes/{name}"),
    ("GET", "/admin/indexes/{name}/mapping"),
    ("POST", "/admin/indexes/{name}/compact"),
    ("POST", "/admin/indexes/{name}/verify"),
    ("POST", "/admin/indexes/{name}/import"),
    ("GET", "/admin/indexes/{name}/import"),
    ("DELETE", "/admin/indexes/{name}/import"),
    ("GET", "/admin/keys"),
    ("POST", "/admin/keys"),
    ("DELETE", "/admin/keys/{id}"),
    ("DELETE", "/admin/sessions/{person}"),
    ("GET", "/auth/sign-in"),
    ("GET", "/auth/callback"),
    ("GET", "/auth/session"),
    ("POST", "/auth/sign-out"),
    ("GET", "/auth/keys"),
    ("POST", "/auth/keys"),
    ("DELETE", "/auth/keys/{id}"),
    ("GET", "/metrics"),
    ("POST", "/mcp"),
    ("HEAD", "/isAlive"),
];

fn documented(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().unwrap();
    let operations = |(path, item): (&String, &Value)| -> Vec<(String, String)> {
        item.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())).collect()
    };
    paths.iter().flat_map(operations).collect()
}

/// Fills in the variable segments.
fn example(template: &str) -> String {
    let fill = |segment: &str| if segment.starts_with('{') { "x1".to_owned() } else { segment.to_owned() };
    template.split('/').map(fill).collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn the_document_has_every_route_and_no_other() {
    let server = TestServer::start().await;
    let document = server.get("/openapi.json").await.ok();
    let expected: BTreeSet<(String, String)> = ROUTES
        .iter()
        .filter(|(method, _)| *method != "HEAD")
        .map(|(method, path)| ((*method).to_owned(), (*path).to_owned()))
        .collect();
    assert_eq!(documented(&document), expected);
}

#[tokio::test]
async fn every_route_answers_and_every_other_method_is_refused() {
    let server = TestServer::start().await;
    let document = server.get("/openapi.json").await.ok();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let query = if path == "/events" { "?follow=false" } else { "" };
            let target = format!("{}{query}", example(path));
            let response = server.send(method.clone(), &target, &[], None).await;
            let error_id = if response.status >= 400 { response.json()["errorId"].clone() } else { Value::Null };
            if item.get(method.as_str().to_lowercase()).is_some() {
                assert_ne!(error_id, "path.not.found", "{method} {path}");
                assert_ne!(error_id, "method.not.allowed", "{method} {path}");
            } else {
                assert_eq!(error_id, "method.not.allowed", "{method} {path}");
                let allowed: BTreeSet<&str> = response.header("allow").unwrap().split(',').map(str::trim).collect();
                let listed: BTreeSet<String> =
                    item.as_object().unwrap().keys().map(|name| name.to_uppercase()).collect();
                assert!(listed.iter().all(|name| allowed.contains(name.as_str())), "{path}: {allowed:?}");
                assert!(!allowed.contains(method.as_str()), "{path}: {allowed:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_document_is_openapi_3_1_and_whole() {
    let server = TestServer::start().await;
    let response = server.get("/openapi.json").await;
    assert_eq!(response.header("content-type"), Some("application/json"));
    let document = response.ok();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    let shapes = document["components"]["schemas"].as_object().unwrap();
    for reference in references(&document) {
        let name = reference.strip_prefix("#/components/schemas/").unwrap();
        assert!(shapes.contains_key(name), "{reference}");
    }
    for (method, path) in documented(&document) {
        let operation = &document["paths"][&path][method.to_lowercase()];
        assert!(operation["summary"].is_string(), "{method} {path} has no summary");
        let ids: Vec<&str> = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
        for id in ids {
            let described = parameters.iter().any(|parameter| parameter["name"] == id && parameter["in"] == "path");
            assert!(described, "{method} {path} does not describe {id}");
        }
    }
}

fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => vec![],
    }
}

#[tokio::test]
async fn the_page_shows_the_document_without_any_other_host() {
    let server = TestServer::start().await;
    for path in ["/", "/docs", "/docs/"] {
        let redirect = server.get(path).await;
        assert_eq!(redirect.status, 307, "{path}");
        assert!(redirect.header("location").unwrap().starts_with("/docs"), "{path}: {redirect:?}");
    }
    assert_eq!(server.get("/docs").await.header("location"), Some("/docs/index.html"));
    let page = server.get("/docs/index.html").await;
    page.assert_status(200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"), "{:?}", page.headers);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'; script-src 'self';") && policy.contains("frame-ancestors 'none'"));
    assert!(!page.text().contains("<script>") && !page.text().contains("<style>"), "the policy allows none of it");
    let assets = asset_names(page.text());
    assert!(assets.iter().any(|name| name.ends_with(".js")) && assets.iter().any(|name| name.ends_with(".css")));
    let mut whole = page.text().to_owned();
    for name in &assets {
        assert!(!name.contains("//"), "'{name}' is on another host");
        let asset = server.get(&format!("/docs/{}", name.trim_start_matches("./"))).await;
        assert_eq!(asset.status, 200, "{name}");
        assert!(!asset.body.is_empty(), "{name}");
        if name.contains("initializer") {
            whole.push_str(asset.text());
        }
    }
    assert!(whole.contains("/openapi.json"), "the page does not load the document");
    for outside in ["unpkg", "cdn.", "validator.swagger.io", "petstore"] {
        assert!(!whole.contains(outside), "the page mentions {outside}");
    }
    let missing = server.get("/docs/none.js").await;
    missing.assert_error(404, "HttpServer", "path.not.found", "There is nothing at '/docs/none.js'");
    let climbing = server.get("/docs/..%2f..%2fCargo.toml").await;
    climbing.assert_error_id(404, "path.not.found");
}

/// Returns what the page loads.
fn asset_names(page: &str) -> Vec<String> {
    let mut names = Vec::new();
    for attribute in ["src=\"", "href=\""] {
        for part in page.split(attribute).skip(1) {
            names.push(part.split('"').next().unwrap().to_owned());
        }
    }
    names
}
