//! What a client is told that may not go on: in the words of the service it asked, and when to come back.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use cantata_core::{Error, ErrorId, ErrorOrigin};
use http::{HeaderValue, StatusCode, header};

use crate::error_body::ApiError;
use crate::search;

/// When to try an export again, in seconds: most of them take a while.
const EXPORT_PAUSE: u64 = 10;

/// Why a request goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
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
}

impl Refused {
    /// The names of the reasons, for those who count them.
    pub(crate) const REASONS: [&str; 5] =
        ["too_many_requests", "too_many_exports", "exports_are_busy", "compressed", "took_too_long"];

    /// Returns the place of its reason among the names.
    pub(crate) fn place(self) -> usize {
        match self {
            Self::TooManyRequests { .. } => 0,
            Self::TooManyExports { .. } => 1,
            Self::ExportsAreBusy => 2,
            Self::Compressed => 3,
            Self::TookTooLong => 4,
        }
    }

    /// Returns the answer, for the search service or for any other.
    pub(crate) fn answer(self, is_search: bool) -> Response {
        let id = match self {
            Self::TooManyRequests { .. } | Self::TooManyExports { .. } => ErrorId::TooManyRequests,
            Self::ExportsAreBusy => ErrorId::ServiceUnavailable,
            Self::Compressed => ErrorId::UnsupportedMediaType,
            Self::TookTooLong => ErrorId::AnswerTimeout,
        };
        let text = self.text();
        let mut response = if is_search {
            let status = StatusCode::from_u16(id.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
            search::refused(status, &text, &id.as_str().replace('.', "_").to_uppercase())
        } else {
            ApiError(Error::new(ErrorOrigin::HttpServer, id, text)).into_response()
        };
        if let Some(seconds) = self.pause() {
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
        }
    }

    /// Returns after how many seconds it is worth to try again.
    fn pause(self) -> Option<u64> {
        match self {
            Self::TooManyRequests { wait } => Some(wait.as_secs() + 1),
            Self::TooManyExports { .. } | Self::ExportsAreBusy => Some(EXPORT_PAUSE),
            Self::Compressed | Self::TookTooLong => None,
        }
    }
}
