//! `/studies/{studyId}/files`

use axum::extract::State;

use crate::access::VisibleStates;
use crate::error_body::ApiResult;
use crate::extract::{JsonObject, Segments};
use crate::openapi::schemas::{File, FileUpdateRequest, FileUpdateResponse, StudyPath};
use crate::response::{json, json_text};
use crate::state::AppState;

/// Returns a file.
#[utoipa::path(
    get, path = "/studies/{studyId}/files/{objectId}", tag = "Files",
    params(
        StudyPath,
        ("objectId" = String, Path, description = "The file"),
    ),
    responses((status = 200, description = "The file", body = File))
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Segments((study_id, object_id)): Segments<(String, String)>,
    VisibleStates(visible): VisibleStates,
) -> ApiResult {
    Ok(json(&state.metadata.file(&study_id, &object_id, visible).await?))
}

/// Updates a file. Size and checksum can be changed only while its analysis is unpublished.
#[utoipa::path(
    put, path = "/studies/{studyId}/files/{objectId}", tag = "Files",
    params(
        StudyPath,
        ("objectId" = String, Path, description = "The file"),
    ),
    request_body = FileUpdateRequest,
    responses((status = 200, description = "What was done", body = FileUpdateResponse))
)]
pub(crate) async fn update(
    State(state): State<AppState>,
    Segments((study_id, object_id)): Segments<(String, String)>,
    JsonObject(body): JsonObject,
) -> ApiResult {
    Ok(json(&state.metadata.update_file(&study_id, &object_id, &body).await?))
}

/// Deletes files. The last file of an analysis cannot be deleted, nor can files of a suppressed analysis.
#[utoipa::path(
    delete, path = "/studies/{studyId}/files/{objectId}", tag = "Files",
    params(
        StudyPath,
        ("objectId" = String, Path, description = "The files, separated by commas"),
    ),
    responses((status = 200, description = "The files are deleted; the body is the bare word OK, as clients expect"))
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    Segments((study_id, object_ids)): Segments<(String, String)>,
) -> ApiResult {
    let object_ids: Vec<&str> = object_ids.split(',').map(str::trim).collect();
    state.metadata.delete_files(&study_id, &object_ids).await?;
    Ok(json_text("OK"))
}
