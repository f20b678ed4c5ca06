//! `/admin/indexes`, and what can be done with an index as a whole.

use axum::extract::{Request, State};
use cantata_core::json::parse_json;
use cantata_core::{Error, ErrorId};
use http::StatusCode;
use serde_json::json;

use super::{ORIGIN, engine_error};
use crate::Indexes;
use crate::error_body::ApiResult;
use crate::extract::{Segments, read_limited};
use crate::openapi::schemas::{IndexFigures, IndexInShort, IndexMappingBody, IndexPath, IndexProblems};
use crate::response::{json as json_response, json_with_status};

/// The largest mapping, in bytes.
const MAX_MAPPING_BYTES: usize = 16 << 20;

/// Lists the indexes, by name.
#[utoipa::path(
    get, path = "/admin/indexes", tag = "Indexes",
    responses((status = 200, description = "The indexes", body = Vec<IndexInShort>))
)]
pub(crate) async fn list(State(indexes): State<Indexes>) -> ApiResult {
    let summaries = indexes.engine.indexes().await.map_err(engine_error)?;
    Ok(json_response(&summaries.into_iter().map(IndexInShort::from).collect::<Vec<_>>()))
}

/// Returns the figures of an index.
#[utoipa::path(
    get, path = "/admin/indexes/{name}", tag = "Indexes",
    params(IndexPath),
    responses((status = 200, description = "The figures", body = IndexFigures))
)]
pub(crate) async fn stats(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult {
    Ok(json_response(&indexes.administration.stats(&name).await.map_err(engine_error)?))
}

/// Makes an index, with the mapping in the body or, without a body, with the fields that its documents will bring.
#[utoipa::path(
    put, path = "/admin/indexes/{name}", tag = "Indexes",
    params(("name" = String, Path, description = "The index: letters, digits, `_`, `-` and `.`")),
    request_body = Option<IndexMappingBody>,
    responses((status = 201, description = "The figures of the new index", body = IndexFigures))
)]
pub(crate) async fn create(
    State(indexes): State<Indexes>,
    Segments(name): Segments<String>,
    request: Request,
) -> ApiResult {
    let body = read_limited(request, MAX_MAPPING_BYTES).await?;
    let mapping = (!body.is_empty()).then(|| parse_json(&body)).transpose().map_err(|error| {
        Error::new(ORIGIN, ErrorId::MalformedRequestBody, format!("The mapping is not JSON: {error}"))
    })?;
    indexes.engine.create_index(&name, mapping.as_ref()).await.map_err(engine_error)?;
    Ok(json_with_status(StatusCode::CREATED, &indexes.administration.stats(&name).await.map_err(engine_error)?))
}

/// Removes an index with everything in it.
#[utoipa::path(
    delete, path = "/admin/indexes/{name}", tag = "Indexes",
    params(IndexPath),
    responses((status = 204, description = "The index is gone"))
)]
pub(crate) async fn delete(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult<StatusCode> {
    indexes.engine.delete_index(&name).await.map_err(engine_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the mapping of an index, fields that documents brought included.
#[utoipa::path(
    get, path = "/admin/indexes/{name}/mapping", tag = "Indexes",
    params(IndexPath),
    responses((status = 200, description = "The mapping", body = IndexMappingBody))
)]
pub(crate) async fn mapping(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult {
    let mapping = indexes.engine.mapping(&name).await.map_err(engine_error)?;
    Ok(json_response(&json!({"properties": mapping.raw()})))
}

/// Puts the files of an index together and drops what is deleted; returns the figures afterwards.
#[utoipa::path(
    post, path = "/admin/indexes/{name}/compact", tag = "Indexes",
    params(IndexPath),
    responses((status = 200, description = "The figures", body = IndexFigures))
)]
pub(crate) async fn compact(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult {
    indexes.administration.compact(&name).await.map_err(engine_error)?;
    Ok(json_response(&indexes.administration.stats(&name).await.map_err(engine_error)?))
}

/// Reads an index as a whole and returns what is wrong with it; nothing, as long as all is well.
#[utoipa::path(
    post, path = "/admin/indexes/{name}/verify", tag = "Indexes",
    params(IndexPath),
    responses((status = 200, description = "What was found", body = IndexProblems))
)]
pub(crate) async fn verify(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult {
    let problems = indexes.administration.verify(&name).await.map_err(engine_error)?;
    Ok(json_response(&json!({"problems": problems})))
}
