//! `/studies/{studyId}/analysis`

use axum::body::Body;
use axum::extract::State;
use cantata_core::{AnalysisId, Error, ErrorId, ErrorOrigin, Result};
use cantata_metadata::parse_states;
use cantata_store::AnalysisQuery;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::IntoParams;

use crate::access::VisibleStates;
use crate::error_body::ApiResult;
use crate::extract::{JsonObject, Params, Segments, malformed};
use crate::openapi::schemas::{Analysis, AnalysisPage, AnalysisUpdate, File, FileSearch, Message, StudyPath};
use crate::response::{json, json_array, json_documents, json_text};
use crate::state::AppState;

const ORIGIN: ErrorOrigin = ErrorOrigin::AnalysisService;

/// How many analyses a page has unless asked otherwise.
const DEFAULT_LIMIT: u64 = 100;

/// The path of an analysis.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Path)]
pub(crate) struct AnalysisPath {
    /// The study
    study_id: String,
    /// The analysis
    analysis_id: String,
}

/// Lists the analyses of a study, ordered by id.
#[utoipa::path(
    get, path = "/studies/{studyId}/analysis", tag = "Analyses",
    params(
        StudyPath,
        ("analysisStates" = Option<String>, Query, description = "PUBLISHED, UNPUBLISHED, SUPPRESSED, separated by \
          commas or given one by one; PUBLISHED if not given"),
    ),
    responses((status = 200, description = "The analyses", body = Vec<Analysis>))
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    VisibleStates(visible): VisibleStates,
    params: Params,
) -> ApiResult {
    let states = parse_states(params.all("analysisStates"))?.intersection(visible);
    Ok(json_array(state.metadata.list_analyses(&study_id, states).await?))
}

/// Lists one page of the analyses of a study, ordered by id.
#[utoipa::path(
    get, path = "/studies/{studyId}/analysis/paginated", tag = "Analyses",
    params(
        StudyPath,
        ("analysisStates" = Option<String>, Query, description = "PUBLISHED, UNPUBLISHED, SUPPRESSED, separated by \
          commas or given one by one; PUBLISHED if not given"),
        ("limit" = Option<u64>, Query, description = "How many at most; 100 if not given"),
        ("offset" = Option<u64>, Query, description = "How many analyses to skip"),
        ("after" = Option<String>, Query, description = "Instead of `offset`: the id of the analysis after which the page \
          begins, empty for the first page; a page then costs the same however far it is"),
    ),
    responses((status = 200, description = "The page", body = AnalysisPage))
)]
pub(crate) async fn list_paginated(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    VisibleStates(visible): VisibleStates,
    params: Params,
) -> ApiResult {
    let states = parse_states(params.all("analysisStates"))?.intersection(visible);
    let limit = params.integer(ORIGIN, "limit", 0)?.unwrap_or(DEFAULT_LIMIT);
    let offset = params.integer(ORIGIN, "offset", 0)?.unwrap_or(0);
    let mut query = AnalysisQuery { limit: Some(limit), ..AnalysisQuery::all(study_id, states) };
    match params.get("after") {
        Some(after) => query.after = parse_after(after)?,
        None => query.offset = offset,
    }
    let page = state.metadata.page_analyses(&query).await?;
    let tail = format!(r#"],"totalAnalyses":{},"currentTotalAnalyses":{}}}"#, page.total, page.documents.total());
    let documents = json_documents(br#"{"analyses":["#.to_vec(), page.documents, Ok, tail.into_bytes());
    Ok(json_text(Body::from_stream(documents)))
}

/// Reads the id after which a page begins; an empty one is the beginning.
fn parse_after(after: &str) -> Result<Option<AnalysisId>, Error> {
    if after.is_empty() {
        return Ok(None);
    }
    let id = AnalysisId::parse(after).ok_or_else(|| malformed(ORIGIN, "after", after, "the id of an analysis"))?;
    Ok(Some(id))
}

/// Returns the analyses of a study, in any state, that have a file whose object id matches.
#[utoipa::path(
    get, path = "/studies/{studyId}/analysis/search/id", tag = "Analyses",
    params(
        StudyPath,
        ("fileId" = Option<String>, Query, description = "A regular expression, case ignored, found anywhere in the \
          object id; `.*` if not given"),
    ),
    responses((status = 200, description = "The analyses", body = Vec<Analysis>))
)]
pub(crate) async fn search(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    params: Params,
) -> ApiResult {
    let expression = params.get("fileId").unwrap_or_default();
    // Older clients send what they do not search by with empty values.
    let is_searched_by = |name: &str| expression.is_empty() || params.all(name).any(|value| !value.is_empty());
    if let Some(name) = params.names().find(|name| *name != "fileId" && is_searched_by(name)) {
        return Err(not_searchable(name, "fileId").into());
    }
    Ok(json_array(state.metadata.search_by_file(&study_id, expression).await?))
}

/// Does the same with the expression in the body.
#[utoipa::path(
    post, path = "/studies/{studyId}/analysis/search/id", tag = "Analyses",
    params(StudyPath),
    request_body = FileSearch,
    responses((status = 200, description = "The analyses", body = Vec<Analysis>))
)]
pub(crate) async fn search_with_body(
    State(state): State<AppState>,
    Segments(study_id): Segments<String>,
    JsonObject(body): JsonObject,
) -> ApiResult {
    let expression = read_search(&body)?;
    Ok(json_array(state.metadata.search_by_file(&study_id, expression).await?))
}

/// Reads a search; members that older clients send empty beside an expression are ignored.
fn read_search(body: &Map<String, Value>) -> Result<&str> {
    let mut expression = "";
    let mut ignored = None;
    for (name, value) in body {
        let is_empty = value.is_null() || value.as_str().is_some_and(str::is_empty);
        match (name.as_str(), value) {
            ("objectId" | "fileId", _) if is_empty => {}
            (name, _) if is_empty => ignored = Some(name),
            ("objectId" | "fileId", Value::String(text)) => expression = text,
            ("objectId" | "fileId", other) => {
                let text = format!("#/{name}: expected a regular expression as a string, found: {other}");
                return Err(Error::new(ORIGIN, ErrorId::MalformedRequestBody, text));
            }
            _ => return Err(not_searchable(name, "objectId or fileId")),
        }
    }
    match ignored {
        Some(name) if expression.is_empty() => Err(not_searchable(name, "objectId or fileId")),
        _ => Ok(expression),
    }
}

/// Makes the error for a search by something else than files, which older versions had.
fn not_searchable(name: &str, known: &str) -> Error {
    Error::malformed_parameter(ORIGIN, format!("Analyses cannot be searched by '{name}'; search by {known}"))
}

/// Returns an analysis.
#[utoipa::path(
    get, path = "/studies/{studyId}/analysis/{analysisId}", tag = "Analyses",
    params(AnalysisPath),
    responses((status = 200, description = "The analysis", body = Analysis))
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Segments(path): Segments<AnalysisPath>,
    VisibleStates(visible): VisibleStates,
) -> ApiResult {
    Ok(json_text(state.metadata.analysis_document(&path.study_id, &path.analysis_id, visible).await?))
}

/// Returns the files of an analysis.
#[utoipa::path(
    get, path = "/studies/{studyId}/analysis/{analysisId}/files", tag = "Analyses",
    params(AnalysisPath),
    responses((status = 200, description = "The files", body = Vec<File>))
)]
pub(crate) async fn files(
    State(state): State<AppState>,
    Segments(path): Segments<AnalysisPath>,
    VisibleStates(visible): VisibleStates,
) -> ApiResult {
    Ok(json(&state.metadata.analysis_files(&path.study_id, &path.analysis_id, visible).await?))
}

/// Replaces the dynamic data of an analysis, and with it the version of its type.
#[utoipa::path(
    put, path = "/studies/{studyId}/analysis/{analysisId}", tag = "Analyses",
    params(AnalysisPath),
    request_body = AnalysisUpdate,
    responses((status = 200, description = "The data is replaced; the body is empty"))
)]
pub(crate) async fn replace(
    State(state): State<AppState>,
    Segments(path): Segments<AnalysisPath>,
    JsonObject(body): JsonObject,
) -> ApiResult<StatusCode> {
    state.metadata.replace_data(&path.study_id, &path.analysis_id, body).await?;
    Ok(StatusCode::OK)
}

/// Merges a patch (RFC 7386) into the dynamic data of an analysis.
#[utoipa::path(
    patch, path = "/studies/{studyId}/analysis/{analysisId}", tag = "Analyses",
    params(AnalysisPath),
    request_body = Object,
    responses((status = 200, description = "The data is patched; the body is empty"))
)]
pub(crate) async fn patch(
    State(state): State<AppState>,
    Segments(path): Segments<AnalysisPath>,
    JsonObject(body): JsonObject,
) -> ApiResult<StatusCode> {
    state.metadata.patch_data(&path.study_id, &path.analysis_id, body).await?;
    Ok(StatusCode::OK)
}

/// Publishes an analysis. Where a storage server is configured, its files must be there as the metadata says.
#[utoipa::path(
    put, path = "/studies/{studyId}/analysis/publish/{analysisId}", tag = "Analyses",
    params(
        AnalysisPath,
        ("ignoreUndefinedMd5" = Option<bool>, Query, description = "Publish although the storage server knows no \
          checksum of a file"),
    ),
    responses((status = 200, description = "The analysis is published", body = Message))
)]
pub(crate) async fn publish(
    State(state): State<AppState>,
    Segments(path): Segments<AnalysisPath>,
    params: Params,
) -> ApiResult {
    let ignore_undefined_md5 = params.boolean(ORIGIN, "ignoreUndefinedMd5", false)?;
    state.metadata.publish(&path.study_id, &path.analysis_id, ignore_undefined_md5).await?;
    Ok(json(&Message::new(format!("AnalysisId {} successfully published", path.analysis_id))))
}

/// Takes an analysis back to unpublished.
#[utoipa::path(
    put, path = "/studies/{studyId}/analysis/unpublish/{analysisId}", tag = "Analyses",
    params(AnalysisPath),
    responses((status = 200, description = "The analysis is unpublished", body = Message))
)]
pub(crate) async fn unpublish(State(state): State<AppState>, Segments(path): Segments<AnalysisPath>) -> ApiResult {
    state.metadata.unpublish(&path.study_id, &path.analysis_id).await?;
    Ok(json(&Message::new(format!("AnalysisId {} successfully unpublished", path.analysis_id))))
}

/// Suppresses an analysis for good.
#[utoipa::path(
    put, path = "/studies/{studyId}/analysis/suppress/{analysisId}", tag = "Analyses",
    params(AnalysisPath),
    responses((status = 200, description = "The analysis is suppressed", body = Message))
)]
pub(crate) async fn suppress(State(state): State<AppState>, Segments(path): Segments<AnalysisPath>) -> ApiResult {
    state.metadata.suppress(&path.study_id, &path.analysis_id).await?;
    Ok(json(&Message::new(format!("AnalysisId {} was suppressed", path.analysis_id))))
}
