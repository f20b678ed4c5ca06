//! Documents, one at a time.

use axum::extract::{Request, State};
use cantata_engine::Document;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::bulk::{BulkAction, BulkOperation, check_parameter};
use super::error::EsError;
use super::{EsResult, EsState, body};
use crate::extract::{Params, Segments};
use crate::response::{self, json_with_status};

/// The largest document, in bytes.
pub(super) const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// Returns a document with its metadata.
pub(super) async fn get(State(es): State<EsState>, Segments((index, id)): Segments<(String, String)>) -> EsResult {
    let found = es.engine.document(&index, &id).await?;
    let index = es.physical(&index).await?;
    let mut body = json!({"_index": index, "_type": "_doc", "_id": id, "found": found.is_some()});
    let Some(document) = found else { return Ok(json_with_status(StatusCode::NOT_FOUND, &body)) };
    body["_version"] = json!(1);
    body["_seq_no"] = json!(0);
    body["_primary_term"] = json!(1);
    body["_source"] = value(&document)?;
    Ok(response::json(&body))
}

/// Returns a document without its metadata.
pub(super) async fn source(State(es): State<EsState>, Segments((index, id)): Segments<(String, String)>) -> EsResult {
    match es.engine.document(&index, &id).await? {
        Some(document) => Ok(response::json(&value(&document)?)),
        None => Err(EsError::missing_document(&id)),
    }
}

/// Returns a document as JSON.
pub(super) fn value(document: &Document) -> EsResult<Value> {
    serde_json::to_value(document.root()).map_err(|error| EsError::mapper(error.to_string()))
}

/// The index of a document, and its id; without an id, a new document gets one.
#[derive(Deserialize)]
pub(super) struct DocumentPath {
    index: String,
    id: Option<String>,
}

/// Runs one operation on a document. One that adds or replaces only adds where `op_type` says so.
pub(super) async fn write(
    action: BulkAction,
    State(es): State<EsState>,
    Segments(DocumentPath { index, id }): Segments<DocumentPath>,
    params: Params,
    request: Request,
) -> EsResult {
    params.names().try_for_each(check_parameter)?;
    let action = match params.get("op_type") {
        Some("create") if action == BulkAction::Index => BulkAction::Create,
        _ => action,
    };
    let source = body::read(request, MAX_DOCUMENT_BYTES).await?;
    if source.is_empty() && action != BulkAction::Delete {
        return Err(EsError::unreadable("request body is required"));
    }
    let operation = BulkOperation::new(action, index, id, source.into())?;
    let items = es.apply(vec![operation]).await?;
    let item = items.into_iter().next().ok_or_else(|| EsError::illegal("nothing was done"))?;
    Ok(item.into_single_response())
}
