//! Mappings: shown, and extended by fields.

use axum::extract::{Request, State};
use axum::response::Response;
use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use super::error::EsError;
use super::responses::acknowledged;
use super::{EsResult, EsState, body};
use crate::extract::Segments;
use crate::response;

/// The largest mapping, in bytes.
pub(super) const MAX_BODY_BYTES: usize = 16 << 20;

/// The name that a mapping may have around it, from the time when indexes had several.
const TYPE: &str = "_doc";

/// Shows the mappings of all indexes.
pub(super) async fn all(State(es): State<EsState>) -> EsResult<Response> {
    shown(&es, None).await
}

/// Shows the mappings of some indexes.
pub(super) async fn get(State(es): State<EsState>, Segments(index): Segments<String>) -> EsResult<Response> {
    shown(&es, Some(&index)).await
}

async fn shown(es: &EsState, index: Option<&str>) -> EsResult<Response> {
    let mut shown = Map::new();
    for index in es.indexes(index).await? {
        let mapping = es.engine.mapping(&index.name).await?;
        shown.insert(index.name, json!({"mappings": written(&mapping)}));
    }
    Ok(response::json(&shown))
}

/// Returns a mapping as its index shows it.
pub(super) fn written(mapping: &IndexMapping) -> Value {
    let mut written = Map::new();
    if !mapping.meta().is_empty() {
        written.insert("_meta".to_owned(), Value::Object(mapping.meta().clone()));
    }
    if !mapping.raw().is_empty() {
        written.insert("properties".to_owned(), Value::Object(mapping.raw().clone()));
    }
    Value::Object(written)
}

/// Adds fields.
pub(super) async fn extend(
    State(es): State<EsState>,
    Segments(index): Segments<String>,
    request: Request,
) -> EsResult<Response> {
    let given = body::read_object(request, MAX_BODY_BYTES).await?;
    let indexes = es.indexes(Some(&index)).await?;
    let mapping = json!({"mappings": without_type(given)});
    for index in indexes {
        es.engine.extend_mapping(&index.name, &mapping).await.map_err(refused)?;
    }
    Ok(response::json(&acknowledged()))
}

/// Takes the name off that may stand around a mapping.
pub(super) fn without_type(mut mapping: Map<String, Value>) -> Map<String, Value> {
    match mapping.remove(TYPE) {
        Some(Value::Object(inner)) if mapping.is_empty() => inner,
        Some(other) => {
            mapping.insert(TYPE.to_owned(), other);
            mapping
        }
        None => mapping,
    }
}

/// Returns the error for a mapping that cannot be taken.
pub(super) fn refused(error: EngineError) -> EsError {
    match error {
        EngineError::Rejected(reason) => EsError::mapper(reason),
        other => other.into(),
    }
}
