//! Notes when a response is complete, and when its client does not take the next part of it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http::header;
use hyper::body::{Frame, SizeHint};

use super::connection::Connection;

/// Tells the connection when a response is complete. One whose body is whole is complete at once. So is a stream of
/// server-sent events, which may have nothing to send for ever.
pub(super) fn track_response(response: Response, connection: Arc<Connection>) -> Response {
    let is_whole = response.body().size_hint().exact().is_some();
    if is_whole || is_event_stream(&response) {
        connection.end_response();
        return response;
    }
    response.map(|body| Body::new(TrackedBody { body, connection }))
}

fn is_event_stream(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|given| given == "text/event-stream")
}

/// The body of a response that is not complete.
struct TrackedBody {
    body: Body,
    connection: Arc<Connection>,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        // It is polled again as soon as there is room for more.
        self.connection.set_unread(matches!(frame, Poll::Ready(Some(Ok(_)))));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TrackedBody {
    fn drop(&mut self) {
        self.connection.set_unread(false);
        self.connection.end_response();
    }
}
