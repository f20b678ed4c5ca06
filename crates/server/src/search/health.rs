//! Is the search service there, and can it work.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use cantata_catalogue::introspection::HealthStatus;
use http::{HeaderValue, StatusCode};
use serde_json::json;

use super::SearchState;
use crate::openapi::schemas::{Greeting, Readiness};
use crate::response::{self, json_with_status, with_content_type};

/// Says that the server is there.
#[utoipa::path(
    get, path = "/ping", tag = "Search",
    responses((status = 200, description = "It is there", body = Greeting))
)]
pub(super) async fn ping() -> Response {
    response::json(&json!({"message": "Reporting for duty..."}))
}

/// Says how the catalogues are, and that the store and the indexes can be written.
#[utoipa::path(
    get, path = "/ready", tag = "Search",
    responses(
        (status = 200, description = "All of them, or some, can be served", body = Readiness),
        (status = 503, description = "None of them can be served, or something cannot be written", body = Readiness),
    )
)]
pub(super) async fn ready(State(state): State<SearchState>) -> Response {
    let status = match can_write(&state).await {
        true => state.service.catalogues().status(),
        false => HealthStatus::Unhealthy,
    };
    let code = if status == HealthStatus::Unhealthy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    json_with_status(code, &json!({"status": status}))
}

/// Returns whether the store, where there is one, and the engines of the catalogues take writes.
async fn can_write(state: &SearchState) -> bool {
    if let Some(app) = &state.app
        && app.check_store().await.is_err()
    {
        return false;
    }
    let service = Arc::clone(&state.service);
    state.write_check.run(async move { service.check_writes().await }).await.is_ok()
}

/// Says that GraphQL is there, where clients of other servers look for it.
#[utoipa::path(
    get, path = "/.well-known/apollo/server-health", tag = "Search",
    responses((status = 200, description = "It is there", body = Object, content_type = "application/health+json"))
)]
pub(super) async fn apollo() -> Response {
    with_content_type(r#"{"status":"pass"}"#, HeaderValue::from_static("application/health+json"))
}
