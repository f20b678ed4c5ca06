//! Noticing the end of an answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http::header;
use hyper::body::{Frame, SizeHint};

use super::connection::Connection;

/// Tells the connection when an answer is complete. One that is there as a whole is complete at once; events are no
/// work, since whoever follows them may be waiting for ever.
pub(super) fn followed(response: Response, connection: Arc<Connection>) -> Response {
    let is_whole = response.body().size_hint().exact().is_some();
    if is_whole || is_event_stream(&response) {
        connection.answer_ends();
        return response;
    }
    response.map(|body| Body::new(Followed { body, connection }))
}

fn is_event_stream(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|given| given == "text/event-stream")
}

/// The body of an answer that is being made.
struct Followed {
    body: Body,
    connection: Arc<Connection>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.connection.answer_ends();
    }
}

impl HttpBody for Followed {
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
