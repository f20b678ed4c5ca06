//! Successful answers: JSON values, JSON documents that are text already, long listings of those, and event streams.

use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use bytes::{BufMut, Bytes, BytesMut};
use cantata_core::{Error, ErrorId, Result};
use cantata_metadata::DocumentStream;
use futures_util::Stream;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::error_body::ApiError;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// How often a silent event stream sends a comment, which keeps its connection open.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);

/// Answers with a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => json_text(bytes),
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            let text = "The answer could not be written; the log has the cause";
            ApiError::new(ErrorId::UnknownError, text).into_response()
        }
    }
}

/// Answers with a status and a value as JSON.
pub(crate) fn json_with_status(status: StatusCode, value: &impl Serialize) -> Response {
    let mut response = json(value);
    *response.status_mut() = status;
    response
}

/// Answers with text that is JSON already.
pub(crate) fn json_text(text: impl Into<Body>) -> Response {
    with_content_type(text, JSON)
}

/// Answers with a body of a content type.
pub(crate) fn with_content_type(body: impl Into<Body>, content_type: HeaderValue) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

/// Answers with server-sent events. A failure on the way ends the connection, so that no client takes half of the events for
/// all of them.
pub(crate) fn event_stream<E: Into<BoxError>>(
    events: impl Stream<Item = Result<Event, E>> + Send + 'static,
) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT_INTERVAL)).into_response()
}

/// Puts JSON documents that are text already between a head and a tail, with commas, as they are read.
///
/// Head, documents and tail must make one JSON value. A failure on the way ends the connection, so that no client
/// takes half an answer for a whole one.
pub(crate) fn json_documents(
    head: Vec<u8>,
    mut documents: DocumentStream,
    convert: fn(String) -> Result<String>,
    tail: Vec<u8>,
) -> impl Stream<Item = Result<Bytes, Error>> + Send {
    async_stream::try_stream! {
        let mut piece = BytesMut::from(head.as_slice());
        let mut is_first = true;
        while let Some(chunk) = documents.next_chunk().await? {
            for document in chunk {
                if !is_first {
                    piece.put_u8(b',');
                }
                is_first = false;
                piece.put_slice(convert(document)?.as_bytes());
            }
            yield piece.split().freeze();
        }
        piece.put_slice(&tail);
        yield piece.freeze();
    }
}

/// Answers with a JSON array of documents.
pub(crate) fn json_array(documents: DocumentStream) -> Response {
    json_text(Body::from_stream(json_documents(b"[".to_vec(), documents, Ok, b"]".to_vec())))
}
