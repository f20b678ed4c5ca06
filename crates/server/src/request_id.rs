//! The request ID: in the response, in the audit log, and in every log line about the request.
//!
//! An ID that the client sends is kept if it is plain, so that a request can be followed from server to server. It is a
//! task-local variable and no field of a span: a span with fields costs something for every request, this only for log
//! lines that are written.

use std::fmt;
use std::future::Future;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::body::HttpBody as _;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::task::futures::TaskLocalFuture;
use tower::Service;
use uuid::Uuid;

use crate::body_hook::with_poll_hook;
use crate::intercept::Intercept;

/// The header with the request ID, in requests and responses.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest ID that a client may choose.
const MAX_ID_BYTES: usize = 128;

/// An ID with all digits of the number at zero; what precedes them is different in every process.
static ID_TEMPLATE: LazyLock<[u8; 25]> = LazyLock::new(|| {
    let mut first = *b"000000000000-000000000000";
    first[..12].copy_from_slice(&Uuid::new_v4().simple().to_string().as_bytes()[..12]);
    first
});
static LAST_NUMBER: AtomicU64 = AtomicU64::new(0);

tokio::task_local! {
    static CURRENT: RequestId;
}

/// A request ID: letters, digits, `-`, `_` and `.`; clones are cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Returns the ID of the current request, if there is one.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Returns the ID of the current request, else a new one.
    pub(crate) fn current_or_new() -> Self {
        Self::current().unwrap_or_else(Self::new)
    }

    /// Returns the ID that a client sent, if it is plain, else a new one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        match headers.get(REQUEST_ID) {
            Some(given) if is_plain(given.as_bytes()) => Self(given.clone()),
            _ => Self::new(),
        }
    }

    fn new() -> Self {
        // Every request needs one, so this avoids the cost of formatting.
        let mut count = LAST_NUMBER.fetch_add(1, Ordering::Relaxed) + 1;
        let mut text = *ID_TEMPLATE;
        for digit in text.iter_mut().rev().take(12) {
            *digit = b"0123456789abcdef"[(count & 15) as usize];
            count >>= 4;
        }
        Self(HeaderValue::from_bytes(&text).unwrap_or_else(|_| HeaderValue::from_static("-")))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // Nothing else was let in.
        self.0.to_str().unwrap_or_default()
    }

    /// Makes a future part of the request.
    pub(crate) fn scope<F: Future>(self, work: F) -> TaskLocalFuture<Self, F> {
        CURRENT.scope(self, work)
    }

    /// Makes a closure part of the request.
    pub(crate) fn during<T>(self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self, work)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A service that gives every request an ID, which is at hand wherever the request is worked on.
#[derive(Clone)]
pub(crate) struct RequestIdService<S>(pub(crate) S);

impl<S: Service<Request>> Service<Request> for RequestIdService<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = TaskLocalFuture<RequestId, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let id = RequestId::of(request.headers());
        let future = id.clone().during(|| self.0.call(request));
        id.scope(future)
    }
}

/// Adds the request ID to responses.
#[derive(Clone)]
pub(crate) struct RequestIdHeader;

impl Intercept for RequestIdHeader {
    type InFlight = RequestId;

    fn on_request(&self, _: &mut Request) -> Result<RequestId, Box<Response>> {
        Ok(RequestId::current_or_new())
    }

    /// Adds the ID to a response. A body that is still to be produced is part of the request as well.
    fn on_response(id: RequestId, mut response: Response) -> Response {
        response.headers_mut().insert(REQUEST_ID, id.0.clone());
        if response.body().size_hint().exact().is_some() {
            return response;
        }
        response.map(|body| with_poll_hook(body, move |body, context| id.clone().during(|| body.poll_frame(context))))
    }
}

fn is_plain(id: &[u8]) -> bool {
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=MAX_ID_BYTES).contains(&id.len()) && id.iter().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &'static str) -> RequestId {
        RequestId::of(&HeaderMap::from_iter([(REQUEST_ID, HeaderValue::from_static(text))]))
    }

    #[test]
    fn plain_numbers_are_kept_and_others_replaced_by_new_ones() {
        assert_eq!(given("trace-17.a_B").as_str(), "trace-17.a_B");
        for strange in ["", " ", "a b", "a\"b", "a{b}", "a,b", "a/b"] {
            assert_ne!(given(strange).as_str(), strange);
        }
        let (one, other) = (RequestId::of(&HeaderMap::new()), RequestId::of(&HeaderMap::new()));
        assert_ne!(one, other);
        assert!(is_plain(one.as_str().as_bytes()), "{one}");
        assert_eq!(one.as_str().split_once('-').unwrap().0, other.as_str().split_once('-').unwrap().0);
    }

    #[tokio::test]
    async fn a_request_is_known_where_it_is_worked_on_and_nowhere_else() {
        assert_eq!(RequestId::current(), None);
        let seen = given("a").scope(async { RequestId::current() }).await;
        assert_eq!(seen, Some(given("a")));
        assert_eq!(given("b").during(RequestId::current), Some(given("b")));
        assert_eq!(RequestId::current(), None);
    }
}
