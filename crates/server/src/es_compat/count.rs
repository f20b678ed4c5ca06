//! Counting documents: all of them, as counting some would be searching.

use axum::extract::{Request, State};
use serde_json::{Map, Value, json};

use super::error::EsError;
use super::index_patterns::ListPath;
use super::responses::shards;
use super::{EsResult, EsState, body};
use crate::extract::{Params, Segments};
use crate::response;

/// The largest question, in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;

/// Counts the documents of indexes.
pub(super) async fn count(State(es): State<EsState>, Segments(path): Segments<ListPath>, request: Request) -> EsResult {
    let has_query = Params::of(request.uri()).get("q").is_some();
    let question = body::read_object(request, MAX_BODY_BYTES).await?;
    if has_query || !is_about_everything(&question) {
        return Err(EsError::illegal(
            "this counts all documents of an index; expected no query, or match_all; other questions are for GraphQL",
        ));
    }
    let indexes = es.indexes(path.index.as_deref()).await?;
    let documents: u64 = indexes.iter().map(|index| index.documents).sum();
    Ok(response::json(&json!({"count": documents, "_shards": shards(indexes.len())})))
}

fn is_about_everything(question: &Map<String, Value>) -> bool {
    let is_match_all = |query: &Value| {
        query.as_object().is_some_and(|query| query.len() == 1 && query.get("match_all").is_some_and(Value::is_object))
    };
    question.iter().all(|(key, value)| key == "query" && is_match_all(value))
}
