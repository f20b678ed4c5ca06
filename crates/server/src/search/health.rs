//! Is the search service there, and can it work.

use axum::extract::State;
use axum::response::Response;
use cantata_catalogue::introspection::HealthStatus;
use http::{HeaderValue, StatusCode};
use serde::Serialize;

use super::{SearchState, with_status};
use crate::openapi::schemas;
use crate::response::{json, with_content_type};

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

#[derive(Serialize)]
struct Readiness {
    status: HealthStatus,
}

/// Says that the server is there.
#[utoipa::path(
    get, path = "/ping", tag = "Search",
    responses((status = 200, description = "It is there", body = schemas::Greeting))
)]
pub(super) async fn ping() -> Response {
    json(&Message { message: "Reporting for duty..." })
}

/// Says how the catalogues are.
#[utoipa::path(
    get, path = "/ready", tag = "Search",
    responses(
        (status = 200, description = "All of them, or some, can be served", body = schemas::Readiness),
        (status = 503, description = "None of them can be served", body = schemas::Readiness),
    )
)]
pub(super) async fn ready(State(state): State<SearchState>) -> Response {
    let status = state.service.catalogues().status();
    let code = if status == HealthStatus::Unhealthy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    with_status(code, &Readiness { status })
}

/// Says that GraphQL is there, where clients of other servers look for it.
#[utoipa::path(
    get, path = "/.well-known/apollo/server-health", tag = "Search",
    responses((status = 200, description = "It is there", body = Object, content_type = "application/health+json"))
)]
pub(super) async fn apollo() -> Response {
    with_content_type(r#"{"status":"pass"}"#, HeaderValue::from_static("application/health+json"))
}
