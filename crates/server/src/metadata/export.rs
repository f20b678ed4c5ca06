//! `/export`

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use cantata_metadata::{StudyExport, to_payload};
use futures_util::{StreamExt as _, stream};
use serde_json::Value;

use crate::access::ReadableStudies;
use crate::error_body::ApiResult;
use crate::extract::Segments;
use crate::openapi::schemas::{ExportedStudy, StudyPath};
use crate::response::{json_documents, json_text};
use crate::state::AppState;

/// Exports analyses as payloads that can be submitted again.
#[utoipa::path(
    get, path = "/export/analysis/{analysisIds}", tag = "Export",
    params(("analysisIds" = String, Path, description = "The analyses, separated by commas")),
    responses((status = 200, description = "The payloads, grouped by study", body = Vec<ExportedStudy>))
)]
pub(crate) async fn analyses(
    State(state): State<AppState>,
    Segments(analysis_ids): Segments<String>,
    studies: ReadableStudies,
) -> ApiResult {
    let analysis_ids: Vec<&str> = analysis_ids.split(',').map(str::trim).collect();
    Ok(exported(state.metadata.export_analyses(&analysis_ids, |study| studies.contains(study)).await?))
}

/// Exports every analysis of a study, in any state, as payloads that can be submitted again.
#[utoipa::path(
    get, path = "/export/studies/{studyId}", tag = "Export",
    params(StudyPath),
    responses((status = 200, description = "The payloads of the study", body = Vec<ExportedStudy>))
)]
pub(crate) async fn study(State(state): State<AppState>, Segments(study_id): Segments<String>) -> ApiResult {
    Ok(exported(vec![state.metadata.export_study(&study_id).await?]))
}

fn exported(groups: Vec<StudyExport>) -> Response {
    let last = groups.len().saturating_sub(1);
    let bodies = groups.into_iter().enumerate().map(move |(index, group)| {
        let open = if index == 0 { "[" } else { "," };
        let close = if index == last { "]}]" } else { "]}" };
        let head = format!(r#"{open}{{"studyId":{},"payloads":["#, Value::from(group.study_id));
        json_documents(head.into_bytes(), group.documents, |document| to_payload(&document), close.into())
    });
    json_text(Body::from_stream(stream::iter(bodies).flatten()))
}
