//! Every route of the document, without a credential, with a weak one and with a strong one.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Guarded, assert_forbidden, assert_unauthorized};

/// What needs nothing, ever.
const FOR_EVERYBODY: [&str; 9] = [
    "/isAlive",
    "/actuator/health",
    "/ping",
    "/ready",
    "/.well-known/apollo/server-health",
    "/auth/sign-in",
    "/auth/callback",
    "/auth/session",
    "/auth/sign-out",
];

/// What may be read with any credential, where reading is closed; of studies, those that it allows to read.
const WITH_ANY: [&str; 21] = [
    "GET /schemas",
    "GET /schemas/registration",
    "GET /schemas/{name}",
    "GET /schemas/{name}/template",
    "GET /studies/all",
    "GET /export/analysis/{analysisIds}",
    "GET /entities",
    "GET /entities/{id}",
    "GET /events",
    "GET /introspection",
    "GET /introspection/sqon",
    "GET /introspection/fields",
    "GET /introspection/{catalogue}",
    "GET /{catalogue}/introspection",
    "GET /graphql",
    "POST /graphql",
    "GET /{catalogue}/graphql",
    "POST /{catalogue}/graphql",
    "GET /download",
    "POST /download",
    "POST /mcp",
];

/// What changes nothing though it is a POST.
const READING: [&str; 1] = ["POST /studies/{studyId}/analysis/search/id"];

struct Route {
    method: Method,
    template: String,
    needs_credential: bool,
}

impl Route {
    fn name(&self) -> String {
        format!("{} {}", self.method, self.template)
    }

    fn path(&self) -> String {
        let fill = |segment: &str| if segment.starts_with('{') { "x1".to_owned() } else { segment.to_owned() };
        let path = self.template.split('/').map(fill).collect::<Vec<_>>().join("/");
        if path.ends_with("/events") { format!("{path}?follow=false") } else { path }
    }

    fn is_for_everybody(&self) -> bool {
        FOR_EVERYBODY.contains(&self.template.as_str())
    }

    /// Returns whether it is for people who have signed in.
    fn is_of_person(&self) -> bool {
        self.template.starts_with("/auth/keys")
    }

    fn is_with_any(&self) -> bool {
        WITH_ANY.contains(&self.name().as_str()) || self.template == "/{catalogue}/download"
    }

    fn reads(&self) -> bool {
        let is_for_operators = self.template.starts_with("/admin/") || self.template == "/metrics";
        let is_reading = self.method == Method::GET && !is_for_operators && !self.is_of_person();
        is_reading || self.is_with_any() || READING.contains(&self.name().as_str())
    }
}

async fn routes(guarded: &Guarded) -> Vec<Route> {
    let document = guarded.get("/openapi.json", "").await.ok();
    let mut routes = Vec::new();
    for (template, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let ways = operation["security"].as_array().cloned().unwrap_or_default();
            let needs_credential = !ways.is_empty() && !ways.contains(&json!({}));
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            routes.push(Route { method, template: template.clone(), needs_credential });
        }
    }
    assert!(routes.len() > 50);
    routes
}

async fn send(guarded: &Guarded, route: &Route, credential: &str) -> cantata_testkit::TestResponse {
    let body = (route.method != Method::GET).then(|| json!({}));
    guarded.send(route.method.clone(), &route.path(), credential, body.as_ref()).await
}

#[tokio::test]
async fn without_a_credential_nothing_can_be_changed_and_nothing_administered() {
    let guarded = Guarded::open().await;
    for route in routes(&guarded).await {
        assert_eq!(route.needs_credential, !route.reads() && !route.is_for_everybody(), "{}", route.name());
        let response = send(&guarded, &route, "").await;
        match route.needs_credential {
            true => assert_unauthorized(&response),
            false => assert!(![401, 403].contains(&response.status), "{} -> {}", route.name(), response.status),
        }
    }
}

#[tokio::test]
async fn where_reading_is_closed_only_the_health_of_the_server_is_open() {
    let guarded = Guarded::closed().await;
    for route in routes(&guarded).await {
        let response = send(&guarded, &route, "").await;
        match route.is_for_everybody() {
            // People cannot sign in at this server, which is for everybody to know.
            true if route.template.starts_with("/auth/") => assert!([200, 409].contains(&response.status)),
            true => assert_eq!(response.status, 200, "{}", route.name()),
            false => assert_unauthorized(&response),
        }
    }
}

#[tokio::test]
async fn a_credential_for_something_else_opens_what_is_for_everybody_with_one() {
    let guarded = Guarded::closed().await;
    let weak = guarded.key("weak", &["STUDY.x2.WRITE", "STUDY.x.WRITE", "other.WRITE", "x1.WRITE"]).await;
    for route in routes(&guarded).await {
        let response = send(&guarded, &route, &weak).await;
        match route.is_for_everybody() || route.is_with_any() {
            true => assert!(![401, 403].contains(&response.status), "{} -> {}", route.name(), response.status),
            false => assert_forbidden(&response),
        }
    }
}

#[tokio::test]
async fn a_credential_of_a_study_opens_the_routes_of_the_study_and_no_more() {
    let guarded = Guarded::closed().await;
    let reader = guarded.key("reader", &["STUDY.x1.READ"]).await;
    let writer = guarded.key("writer", &["STUDY.x1.WRITE"]).await;
    for route in routes(&guarded).await {
        let is_of_study = route.template.contains("{studyId}");
        let is_open = route.is_for_everybody() || route.is_with_any();
        let response = send(&guarded, &route, &reader).await;
        let is_allowed = is_open || (is_of_study && route.reads());
        assert_eq!(response.status != 403, is_allowed, "{} -> {}", route.name(), response.status);
        let response = send(&guarded, &route, &writer).await;
        assert_eq!(response.status != 403, is_open || is_of_study, "{} -> {}", route.name(), response.status);
    }
}

#[tokio::test]
async fn who_may_read_everything_may_change_nothing() {
    let guarded = Guarded::closed().await;
    let reader = guarded.key("reader", &["song.READ"]).await;
    for route in routes(&guarded).await {
        let response = send(&guarded, &route, &reader).await;
        let is_allowed = route.reads() || route.is_for_everybody();
        assert_eq!(response.status != 403, is_allowed, "{} -> {}", route.name(), response.status);
    }
}

#[tokio::test]
async fn the_administrator_is_denied_nothing() {
    let guarded = Guarded::closed().await;
    for route in routes(&guarded).await {
        let response = send(&guarded, &route, &guarded.administrator).await;
        if route.is_of_person() {
            assert_forbidden(&response);
            continue;
        }
        assert!(![401, 403].contains(&response.status), "{} -> {}", route.name(), response.status);
    }
}

#[tokio::test]
async fn every_change_of_every_route_is_in_the_audit_log() {
    let guarded = Guarded::open().await;
    for route in routes(&guarded).await {
        if route.method == Method::GET || route.reads() {
            continue;
        }
        let known = guarded.audit().len();
        send(&guarded, &route, &guarded.administrator).await;
        let entries = guarded.audit();
        assert_eq!(entries.len(), known + 1, "{}", route.name());
        let entry = &entries[known];
        assert_eq!((entry["who"].as_str(), entry["path"].as_str()), (Some("administrator"), Some(&*route.path())));
    }
}

#[tokio::test]
async fn addresses_beside_the_described_ones_are_closed_like_them() {
    let guarded = Guarded::closed().await;
    let query = json!({"query": "{ file { hits { total } } }"});
    for path in ["/graphql/Arranger-Table", "/file/graphql/Arranger-Table", "/", "/Arranger-Table"] {
        let response = guarded.send(Method::POST, path, "", Some(&query)).await;
        assert_unauthorized(&response);
        let answer: Value = guarded.send(Method::POST, path, &guarded.administrator, Some(&query)).await.ok();
        assert_eq!(answer["data"]["file"]["hits"]["total"], 1, "{path}");
    }
    guarded.server.send(Method::HEAD, "/studies/all", &[], None).await.assert_status(401);
    for path in ["/docs/index.html", "/openapi.json", "/favicon.ico"] {
        assert!(guarded.get(path, "").await.status < 300, "{path}");
    }
}
