//! Rejections of requests beyond a limit, in the form of the API that was called, and when to retry.

use std::time::Duration;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cantata_core::ErrorId;
use http::{HeaderValue, StatusCode, header};

use super::request_memory::NoMemory;
use crate::error_body::ApiError;
use crate::extract::discard;
use crate::routes::Dialect;
use crate::search;

/// How much of the body of a rejected request is read all the same.
const MAX_DISCARDED_BYTES: usize = 1024 * 1024;

/// After how long to retry an export: most of them take a while.
const EXPORT_RETRY_SECONDS: u64 = 10;

/// After how long to retry when the server was too busy for a moment.
pub(crate) const BUSY_RETRY_SECONDS: u64 = 5;

/// Why a request is rejected. As a response it waits for [`ErrorRenderer`](crate::error_body::ErrorRenderer).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// Its client sent too many.
    TooManyRequests {
        /// When the next one is allowed.
        wait: Duration,
    },
    /// Its client has as many exports as it may have.
    TooManyExports {
        /// How many that is.
        most: usize,
    },
    /// All clients together have as many exports as there may be.
    ExportsAreBusy,
    /// Its body is compressed.
    Compressed,
    /// Its answer took too long.
    TookTooLong,
    /// There is no memory for its answer.
    NoMemory,
}

impl Rejection {
    /// The labels of the reasons in metrics.
    pub(crate) const REASONS: [&str; 6] =
        ["too_many_requests", "too_many_exports", "exports_are_busy", "compressed", "took_too_long", "no_memory"];

    /// Returns the position of its reason among the labels.
    pub(crate) fn index(self) -> usize {
        match self {
            Self::TooManyRequests { .. } => 0,
            Self::TooManyExports { .. } => 1,
            Self::ExportsAreBusy => 2,
            Self::Compressed => 3,
            Self::TookTooLong => 4,
            Self::NoMemory => 5,
        }
    }

    /// Rejects a request. A client that is still sending would not read the response, so its body is read first.
    pub(crate) async fn reject(self, request: Request) -> Response {
        discard(request.into_body(), MAX_DISCARDED_BYTES).await;
        self.into_response()
    }

    /// Returns the response of an API.
    pub(crate) fn render(self, dialect: Dialect) -> Response {
        let id = match self {
            Self::TooManyRequests { .. } | Self::TooManyExports { .. } => ErrorId::TooManyRequests,
            Self::ExportsAreBusy | Self::NoMemory => ErrorId::ServiceUnavailable,
            Self::Compressed => ErrorId::UnsupportedMediaType,
            Self::TookTooLong => ErrorId::AnswerTimeout,
        };
        let text = self.text();
        let mut response = if dialect == Dialect::Search {
            let status = StatusCode::from_u16(id.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
            search::graphql_error(status, &text, &id.as_str().replace('.', "_").to_uppercase())
        } else {
            ApiError::new(id, text).into_response()
        };
        if let Some(seconds) = self.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if self == Self::Compressed {
            response.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        response
    }

    fn text(self) -> String {
        match self {
            Self::TooManyRequests { .. } => {
                "Too many requests came from this client; the header Retry-After says when to go on".to_owned()
            }
            Self::TooManyExports { most } => {
                format!("This client has {most} exports running, which is the limit; wait for one of them to end")
            }
            Self::ExportsAreBusy => "All exports that may run at once are taken; try again later".to_owned(),
            Self::Compressed => {
                "The Content-Encoding must be identity: bodies are not decompressed; send it as it is".to_owned()
            }
            Self::TookTooLong => {
                "The answer took too long and was given up; a change may have happened all the same".to_owned()
            }
            Self::NoMemory => NoMemory.to_string(),
        }
    }

    /// Returns after how many seconds to retry.
    fn retry_after(self) -> Option<u64> {
        match self {
            Self::TooManyRequests { wait } => Some(wait.as_secs() + 1),
            Self::TooManyExports { .. } | Self::ExportsAreBusy => Some(EXPORT_RETRY_SECONDS),
            Self::NoMemory => Some(BUSY_RETRY_SECONDS),
            Self::Compressed | Self::TookTooLong => None,
        }
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let mut response = StatusCode::SERVICE_UNAVAILABLE.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
