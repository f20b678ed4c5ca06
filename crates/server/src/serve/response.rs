//! Notes when a response is complete, and when its client does not take the next part of it.

use std::sync::Arc;
use std::task::Poll;

use axum::body::HttpBody as _;
use axum::response::Response;
use http::header;

use super::connection::Connection;
use crate::body_hook::with_poll_hook;

/// Tells the connection when a response is complete. One whose body is whole is complete at once. So is a stream of
/// server-sent events, which may have nothing to send for ever.
pub(super) fn track_response(response: Response, connection: Arc<Connection>) -> Response {
    let is_whole = response.body().size_hint().exact().is_some();
    if is_whole || is_event_stream(&response) {
        connection.end_response();
        return response;
    }
    let open = OpenResponse(connection);
    response.map(|body| {
        with_poll_hook(body, move |body, context| {
            let frame = body.poll_frame(context);
            // It is polled again as soon as there is room for more.
            open.0.set_unread(matches!(frame, Poll::Ready(Some(Ok(_)))));
            frame
        })
    })
}

fn is_event_stream(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|given| given == "text/event-stream")
}

/// A response that is not complete, until it is dropped.
struct OpenResponse(Arc<Connection>);

impl Drop for OpenResponse {
    fn drop(&mut self) {
        self.0.set_unread(false);
        self.0.end_response();
    }
}
