//! A body that holds something until it has been sent or dropped.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

struct GuardedBody<T> {
    body: Body,
    _guard: T,
}

/// Returns the body, which lets go of what it holds when it goes.
pub(crate) fn with_guard<T: Unpin + Send + 'static>(body: Body, guard: T) -> Body {
    Body::new(GuardedBody { body, _guard: guard })
}

impl<T: Unpin> HttpBody for GuardedBody<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
