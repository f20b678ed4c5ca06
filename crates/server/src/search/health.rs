//! Is the search service there, and can it work.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use cantata_catalogue::introspection::HealthStatus;
use cantata_core::{LogInterval, error_chain};
use cantata_engine::EngineError;
use http::{HeaderValue, StatusCode};
use serde_json::json;

use super::SearchState;
use crate::openapi::schemas::{Greeting, Readiness};
use crate::response::{self, json_with_status, with_content_type};

/// How often the log says why the service is not ready; probes ask every few seconds.
static NOT_READY: LogInterval = LogInterval::new(Duration::from_secs(60));

/// Says that the server is there.
#[utoipa::path(
    get, path = "/ping", tag = "Search",
    responses((status = 200, description = "It is there", body = Greeting))
)]
pub(super) async fn ping() -> Response {
    response::json(&json!({"message": "Reporting for duty..."}))
}

/// Says how the catalogues are, and that the store can be written, and their indexes read and written.
#[utoipa::path(
    get, path = "/ready", tag = "Search",
    responses(
        (status = 200, description = "All of them, or some, can be served", body = Readiness),
        (
            status = 503,
            description = "None can be served, the store or an index cannot be read or written, or this server has not \
                           caught up with the store yet",
            body = Readiness,
        ),
    )
)]
pub(super) async fn ready(State(state): State<SearchState>) -> Response {
    if let Err(message) = check_writes(&state).await {
        let answer = json!({"status": HealthStatus::Unhealthy, "message": message});
        return json_with_status(StatusCode::SERVICE_UNAVAILABLE, &answer);
    }
    if state.indexing.as_ref().is_some_and(|indexing| !indexing.has_caught_up()) {
        let message = "the indexes of this server have not caught up with the metadata store yet";
        let answer = json!({"status": HealthStatus::Unhealthy, "message": message});
        return json_with_status(StatusCode::SERVICE_UNAVAILABLE, &answer);
    }
    let status = state.service.catalogues().status();
    let code = if status == HealthStatus::Unhealthy { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    let mut answer = json!({"status": status});
    let mut messages = Vec::new();
    if let Some(failure) = state.service.maintenance_failure() {
        let reason = failure.client_message();
        messages.push(format!("an index is read and written, but its segments cannot be flushed or merged: {reason}"));
    }
    if state.indexing.as_ref().is_some_and(|indexing| indexing.is_failing()) {
        messages.push(
            "the index of a catalogue cannot follow its source, and may lack the latest changes; it is tried again, and GET \
             /admin/indexing says why"
                .to_owned(),
        );
    }
    if !messages.is_empty() {
        answer["message"] = messages.join("; ").into();
    }
    json_with_status(code, &answer)
}

/// Checks that the store, where there is one, and the engines of the catalogues take writes; returns why they do not.
async fn check_writes(state: &SearchState) -> Result<(), String> {
    if let Some(app) = &state.app
        && app.check_store().await.is_err()
    {
        return Err("the metadata store takes no writes; the log of the server says why".to_owned());
    }
    let service = Arc::clone(&state.service);
    let checked = state.write_check.run(async move { service.check_writes().await }).await;
    checked.map_err(|error| {
        if let Some(left_out) = NOT_READY.admit() {
            tracing::warn!(error = error_chain(&error), left_out, "the search service is not ready");
        }
        // Nobody needs a credential to ask, and which indexes there are is not for everybody.
        match error {
            EngineError::IndexDamaged { .. } => "an index is damaged; the log of the server names it".to_owned(),
            EngineError::IndexUnavailable { .. } => {
                "an index cannot be opened at the moment; it is tried again, and the log names it".to_owned()
            }
            other => other.client_message(),
        }
    })
}

/// Says that GraphQL is there, where clients of other servers look for it.
#[utoipa::path(
    get, path = "/.well-known/apollo/server-health", tag = "Search",
    responses((status = 200, description = "It is there", body = Object, content_type = "application/health+json"))
)]
pub(super) async fn apollo() -> Response {
    with_content_type(r#"{"status":"pass"}"#, HeaderValue::from_static("application/health+json"))
}
