//! `/submit/{studyId}`

use axum::extract::State;
use axum::response::Response;
use cantata_core::Origin;

use crate::answer::json;
use crate::error_body::{ApiResult, ErrorBody};
use crate::extract::{Params, PayloadBytes, Segments};
use crate::openapi::shapes::{AnalysisPayload, Submitted};
use crate::state::AppState;

/// Checks a payload against its analysis type and stores it as a new, unpublished analysis.
#[utoipa::path(
    post, path = "/submit/{studyId}", tag = "Submission",
    params(
        ("studyId" = String, Path, description = "The study; the payload must name the same"),
        ("allowDuplicates" = Option<bool>, Query, description = "Store files whose checksum is stored already"),
        ("validateOnly" = Option<bool>, Query, description = "Check everything and store nothing"),
    ),
    request_body = AnalysisPayload,
    responses(
        (status = 200, description = "The analysis is stored, or could be", body = Submitted),
        (status = "default", description = "An error; `schema.violation` lists every violation", body = ErrorBody),
    )
)]
pub(crate) async fn submit(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    params: Params,
    PayloadBytes(payload): PayloadBytes,
) -> ApiResult<Response> {
    let allow_duplicates = params.boolean(Origin::SubmitService, "allowDuplicates", false)?;
    if params.boolean(Origin::SubmitService, "validateOnly", false)? {
        state.metadata.validate(&study_id, payload, allow_duplicates).await?;
        return Ok(json(&Submitted::new(None)));
    }
    let analysis_id = state.metadata.submit(&study_id, payload, allow_duplicates).await?;
    Ok(json(&Submitted::new(Some(analysis_id))))
}
