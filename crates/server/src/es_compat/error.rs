//! Errors in the form of Elasticsearch.

use axum::response::{IntoResponse, Response};
use cantata_core::{Error, ErrorId};
use cantata_engine::EngineError;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};

use crate::admin::log_not_writable;
use crate::error_body::ApiError;
use crate::response::json_with_status;

/// The header by which clients recognise Elasticsearch.
const PRODUCT: HeaderName = HeaderName::from_static("x-elastic-product");

/// Headers that an error response of the server itself keeps.
const KEPT_HEADERS: [HeaderName; 3] = [header::ALLOW, header::RETRY_AFTER, header::WWW_AUTHENTICATE];

/// An error in the form of Elasticsearch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EsError {
    pub(super) status: StatusCode,
    /// What kind of error Elasticsearch calls it.
    pub(super) kind: &'static str,
    /// What was found and what was expected.
    pub(super) reason: String,
}

/// An error as one operation of several shows it.
#[derive(Serialize)]
pub(super) struct Cause<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    reason: &'a str,
}

impl EsError {
    fn new(status: StatusCode, kind: &'static str, reason: impl Into<String>) -> Self {
        Self { status, kind, reason: reason.into() }
    }

    /// A request that says something wrong.
    pub(super) fn illegal(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "illegal_argument_exception", reason)
    }

    /// A body that cannot be read.
    pub(super) fn unreadable(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "parse_exception", reason)
    }

    /// A mapping or document that cannot be taken.
    pub(super) fn mapper(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "mapper_parsing_exception", reason)
    }

    /// A document that is there although it should not.
    pub(super) fn conflict(id: &str) -> Self {
        let reason = format!("[{id}]: version conflict, document already exists (current version [1])");
        Self::new(StatusCode::CONFLICT, "version_conflict_engine_exception", reason)
    }

    /// A document that is not there although it should.
    pub(super) fn missing_document(id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "document_missing_exception", format!("[_doc][{id}]: document missing"))
    }

    /// Aliases that are not there.
    pub(super) fn missing_aliases(names: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "aliases_not_found_exception", format!("aliases [{names}] missing"))
    }

    /// An index that is not there.
    pub(super) fn missing_index(name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "index_not_found_exception", format!("no such index [{name}]"))
    }

    pub(super) fn cause(&self) -> Cause<'_> {
        Cause { kind: self.kind, reason: &self.reason }
    }

    fn body(&self) -> Value {
        let cause = self.cause();
        json!({
            "error": {"root_cause": [cause], "type": self.kind, "reason": self.reason},
            "status": self.status.as_u16(),
        })
    }
}

impl From<EngineError> for EsError {
    fn from(error: EngineError) -> Self {
        let reason = error.client_message();
        let of = |status, kind| Self::new(status, kind, reason.clone());
        match &error {
            EngineError::IndexNotFound(name) => Self::missing_index(name),
            EngineError::IndexExists(name) => Self::new(
                StatusCode::BAD_REQUEST,
                "resource_already_exists_exception",
                format!("index [{name}] already exists"),
            ),
            EngineError::Rejected(_) => of(StatusCode::BAD_REQUEST, "illegal_argument_exception"),
            EngineError::Busy => of(StatusCode::TOO_MANY_REQUESTS, "es_rejected_execution_exception"),
            EngineError::Unreachable
            | EngineError::PermissionDenied
            | EngineError::TimedOut
            | EngineError::IndexUnavailable { .. } => of(StatusCode::SERVICE_UNAVAILABLE, "exception"),
            EngineError::NotWritable(reason) => {
                log_not_writable(reason);
                of(StatusCode::INSUFFICIENT_STORAGE, "exception")
            }
            EngineError::Failed(reason) | EngineError::IndexDamaged { reason, .. } => {
                tracing::error!(reason, "the search engine failed");
                of(StatusCode::INTERNAL_SERVER_ERROR, "exception")
            }
        }
    }
}

/// An error of the server itself, such as one about credentials.
impl From<&Error> for EsError {
    fn from(error: &Error) -> Self {
        let status = StatusCode::from_u16(error.id.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let kind = match error.id {
            ErrorId::UnauthorizedToken | ErrorId::ForbiddenToken => "security_exception",
            ErrorId::TooManyRequests => "es_rejected_execution_exception",
            ErrorId::PayloadTooLarge => "content_too_long_exception",
            _ if status.is_client_error() => "illegal_argument_exception",
            _ => "exception",
        };
        Self::new(status, kind, error.text.clone())
    }
}

impl From<ApiError> for EsError {
    fn from(ApiError(error): ApiError) -> Self {
        Self::from(&error)
    }
}

impl IntoResponse for EsError {
    fn into_response(self) -> Response {
        json_with_status(self.status, &self.body())
    }
}

/// Gives a response the form that clients of Elasticsearch expect, whichever layer it comes from.
pub(crate) fn render(mut response: Response) -> Response {
    if let Some(error) = response.extensions_mut().remove::<Error>() {
        let mut headers = std::mem::take(response.headers_mut());
        response = EsError::from(&error).into_response();
        for name in KEPT_HEADERS {
            if let Some(value) = headers.remove(&name) {
                response.headers_mut().insert(name, value);
            }
        }
    }
    response.headers_mut().insert(PRODUCT, HeaderValue::from_static("Elasticsearch"));
    response
}
