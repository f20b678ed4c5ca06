//! Mappings: returned, and extended by fields.

use axum::extract::{Request, State};
use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use super::error::EsError;
use super::index_patterns::ListPath;
use super::responses::acknowledged;
use super::{EsResult, EsState, body};
use crate::extract::Segments;
use crate::response;

/// The largest mapping, in bytes.
pub(super) const MAX_BODY_BYTES: usize = 16 << 20;

/// The name that a mapping may have around it, from the time when indexes had several.
const TYPE: &str = "_doc";

/// Returns the mappings of indexes.
pub(super) async fn get(State(es): State<EsState>, Segments(path): Segments<ListPath>) -> EsResult {
    let mut mappings = Map::new();
    for index in es.indexes(path.index.as_deref()).await? {
        let mapping = es.engine.mapping(&index.name).await?;
        mappings.insert(index.name, json!({"mappings": to_json(&mapping)}));
    }
    Ok(response::json(&mappings))
}

/// Returns a mapping as its index shows it.
pub(super) fn to_json(mapping: &IndexMapping) -> Value {
    let mut members = Map::new();
    if !mapping.meta().is_empty() {
        members.insert("_meta".to_owned(), Value::Object(mapping.meta().clone()));
    }
    if !mapping.raw().is_empty() {
        members.insert("properties".to_owned(), Value::Object(mapping.raw().clone()));
    }
    Value::Object(members)
}

/// Adds fields.
pub(super) async fn extend(State(es): State<EsState>, Segments(index): Segments<String>, request: Request) -> EsResult {
    let given = body::read_object(request, MAX_BODY_BYTES).await?;
    let indexes = es.indexes(Some(&index)).await?;
    let mapping = json!({"mappings": without_type(given)});
    for index in indexes {
        es.engine.extend_mapping(&index.name, &mapping).await.map_err(mapping_error)?;
    }
    Ok(acknowledged())
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

/// Returns the error for a mapping that an engine rejected.
pub(super) fn mapping_error(error: EngineError) -> EsError {
    match error {
        EngineError::Rejected(reason) => EsError::mapper(reason),
        other => other.into(),
    }
}
