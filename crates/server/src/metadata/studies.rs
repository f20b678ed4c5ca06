//! `/studies`

use axum::extract::State;

use crate::error_body::ApiResult;
use crate::extract::{JsonObject, Segments};
use crate::openapi::schemas::{Message, Study, StudyRequest};
use crate::response::json;
use crate::state::AppState;

/// Lists the ids of all studies.
#[utoipa::path(
    get, path = "/studies/all", tag = "Studies",
    responses((status = 200, description = "The ids, in order", body = Vec<String>))
)]
pub(crate) async fn list(State(state): State<AppState>) -> ApiResult {
    Ok(json(&state.metadata.study_ids().await?))
}

/// Registers a study. Members of the body that have no meaning here are kept in `info`.
#[utoipa::path(
    post, path = "/studies/{studyId}", tag = "Studies",
    params(("studyId" = String, Path, description = "The id of the study, 1 to 36 characters")),
    request_body = StudyRequest,
    responses((status = 200, description = "The study is registered", body = Message))
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    JsonObject(body): JsonObject,
) -> ApiResult {
    state.metadata.create_study(&study_id, body).await?;
    Ok(json(&Message::new(format!("Successfully created study '{study_id}'"))))
}

/// Returns a study.
#[utoipa::path(
    get, path = "/studies/{studyId}", tag = "Studies",
    params(("studyId" = String, Path, description = "The id of the study")),
    responses((status = 200, description = "The study", body = Study))
)]
pub(crate) async fn get(State(state): State<AppState>, Segments(study_id): Segments<String>) -> ApiResult {
    Ok(json(&state.metadata.study(&study_id).await?))
}
