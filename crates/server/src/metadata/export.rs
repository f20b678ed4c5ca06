//! `/export`

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use cantata_core::{Error, ErrorId, ErrorOrigin, Result};
use cantata_metadata::{StudyExport, to_payload};
use futures_util::{Stream, StreamExt};

use crate::error_body::{ApiResult, ErrorBody};
use crate::extract::Segments;
use crate::openapi::schemas::ExportedStudy;
use crate::response::{json_documents, json_text};
use crate::state::AppState;

/// ExportLimiter analyses as payloads that can be submitted again.
#[utoipa::path(
    get, path = "/export/analysis/{analysisIds}", tag = "Export",
    params(("analysisIds" = String, Path, description = "The analyses, separated by commas")),
    responses(
        (status = 200, description = "The payloads, grouped by study", body = Vec<ExportedStudy>),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn analyses(
    State(state): State<AppState>,
    Segments(analysis_ids): Segments<String>,
) -> ApiResult<Response> {
    let analysis_ids: Vec<&str> = analysis_ids.split(',').map(str::trim).collect();
    exported(state.metadata.export_analyses(&analysis_ids).await?)
}

/// ExportLimiter every analysis of a study, in any state, as payloads that can be submitted again.
#[utoipa::path(
    get, path = "/export/studies/{studyId}", tag = "Export",
    params(("studyId" = String, Path, description = "The study")),
    responses(
        (status = 200, description = "The payloads of the study", body = Vec<ExportedStudy>),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn study(State(state): State<AppState>, Segments(study_id): Segments<String>) -> ApiResult<Response> {
    exported(vec![state.metadata.export_study(&study_id).await?])
}

fn exported(groups: Vec<StudyExport>) -> ApiResult<Response> {
    let last = groups.len().saturating_sub(1);
    let mut parts = Vec::with_capacity(groups.len());
    for (index, group) in groups.into_iter().enumerate() {
        let open = if index == 0 { "[" } else { "," };
        let close = if index == last { "]}]" } else { "]}" };
        parts.push(group_body(group, open, close)?);
    }
    Ok(json_text(Body::from_stream(futures_util::stream::iter(parts).flatten())))
}

fn group_body(
    group: StudyExport,
    open: &str,
    close: &str,
) -> Result<std::pin::Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
    let study_id = serde_json::to_string(&group.study_id)
        .map_err(|error| Error::new(ErrorOrigin::HttpServer, ErrorId::UnknownError, error.to_string()))?;
    let head = format!(r#"{open}{{"studyId":{study_id},"payloads":["#);
    let convert = |document: String| to_payload(&document);
    Ok(Box::pin(json_documents(head.into_bytes(), group.documents, convert, close.as_bytes().to_vec())))
}
