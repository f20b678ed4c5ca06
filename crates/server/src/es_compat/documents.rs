//! Documents, one at a time.

use axum::extract::{Request, State};
use axum::response::Response;
use cantata_engine::Document;
use http::StatusCode;
use serde_json::{Value, json};

use super::bulk::{BulkAction, BulkOperation, check_parameter};
use super::error::{EsError, json_with_status};
use super::{EsResult, EsState, body};
use crate::extract::{Params, Segments};
use crate::response;

/// The largest document, in bytes.
pub(super) const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Shows a document.
pub(super) async fn get(
    State(es): State<EsState>,
    Segments((index, id)): Segments<(String, String)>,
) -> EsResult<Response> {
    let found = es.engine.document(&index, &id).await?;
    let index = es.physical(&index).await?;
    let mut shown = json!({"_index": index, "_type": "_doc", "_id": id, "found": found.is_some()});
    let Some(document) = found else { return Ok(json_with_status(StatusCode::NOT_FOUND, &shown)) };
    shown["_version"] = json!(1);
    shown["_seq_no"] = json!(0);
    shown["_primary_term"] = json!(1);
    shown["_source"] = value(&document)?;
    Ok(response::json(&shown))
}

/// Shows a document and nothing about it.
pub(super) async fn source(
    State(es): State<EsState>,
    Segments((index, id)): Segments<(String, String)>,
) -> EsResult<Response> {
    match es.engine.document(&index, &id).await? {
        Some(document) => Ok(response::json(&value(&document)?)),
        None => Err(EsError::missing_document(&id)),
    }
}

/// Returns a document as JSON.
pub(super) fn value(document: &Document) -> EsResult<Value> {
    serde_json::to_value(document.root()).map_err(|error| EsError::mapper(error.to_string()))
}

/// Adds or replaces a document; only adds it where `op_type` says so.
pub(super) async fn put(
    State(es): State<EsState>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    let action = if params.get("op_type") == Some("create") { BulkAction::Create } else { BulkAction::Index };
    one(&es, action, index, Some(id), &params, request).await
}

/// Adds a document, which gets an id.
pub(super) async fn post(
    State(es): State<EsState>,
    Segments(index): Segments<String>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&es, BulkAction::Index, index, None, &params, request).await
}

/// Adds a document that is not there.
pub(super) async fn create(
    State(es): State<EsState>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&es, BulkAction::Create, index, Some(id), &params, request).await
}

/// Changes a part of a document.
pub(super) async fn update(
    State(es): State<EsState>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&es, BulkAction::Update, index, Some(id), &params, request).await
}

/// Removes a document.
pub(super) async fn delete(
    State(es): State<EsState>,
    Segments((index, id)): Segments<(String, String)>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    one(&es, BulkAction::Delete, index, Some(id), &params, request).await
}

async fn one(
    es: &EsState,
    action: BulkAction,
    index: String,
    id: Option<String>,
    params: &Params,
    request: Request,
) -> EsResult<Response> {
    params.names().try_for_each(check_parameter)?;
    let source = body::read(request, MAX_DOCUMENT_BYTES).await?;
    if source.is_empty() && action != BulkAction::Delete {
        return Err(EsError::unreadable("request body is required"));
    }
    let operation = BulkOperation::new(action, index, id, source.into())?;
    let items = es.apply(vec![operation]).await?;
    let item = items.into_iter().next().ok_or_else(|| EsError::illegal("nothing was done"))?;
    item.alone()
}
