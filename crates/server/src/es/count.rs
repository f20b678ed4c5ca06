//! Counting documents: all of them, as counting some would be searching.

use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::answers::shards;
use super::error::EsError;
use super::{Door, EsResult, body};
use crate::answer;
use crate::extract::{Params, Segments};

/// The largest question, in bytes.
const BODY_LIMIT: usize = 1 << 20;

/// Counts the documents of all indexes.
pub(super) async fn all(State(door): State<Door>, params: Params, request: Request) -> EsResult<Response> {
    count(&door, None, &params, request).await
}

/// Counts the documents of some indexes.
pub(super) async fn index(
    State(door): State<Door>,
    Segments(index): Segments<String>,
    params: Params,
    request: Request,
) -> EsResult<Response> {
    count(&door, Some(&index), &params, request).await
}

async fn count(door: &Door, index: Option<&str>, params: &Params, request: Request) -> EsResult<Response> {
    let question = body::read_object(request, BODY_LIMIT).await?;
    if params.get("q").is_some() || !is_about_everything(&question) {
        return Err(EsError::illegal(
            "this counts all documents of an index; expected no query, or match_all; other questions are for GraphQL",
        ));
    }
    let indexes = door.indexes(index).await?;
    let documents: u64 = indexes.iter().map(|index| index.documents).sum();
    Ok(answer::json(&json!({"count": documents, "_shards": shards(indexes.len())})))
}

fn is_about_everything(question: &Map<String, Value>) -> bool {
    let is_match_all = |query: &Value| {
        query.as_object().is_some_and(|query| query.len() == 1 && query.get("match_all").is_some_and(Value::is_object))
    };
    question.iter().all(|(key, value)| key == "query" && is_match_all(value))
}
