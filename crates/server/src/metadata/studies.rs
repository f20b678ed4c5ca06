//! `/studies`

use axum::extract::State;
use axum::response::Response;

use crate::error_body::{ApiResult, ErrorBody};
use crate::extract::{JsonObject, Segments};
use crate::openapi::schemas::{Message, Study, StudyRequest};
use crate::response::json;
use crate::state::AppState;

/// Lists the ids of all studies.
#[utoipa::path(
    get, path = "/studies/all", tag = "Studies",
    responses(
        (status = 200, description = "The ids, in order", body = Vec<String>),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn list(State(state): State<AppState>) -> ApiResult<Response> {
    Ok(json(&state.metadata.study_ids().await?))
}

/// Registers a study. Members of the body that have no meaning here are kept in `info`.
#[utoipa::path(
    post, path = "/studies/{studyId}", tag = "Studies",
    params(("studyId" = String, Path, description = "The id of the study, 1 to 36 characters")),
    request_body = StudyRequest,
    responses(
        (status = 200, description = "The study is registered", body = Message),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    JsonObject(body): JsonObject,
) -> ApiResult<Response> {
    state.metadata.create_study(&study_id, body).await?;
    Ok(json(&Message::new(format!("Successfully created study '{study_id}'"))))
}

/// Returns a study.
#[utoipa::path(
    get, path = "/studies/{studyId}", tag = "Studies",
    params(("studyId" = String, Path, description = "The id of the study")),
    responses(
        (status = 200, description = "The study", body = Study),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Segments(study_id): Segments<String>) -> ApiResult<Response> {
    Ok(json(&state.metadata.study(&study_id).await?))
}
