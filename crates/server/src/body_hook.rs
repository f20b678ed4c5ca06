//! A body with a hook around each of its polls.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// The result of polling a body.
pub(crate) type PolledFrame = Poll<Option<Result<Frame<Bytes>, axum::Error>>>;

struct HookedBody<H> {
    body: Body,
    hook: H,
}

/// Returns a body that `hook` polls. The hook is dropped together with the body.
pub(crate) fn with_poll_hook<H>(body: Body, hook: H) -> Body
where
    H: FnMut(Pin<&mut Body>, &mut Context<'_>) -> PolledFrame + Unpin + Send + 'static,
{
    Body::new(HookedBody { body, hook })
}

/// Returns a body that holds a guard until it has been sent or dropped.
pub(crate) fn with_guard<T: Unpin + Send + 'static>(body: Body, guard: T) -> Body {
    with_poll_hook(body, move |body, context| {
        let _held = &guard;
        body.poll_frame(context)
    })
}

impl<H> HttpBody for HookedBody<H>
where
    H: FnMut(Pin<&mut Body>, &mut Context<'_>) -> PolledFrame + Unpin,
{
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> PolledFrame {
        let Self { body, hook } = &mut *self;
        hook(Pin::new(body), context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
