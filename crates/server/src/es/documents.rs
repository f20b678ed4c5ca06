//! Documents, one at a time.

use axum::extract::{Request, State};
use axum::response::Response;
use cantata_engine::Document;
use http::StatusCode;
use serde_json::{Value, json};

use super::bulk::{Operation, Verb, check_parameter};
use super::error::{EsError, answer_with};
use super::{Door, EsResult, body};
use crate::answer;
use crate::extract::{Params, Segments};

/// The largest document, in bytes.
pub(super) const DOCUMENT_LIMIT: usize = 64 << 20;

/// Shows a document.
pub(super) async fn get(
    State(door): State<Door>,
    Segments((index, id)): Segments<(String, String)>,
) -> EsResult<Response> {
    let found = door.engine.document(&index, &id).await?;
    let index = door.physical(&index).await?;
    let mut shown = json!({"_index": index, "_type": "_doc", "_id": id, "found": found.is_some()});
    let Some(document) = found else { return Ok(answer_with(StatusCode::NOT_FOUND, &shown)) };
    shown["_version"] = json!(1);
    shown["_seq_no"] = json!(0);
    shown["_primary_term"] = json!(1);
    shown["_source"] = value(&document)?;
    Ok(answer::json(&shown))
}

/// Shows a document and nothing about it.
pub(super) async fn source(
    State(door): State<Door>,
    Segments((index, id)): Segments<(String, String)>,
) -> EsResult<Response> {
    match door.engine.document(&index, &id).await? {
        Some(document) => Ok(answer::json(&value(&document)?)),
        None => Err(EsError::missing_document(&id)),
    }
}

/// Returns a document as JSON.
pub(super) fn value(document: &Document) -> EsResult<Value> {
    serde_json::to_value(document.root()).map_err(|error| EsError::mapper(error.to_string()))
}

/// Adds or replaces a document; only adds it where `op_type` says so.
pub(super) async fn put(
    State(door): State<Door>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    let verb = if params.get("op_type") == Some("create") { Verb::Create } else { Verb::Index };
    one(&door, verb, index, Some(id), &params, request).await
}

/// Adds a document, which gets an id.
pub(super) async fn post(
    State(door): State<Door>,
    Segments(index): Segments<String>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&door, Verb::Index, index, None, &params, request).await
}

/// Adds a document that is not there.
pub(super) async fn create(
    State(door): State<Door>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&door, Verb::Create, index, Some(id), &params, request).await
}

/// Changes a part of a document.
pub(super) async fn update(
    State(door): State<Door>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&door, Verb::Update, index, Some(id), &params, request).await
}

/// Removes a document.
pub(super) async fn delete(
    State(door): State<Door>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&door, Verb::Delete, index, Some(id), &params, request).await
}

async fn one(
    door: &Door,
    verb: Verb,
    index: String,
    id: Option<String>,
    params: &Params,
    request: Request,
) -> EsResult<Response> {
    params.names().try_for_each(check_parameter)?;
    let source = body::read(request, DOCUMENT_LIMIT).await?;
    if source.is_empty() && verb != Verb::Delete {
        return Err(EsError::unreadable("request body is required"));
    }
    let operation = Operation::new(verb, index, id, source.into())?;
    let items = door.apply(vec![operation]).await?;
    let item = items.into_iter().next().ok_or_else(|| EsError::illegal("nothing was done"))?;
    item.alone()
}
