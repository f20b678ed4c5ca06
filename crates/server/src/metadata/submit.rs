//! `/submit/{studyId}`

use axum::Extension;
use axum::extract::State;
use cantata_core::{ErrorOrigin, Result};
use cantata_metadata::SubmitOptions;

use crate::access::AuditSlot;
use crate::error_body::{ApiResult, ErrorBody};
use crate::extract::{Params, PayloadBytes, Segments};
use crate::openapi::schemas::{AnalysisPayload, Submitted};
use crate::response::json;
use crate::state::AppState;

/// Checks a payload against its analysis type and stores it as a new analysis, unpublished unless asked otherwise.
#[utoipa::path(
    post, path = "/submit/{studyId}", tag = "Submission",
    params(
        ("studyId" = String, Path, description = "The study; the payload must name the same"),
        ("allowDuplicates" = Option<bool>, Query, description = "Store files whose checksum is stored already"),
        ("publish" = Option<bool>, Query, description = "Store it as published, or not at all; not possible where a \
          storage server is configured"),
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
    audit: Option<Extension<AuditSlot>>,
    PayloadBytes(payload): PayloadBytes,
) -> ApiResult {
    let options = submit_options(&params)?;
    if params.boolean(ErrorOrigin::SubmitService, "validateOnly", false)? {
        if let Some(Extension(audit)) = audit {
            audit.mark_dry_run();
        }
        state.metadata.validate(&study_id, payload, options).await?;
        return Ok(json(&Submitted::new(None)));
    }
    let analysis_id = state.metadata.submit(&study_id, payload, options).await?;
    Ok(json(&Submitted::new(Some(analysis_id))))
}

/// Reads what both routes of submission may be asked for.
pub(super) fn submit_options(params: &Params) -> Result<SubmitOptions> {
    let is_set = |name| params.boolean(ErrorOrigin::SubmitService, name, false);
    Ok(SubmitOptions { allow_duplicates: is_set("allowDuplicates")?, publish: is_set("publish")? })
}
