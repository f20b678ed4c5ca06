//! Validates responses against the OpenAPI document.
//!
//! A response passes when its path and method are in the document, its status is listed there (or covered by
//! `default`), its content type is one that is listed, and its JSON follows the schema. Objects may not have members
//! that the document does not name, except where it says that they go on. Paths and methods that are not in the
//! document must be refused with the error for exactly that. Every error has the one error body, but for the routes
//! of the search service, whose errors the document describes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use http::Method;
use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use crate::TestResponse;

/// The shapes that are open: what follows depends on an analysis type.
const OPEN_SHAPES: [&str; 4] = ["Analysis", "AnalysisPayload", "AnalysisUpdate", "StudyRequest"];

/// The tag of the routes of the search service.
const SEARCH: &str = "Search";

/// The members of the error body, in their order.
const ERROR_MEMBERS: [&str; 9] = [
    "errorId",
    "httpStatusCode",
    "httpStatusName",
    "requestUrl",
    "datetime",
    "timestamp",
    "message",
    "debugMessage",
    "stackTrace",
];

/// The document, ready for checking.
pub(crate) struct Contract {
    document: Value,
    components: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Contract {
    /// Returns the contract of a server; servers with the same document share it.
    pub(crate) async fn of(http: &reqwest::Client, base: &str) -> Arc<Self> {
        static CONTRACTS: LazyLock<Mutex<HashMap<String, Arc<Contract>>>> = LazyLock::new(Mutex::default);
        let text = http.get(format!("{base}/openapi.json")).send().await.unwrap().text().await.unwrap();
        let mut contracts = CONTRACTS.lock().unwrap();
        let make = || Arc::new(Self::new(serde_json::from_str(&text).unwrap()));
        Arc::clone(contracts.entry(text.clone()).or_insert_with(make))
    }

    fn new(document: Value) -> Self {
        let mut components = document["components"].clone();
        for (name, shape) in components["schemas"].as_object_mut().unwrap() {
            let is_object = shape.get("properties").is_some();
            if is_object && !OPEN_SHAPES.contains(&name.as_str()) {
                shape["additionalProperties"] = json!(false);
            }
        }
        Self { document, components, validators: Mutex::default() }
    }

    /// Returns the template in the document that a path belongs to; fixed segments win over variable ones.
    fn template_of(&self, path: &str) -> Option<&str> {
        let path = path.split('?').next().unwrap();
        let path = described_path(path.strip_suffix('/').unwrap_or(path));
        let segments: Vec<&str> = path.split('/').collect();
        let templates = self.document["paths"].as_object().unwrap().keys();
        templates
            .filter(|template| {
                let parts: Vec<&str> = template.split('/').collect();
                parts.len() == segments.len()
                    && parts
                        .iter()
                        .zip(&segments)
                        .all(|(part, segment)| part == segment || (part.starts_with('{') && !segment.is_empty()))
            })
            .min_by_key(|template| template.matches('{').count())
            .map(String::as_str)
    }

    /// Panics if the document does not describe a response.
    #[track_caller]
    pub(crate) fn check(&self, method: &Method, path: &str, response: &TestResponse) {
        let context = format!("{method} {path} -> {} {}", response.status, String::from_utf8_lossy(&response.body));
        // The document describes the service, not what belongs to the pages for people.
        let is_for_people = ["/docs", "/assets/"].iter().any(|pages| path.starts_with(pages));
        // This compatibility layer is described by the documentation of Elasticsearch.
        if path == "/_es" || path.starts_with("/_es/") {
            return;
        }
        // A message that cannot be read is answered as JSON-RPC says.
        if path == "/mcp" && response.status == 400 && response.json().get("jsonrpc").is_some() {
            return;
        }
        let is_page = *method != Method::POST && ["/", "/favicon.ico"].contains(&path);
        if is_for_people || is_page || path == "/openapi.json" {
            return;
        }
        let Some(template) = self.template_of(path) else {
            check_error_body(method, response, &context);
            assert_eq!(response.status, 404, "{context}: a path that is not in the document");
            return;
        };
        // Every GET can be asked for its head only.
        let documented = if *method == Method::HEAD { Method::GET } else { method.clone() };
        let Some(operation) = self.document["paths"][template].get(documented.as_str().to_lowercase()) else {
            check_error_body(method, response, &context);
            assert_eq!(response.status, 405, "{context}: a method that is not in the document");
            return;
        };
        let is_search = operation["tags"] == json!([SEARCH]);
        // A page of another site is turned away before it matters what it asks for.
        if is_search && response.status == 403 {
            return;
        }
        if !is_search {
            check_error_body(method, response, &context);
        }
        let responses = &operation["responses"];
        let status = response.status.to_string();
        let listed = if responses.get(&status).is_some() { status.as_str() } else { "default" };
        let described =
            responses.get(listed).unwrap_or_else(|| panic!("{context}: a status that is not in the document"));
        let Some(content) = described.get("content") else { return };
        let content_type = response.header("content-type").unwrap_or_default();
        let media_type = content_type.split(';').next().unwrap();
        let media = content.get(content_type).or_else(|| content.get(media_type));
        let media = media.unwrap_or_else(|| panic!("{context}: content type '{content_type}'"));
        if media_type == "application/json" && *method != Method::HEAD {
            let validator = self.validator(&format!("{documented} {template} {listed}"), &media["schema"]);
            let body = response.json();
            let errors: Vec<String> =
                validator.iter_errors(&body).map(|error| format!("{} at '{}'", error, error.instance_path())).collect();
            assert!(errors.is_empty(), "{context}: not as the document says: {errors:?}");
        }
    }

    fn validator(&self, name: &str, schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let build = || {
            let whole = json!({"allOf": [schema], "components": self.components});
            Arc::new(
                jsonschema::options()
                    .with_draft(Draft::Draft202012)
                    .should_validate_formats(true)
                    .should_ignore_unknown_formats(true)
                    .build(&whole)
                    .unwrap(),
            )
        };
        Arc::clone(validators.entry(name.to_owned()).or_insert_with(build))
    }
}

/// Returns the path under which the document describes a path: what portals add to the addresses of GraphQL is not in
/// it, nor that they may leave out the rest.
fn described_path(path: &str) -> &str {
    let is_tag = |tag: &str| tag.starts_with("Arranger-") && !tag.contains('/');
    match path.find("/graphql/") {
        _ if path.strip_prefix('/').is_none_or(is_tag) => "/graphql",
        Some(index) => &path[..index + "/graphql".len()],
        None => path,
    }
}

/// Requires that an error has the one error body.
#[track_caller]
fn check_error_body(method: &Method, response: &TestResponse, context: &str) {
    if response.status < 400 || *method == Method::HEAD {
        return;
    }
    assert_eq!(response.header("content-type"), Some("application/json"), "{context}");
    let body = response.json();
    let members: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(members, ERROR_MEMBERS, "{context}");
    assert_eq!(body["httpStatusCode"], response.status, "{context}");
    let name = http::StatusCode::from_u16(response.status).unwrap().canonical_reason().unwrap();
    assert_eq!(body["httpStatusName"], name.to_uppercase().replace([' ', '-'], "_"), "{context}");
    let (error_id, message) = (body["errorId"].as_str().unwrap(), body["message"].as_str().unwrap());
    assert!(message.contains(&format!("::{error_id}] - ")), "{context}: {message}");
    assert_eq!(body["debugMessage"], "N/A", "{context}");
    assert_eq!(body["stackTrace"], json!([]), "{context}");
}
