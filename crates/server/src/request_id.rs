//! The number of a request: in the answer, in the audit log, and in every line of the log that is about it.
//!
//! A number that the client gives is kept if it is plain, so that it can be followed from server to server. It is at
//! hand wherever the request is worked on, without being passed along: nothing is written for the log before there is a
//! line to write.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue};
use hyper::body::{Frame, SizeHint};
use uuid::Uuid;

use crate::metrics::RouteMetrics;

/// Carries the number of a request, both ways.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest number that a client may choose.
const LONGEST: usize = 128;

/// A number with all digits of the count at zero; what precedes them tells the numbers of this process from those of
/// others.
static FIRST: LazyLock<[u8; 25]> = LazyLock::new(|| {
    let mut first = *b"000000000000-000000000000";
    for (place, digit) in first.iter_mut().zip(Uuid::new_v4().simple().to_string().bytes()).take(12) {
        *place = digit;
    }
    first
});
static LAST: AtomicU64 = AtomicU64::new(0);

tokio::task_local! {
    static CURRENT: Current;
}

struct Current {
    id: RequestId,
    /// The route that the request took.
    route: Cell<Option<Arc<RouteMetrics>>>,
}

/// The number of a request: letters, digits, `-`, `_` and `.`; clones are cheap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// Returns the number of the request that is being worked on here, if one is.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(|current| current.id.clone()).ok()
    }

    /// Returns the number of the request that is being worked on here, else a new one.
    pub(crate) fn current_or_new() -> Self {
        Self::current().unwrap_or_else(Self::new)
    }

    /// Returns the number that a client gave its request, if it is plain, else a new one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        match headers.get(REQUEST_ID) {
            Some(given) if is_plain(given.as_bytes()) => Self(given.clone()),
            _ => Self::new(),
        }
    }

    fn new() -> Self {
        // Every request needs one, so this is done without the ways that can write anything.
        let mut count = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let mut text = *FIRST;
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

    /// Lets a future be part of the request.
    pub(crate) fn scope<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(Current { id: self, route: Cell::new(None) }, work)
    }

    /// Lets a piece of work be part of the request.
    pub(crate) fn during<T>(self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(Current { id: self, route: Cell::new(None) }, work)
    }

    /// Gives an answer the number. What is still to be made of its body is part of the request as well.
    pub(crate) fn mark(self, response: &mut Response) {
        response.headers_mut().insert(REQUEST_ID, self.0.clone());
        if response.body().size_hint().exact().is_none() {
            let body = std::mem::take(response.body_mut());
            *response.body_mut() = Body::new(Numbered { body, id: self });
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Notes which route the present request took.
pub(crate) fn note_route(route: &Arc<RouteMetrics>) {
    // Routes that are part of another server are not measured here.
    let _ = CURRENT.try_with(|current| current.route.set(Some(Arc::clone(route))));
}

/// Returns the route that the present request took, once.
pub(crate) fn taken_route() -> Option<Arc<RouteMetrics>> {
    CURRENT.try_with(|current| current.route.take()).ok().flatten()
}

fn is_plain(id: &[u8]) -> bool {
    let is_allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=LONGEST).contains(&id.len()) && id.iter().all(is_allowed)
}

/// A body that is made as part of a request.
struct Numbered {
    body: Body,
    id: RequestId,
}

impl HttpBody for Numbered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let id = self.id.clone();
        id.during(|| Pin::new(&mut self.body).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
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
