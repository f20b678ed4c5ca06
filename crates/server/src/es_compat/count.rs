//! Counting documents: all of them, as counting some would be searching.

use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::error::EsError;
use super::responses::shards;
use super::{EsResult, EsState, body};
use crate::extract::{Params, Segments};
use crate::response;

/// The largest question, in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;

/// Counts the documents of all indexes.
pub(super) async fn all(State(es): State<EsState>, params: Params, request: Request) -> EsResult<Response> {
    count(&es, None, &params, request).await
}

/// Counts the documents of some indexes.
pub(super) async fn index(
    State(es): State<EsState>,
    Segments(index): Segments<String>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    count(&es, Some(&index), &params, request).await
}

async fn count(es: &EsState, index: Option<&str>, params: &Params, request: Request) -> EsResult<Response> {
    let question = body::read_object(request, MAX_BODY_BYTES).await?;
    if params.get("q").is_some() || !is_about_everything(&question) {
        return Err(EsError::illegal(
            "this counts all documents of an index; expected no query, or match_all; other questions are for GraphQL",
        ));
    }
    let indexes = es.indexes(index).await?;
    let documents: u64 = indexes.iter().map(|index| index.documents).sum();
    Ok(response::json(&json!({"count": documents, "_shards": shards(indexes.len())})))
}

fn is_about_everything(question: &Map<String, Value>) -> bool {
    let is_match_all = |query: &Value| {
        query.as_object().is_some_and(|query| query.len() == 1 && query.get("match_all").is_some_and(Value::is_object))
    };
    question.iter().all(|(key, value)| key == "query" && is_match_all(value))
}
