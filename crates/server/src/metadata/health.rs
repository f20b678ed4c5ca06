//! Is the server there, and can it work.

use axum::extract::State;
use axum::response::Response;

use crate::error_body::{ApiResult, ErrorBody};
use crate::openapi::schemas::Health;
use crate::response::json;
use crate::state::AppState;

/// Says that the server is there.
#[utoipa::path(
    get, path = "/isAlive", tag = "Health",
    responses((status = 200, description = "Always true", body = bool, content_type = "application/json"))
)]
pub(crate) async fn is_alive() -> Response {
    json(&true)
}

/// Says that the server can read its store and that writes are taken.
#[utoipa::path(
    get, path = "/actuator/health", tag = "Health",
    responses(
        (status = 200, description = "The server can work", body = Health),
        (status = "default", description = "The server cannot work", body = ErrorBody),
    )
)]
pub(crate) async fn health(State(state): State<AppState>) -> ApiResult {
    state.check_store().await?;
    Ok(json(&Health { status: "UP".to_owned() }))
}
