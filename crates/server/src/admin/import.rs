//! `/admin/indexes/{name}/import`: a part of an import, and how far one came.

use std::ops::Range;

use axum::extract::{FromRequestParts, Request, State};
use cantata_engine::ImportChunk;
use http::StatusCode;
use http::request::Parts;
use serde_json::json;
use utoipa::IntoParams;
use uuid::Uuid;

use super::{ORIGIN, engine_error};
use crate::Indexes;
use crate::error_body::{ApiError, ApiResult, ErrorBody};
use crate::extract::{Params, Segments, malformed, read_limited};
use crate::openapi::schemas::{ImportOutcome, ImportPosition, IndexPath};
use crate::response::json as json_response;

/// The largest part of an import, in bytes: many small documents, or one of up to 64 MB and what comes with it.
const MAX_BODY_BYTES: usize = 80 << 20;

/// Takes in documents, one in each line.
///
/// `_id` in a document is its id, else the field that `id` names, else it gets one. Lines that are no documents are
/// refused one by one. When this answers, the others are part of the index and survive a crash. With `source` and
/// `end` the server remembers how far a source came, until the import is ended.
#[utoipa::path(
    post, path = "/admin/indexes/{name}/import", tag = "Indexes",
    params(
        ("name" = String, Path, description = "The index, which must be there"),
        ("source" = Option<String>, Query, description = "Where the documents come from; unset, nothing is remembered"),
        ("end" = Option<u64>, Query, description = "How far the source is taken in with this part, in bytes"),
        ("line" = Option<u64>, Query, description = "The number of the first line; 1 if not given"),
        ("id" = Option<String>, Query, description = "The field that is the id of documents without `_id`"),
    ),
    request_body(content = String, content_type = "application/x-ndjson"),
    responses(
        (status = 200, description = "What became of the documents", body = ImportOutcome),
        (status = "default", description = "An error; nothing was taken in", body = ErrorBody),
    )
)]
pub(crate) async fn import(
    State(indexes): State<Indexes>,
    Segments(name): Segments<String>,
    request: Request,
) -> ApiResult {
    let params = Params::of(request.uri());
    let end = params.integer(ORIGIN, "end", 0)?.unwrap_or_default();
    let line = params.integer(ORIGIN, "line", 1)?.unwrap_or(1);
    let id_field = params.get("id").filter(|field| !field.is_empty()).map(str::to_owned);
    let given = params.get("source").filter(|source| !source.is_empty());
    // Documents without an id get one made of source and line, so two requests must not have the same.
    let source = given.map_or_else(|| format!("request {}", Uuid::new_v4()), str::to_owned);
    let bytes = Vec::from(read_limited(request, MAX_BODY_BYTES).await?);
    let documents = lines(&bytes, line);
    let chunk = ImportChunk { source: source.clone(), bytes, documents, end };
    let report = indexes.administration.import_chunk(&name, chunk, id_field).await.map_err(engine_error)?;
    if given.is_none() {
        indexes.administration.end_import(&name, &source).await.map_err(engine_error)?;
    }
    Ok(json_response(&report))
}

/// Returns the lines that have something in them, with their numbers.
fn lines(bytes: &[u8], first: u64) -> Vec<(u64, Range<usize>)> {
    let mut found = Vec::new();
    let mut start = 0;
    for (number, line) in (first..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        if !line.trim_ascii().is_empty() {
            found.push((number, start..start + line.trim_ascii_end().len()));
        }
        start += line.len();
    }
    found
}

/// The import that an address names.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportSource {
    /// Where the documents come from
    source: String,
}

impl<S: Send + Sync> FromRequestParts<S> for ImportSource {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let params = Params::of(&parts.uri);
        match params.get("source").unwrap_or_default() {
            "" => Err(malformed(ORIGIN, "source", "", "the name of a source").into()),
            source => Ok(Self { source: source.to_owned() }),
        }
    }
}

/// Returns how far a source was taken in by an import that did not end.
#[utoipa::path(
    get, path = "/admin/indexes/{name}/import", tag = "Indexes",
    params(IndexPath, ImportSource),
    responses((status = 200, description = "The position; 0 if nothing is remembered", body = ImportPosition))
)]
pub(crate) async fn position(
    State(indexes): State<Indexes>,
    Segments(name): Segments<String>,
    ImportSource { source }: ImportSource,
) -> ApiResult {
    let position = indexes.administration.import_position(&name, &source).await.map_err(engine_error)?;
    Ok(json_response(&json!({"position": position})))
}

/// Ends an import: its source would be taken in from its start again.
#[utoipa::path(
    delete, path = "/admin/indexes/{name}/import", tag = "Indexes",
    params(IndexPath, ImportSource),
    responses((status = 204, description = "Nothing is remembered of it any more"))
)]
pub(crate) async fn end(
    State(indexes): State<Indexes>,
    Segments(name): Segments<String>,
    ImportSource { source }: ImportSource,
) -> ApiResult<StatusCode> {
    indexes.administration.end_import(&name, &source).await.map_err(engine_error)?;
    Ok(StatusCode::NO_CONTENT)
}
