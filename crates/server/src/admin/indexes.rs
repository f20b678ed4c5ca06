//! `/admin/indexes`, and what can be done with an index as a whole.

use axum::extract::{Request, State};
use axum::response::Response;
use cantata_core::json::parse_json;
use cantata_core::{Error, ErrorId};
use http::StatusCode;
use serde_json::{Map, Value, json};

use super::{ORIGIN, refused};
use crate::Indexes;
use crate::error_body::{ApiResult, ErrorBody};
use crate::extract::{Segments, read_limited};
use crate::openapi::schemas::{IndexFigures, IndexInShort, IndexMappingBody, IndexProblems};
use crate::response::json as json_response;

/// The largest mapping, in bytes.
const MAX_MAPPING_BYTES: usize = 16 << 20;

/// Lists the indexes, by name.
#[utoipa::path(
    get, path = "/admin/indexes", tag = "Indexes",
    responses(
        (status = 200, description = "The indexes", body = Vec<IndexInShort>),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn list(State(indexes): State<Indexes>) -> ApiResult<Response> {
    let found = indexes.engine.indexes().await.map_err(refused)?;
    let shown: Vec<IndexInShort> = found.into_iter().map(IndexInShort::from).collect();
    Ok(json_response(&shown))
}

/// Returns the figures of an index.
#[utoipa::path(
    get, path = "/admin/indexes/{name}", tag = "Indexes",
    params(("name" = String, Path, description = "The index")),
    responses(
        (status = 200, description = "The figures", body = IndexFigures),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn stats(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult<Response> {
    Ok(json_response(&indexes.administration.stats(&name).await.map_err(refused)?))
}

/// Makes an index, with the mapping in the body or, without a body, with the fields that its documents will bring.
#[utoipa::path(
    put, path = "/admin/indexes/{name}", tag = "Indexes",
    params(("name" = String, Path, description = "The index: letters, digits, `_`, `-` and `.`")),
    request_body = Option<IndexMappingBody>,
    responses(
        (status = 201, description = "The figures of the new index", body = IndexFigures),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn create(
    State(indexes): State<Indexes>,
    Segments(name): Segments<String>,
    request: Request,
) -> ApiResult<Response> {
    let body = read_limited(request, MAX_MAPPING_BYTES).await?;
    let malformed = |text: String| Error::new(ORIGIN, ErrorId::MalformedRequestBody, text);
    let mapping = if body.is_empty() {
        None
    } else {
        Some(parse_json(&body).map_err(|error| malformed(format!("The mapping is not JSON: {error}")))?)
    };
    indexes.engine.create_index(&name, mapping.as_ref()).await.map_err(refused)?;
    let mut response = json_response(&indexes.administration.stats(&name).await.map_err(refused)?);
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// Removes an index with everything in it.
#[utoipa::path(
    delete, path = "/admin/indexes/{name}", tag = "Indexes",
    params(("name" = String, Path, description = "The index")),
    responses(
        (status = 204, description = "The index is gone"),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn delete(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult<StatusCode> {
    indexes.engine.delete_index(&name).await.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the mapping of an index, fields that documents brought included.
#[utoipa::path(
    get, path = "/admin/indexes/{name}/mapping", tag = "Indexes",
    params(("name" = String, Path, description = "The index")),
    responses(
        (status = 200, description = "The mapping", body = IndexMappingBody),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn mapping(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult<Response> {
    let mapping = indexes.engine.mapping(&name).await.map_err(refused)?;
    let body = Map::from_iter([("properties".to_owned(), Value::Object(mapping.raw().clone()))]);
    Ok(json_response(&body))
}

/// Puts the files of an index together and drops what is deleted; returns the figures afterwards.
#[utoipa::path(
    post, path = "/admin/indexes/{name}/compact", tag = "Indexes",
    params(("name" = String, Path, description = "The index")),
    responses(
        (status = 200, description = "The figures", body = IndexFigures),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn compact(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult<Response> {
    indexes.administration.compact(&name).await.map_err(refused)?;
    Ok(json_response(&indexes.administration.stats(&name).await.map_err(refused)?))
}

/// Reads an index as a whole and returns what is wrong with it; nothing, as long as all is well.
#[utoipa::path(
    post, path = "/admin/indexes/{name}/verify", tag = "Indexes",
    params(("name" = String, Path, description = "The index")),
    responses(
        (status = 200, description = "What was found", body = IndexProblems),
        (status = "default", description = "An error", body = ErrorBody),
    )
)]
pub(crate) async fn verify(State(indexes): State<Indexes>, Segments(name): Segments<String>) -> ApiResult<Response> {
    let problems = indexes.administration.verify(&name).await.map_err(refused)?;
    Ok(json_response(&json!({"problems": problems})))
}
