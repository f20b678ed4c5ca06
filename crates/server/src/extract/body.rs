//! The body of a request: its content type, its size, its JSON.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::{Bytes, BytesMut};
use cantata_core::ErrorId;
use cantata_core::json::{JsonError, parse_exact_json};
use futures_util::StreamExt;
use http::{HeaderMap, header};
use serde_json::{Map, Value};
use tokio::time::timeout;

use crate::error_body::{ApiError, ApiResult};
use crate::limits::{BodyProgress, BodyTimeout};
use crate::state::AppState;

/// How much of a rejected body is read all the same, so that the client gets to read the answer.
pub(crate) const MAX_DISCARDED_BYTES: usize = 64 << 20;

/// How long a body is waited for that was answered already, and how long it is read in all.
const LINGER_IDLE_TIMEOUT: Duration = Duration::from_secs(1);
const LINGER_TIMEOUT: Duration = Duration::from_secs(30);
/// By how much the share of a body grows at least, so that it does not grow with every piece. Its first share is no
/// larger, whatever length is declared.
const SHARE_STEP_BYTES: usize = 64 << 10;

/// The raw bytes of a body that should be JSON.
pub(crate) struct PayloadBytes(pub(crate) Bytes);

/// A body that is a JSON object.
pub(crate) struct JsonObject(pub(crate) Map<String, Value>);

impl FromRequest<AppState> for PayloadBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let limit = state.settings.body_limit;
        match content_type(request.headers()) {
            Some(given) if given != "application/json" => {
                discard(request.into_body(), MAX_DISCARDED_BYTES).await;
                Err(unsupported_media_type(&given, "application/json"))
            }
            _ => Ok(Self(read_limited(request, limit).await?)),
        }
    }
}

impl FromRequest<AppState> for JsonObject {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        let PayloadBytes(bytes) = PayloadBytes::from_request(request, state).await?;
        let problem = match parse_exact_json(&bytes) {
            Ok(Value::Object(members)) => return Ok(Self(members)),
            _ if bytes.is_empty() => "The body is missing; send a JSON object".to_owned(),
            Ok(other) => format!("#: expected type: JSONObject, found: {}", cantata_schema::json_type_name(&other)),
            Err(error @ JsonError::LargeInteger { .. }) => error.to_string(),
            Err(error) => format!("The body is not JSON: {error}"),
        };
        Err(ApiError::new(ErrorId::MalformedRequestBody, problem))
    }
}

/// Returns the media type in lower case without its parameters; a character set other than UTF-8 stays visible.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    let given = headers.get(header::CONTENT_TYPE)?;
    let given = String::from_utf8_lossy(given.as_bytes()).to_ascii_lowercase();
    let (media_type, parameters) = given.split_once(';').unwrap_or((&given, ""));
    let foreign_charset = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.trim().split_once('=')?;
        let value = value.trim_matches('"');
        (name.trim() == "charset" && !matches!(value, "utf-8" | "utf8" | "us-ascii")).then(|| value.to_owned())
    });
    let media_type = media_type.trim();
    Some(foreign_charset.map_or_else(|| media_type.to_owned(), |charset| format!("{media_type};charset={charset}")))
}

/// Makes the error for a body of the wrong content type.
pub(crate) fn unsupported_media_type(found: &str, expected: &str) -> ApiError {
    let text = format!("The Content-Type is '{found}', but must be {expected}, in UTF-8");
    ApiError::new(ErrorId::UnsupportedMediaType, text)
}

/// Takes the body of a request with its declared length, which must not be over a limit.
pub(crate) async fn take_body(request: Request, limit: usize) -> ApiResult<(Body, usize)> {
    let declared = usize::try_from(declared_length(request.headers())).unwrap_or(usize::MAX);
    if declared <= limit {
        return Ok((request.into_body(), declared));
    }
    // A client that asks first has sent nothing yet, and need not. Any other one is answered at once; what it sends is read
    // for a while, because it would not get to read the answer if the connection were closed on it.
    if !request.headers().contains_key(header::EXPECT) {
        tokio::spawn(linger(request.into_body()));
    }
    Err(too_large(limit))
}

/// Reads a whole body of at most `limit` bytes, for which there must be room in the memory of all requests. What has
/// not come yet takes next to none of it: a client could declare much and send nothing.
pub(crate) async fn read_limited(request: Request, limit: usize) -> ApiResult<Bytes> {
    let mut share = BodyShare::of(&request);
    let (body, declared) = take_body(request, limit).await?;
    let mut pieces = body.into_data_stream();
    let first = declared.min(SHARE_STEP_BYTES);
    if let Err(no_memory) = share.grow_to(first).await {
        discard(Body::from_stream(pieces), MAX_DISCARDED_BYTES).await;
        return Err(no_memory);
    }
    let mut collected = BytesMut::with_capacity(first);
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| unreadable(&error))?;
        let length = collected.len() + piece.len();
        let refused = if length > limit { Err(too_large(limit)) } else { share.grow_to(length).await };
        if let Err(error) = refused {
            discard(Body::from_stream(pieces), MAX_DISCARDED_BYTES).await;
            return Err(error);
        }
        collected.extend_from_slice(&piece);
    }
    Ok(collected.freeze())
}

/// The share of a body in the memory of all requests. The request keeps it until it is answered.
pub(crate) struct BodyShare {
    progress: Option<Arc<BodyProgress>>,
    bytes: usize,
}

impl BodyShare {
    pub(crate) fn of(request: &Request) -> Self {
        Self { progress: request.extensions().get::<Arc<BodyProgress>>().cloned(), bytes: 0 }
    }

    /// Makes room for a body of this size, which grows step by step. One that has all of the memory needs no more.
    pub(crate) async fn grow_to(&mut self, bytes: usize) -> ApiResult<()> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let most = progress.memory_limit();
        let missing = bytes.min(most).saturating_sub(self.bytes);
        if missing == 0 {
            return Ok(());
        }
        let step = if self.bytes == 0 { 0 } else { SHARE_STEP_BYTES };
        let more = missing.max(step).min(most - self.bytes);
        let reserved = progress.reserve(more).await;
        reserved.map_err(|no_memory| ApiError::new(ErrorId::ServiceUnavailable, no_memory.to_string()))?;
        self.bytes += more;
        Ok(())
    }
}

/// Returns how long a body is said to be; 0 if nothing is said.
pub(crate) fn declared_length(headers: &HeaderMap) -> u64 {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    length.unwrap_or(0)
}

/// Makes the error for a body that stopped coming.
pub(crate) fn unreadable(error: &axum::Error) -> ApiError {
    let mut causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    let (id, text) = match causes.find_map(|cause| cause.downcast_ref::<BodyTimeout>()) {
        Some(stalled) => (ErrorId::RequestTimeout, format!("The body was given up: {stalled}; send it at once")),
        None => (ErrorId::MalformedRequestBody, format!("The body ended early or cannot be read: {error}")),
    };
    ApiError::new(id, text)
}

/// Makes the error for a body that is too large.
pub(crate) fn too_large(limit: impl Display) -> ApiError {
    let text = format!("The body is larger than the limit of {limit} bytes; send less, or in several requests");
    ApiError::new(ErrorId::PayloadTooLarge, text)
}

/// Reads and forgets the body of a request that is answered already, until its client pauses.
async fn linger(body: Body) {
    let reading = async {
        let mut left = MAX_DISCARDED_BYTES;
        let mut pieces = body.into_data_stream();
        while let Ok(Some(Ok(piece))) = timeout(LINGER_IDLE_TIMEOUT, pieces.next()).await {
            left = left.saturating_sub(piece.len());
            if left == 0 {
                return;
            }
        }
    };
    // What is left of the body is dropped, which closes the connection.
    let _ = timeout(LINGER_TIMEOUT, reading).await;
}

/// Reads and forgets a body, up to a limit.
pub(crate) async fn discard(body: Body, limit: usize) {
    let mut left = limit;
    let mut pieces = body.into_data_stream();
    while let Some(Ok(piece)) = pieces.next().await {
        left = left.saturating_sub(piece.len());
        if left == 0 {
            return;
        }
    }
}
