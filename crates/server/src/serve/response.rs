//! Notes when a response is complete, and when its client does not take the next part of it.

use std::sync::Arc;
use std::task::Poll;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::response::Response;
use http::header;

use super::connection::{Connection, UnsentResponse};
use crate::body_hook::with_poll_hook;

/// Smaller responses fit into the windows of HTTP/2.
const MIN_COUNTED_BYTES: u64 = 64 << 10;

/// Tells the connection when a response is complete. One whose body is whole is complete at once. So is a stream of
/// server-sent events, which may have nothing to send for ever.
pub(super) fn track_response(response: Response, connection: Arc<Connection>) -> Response {
    let size = response.body().size_hint().exact();
    if size.is_some() || is_event_stream(&response) {
        connection.end_response();
        // A stream waits for its client; what is whole is in memory. On HTTP/1 it is written as fast as the client reads.
        let is_counted = size.is_some_and(|size| size >= MIN_COUNTED_BYTES) && !connection.is_http1();
        return if is_counted { response.map(|body| count_unsent(body, connection)) } else { response };
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

/// Tells the connection that a body was taken and is not sent: HTTP/2 keeps them while its windows are full.
fn count_unsent(body: Body, connection: Arc<Connection>) -> Body {
    with_poll_hook(body, move |body, context| {
        let count = |data: Bytes| Bytes::from_owner(UnsentBytes::new(data, Arc::clone(&connection)));
        body.poll_frame(context).map_ok(|frame| frame.map_data(count))
    })
}

/// A part of a response, until it is sent.
struct UnsentBytes {
    data: Bytes,
    connection: Arc<Connection>,
    noted: UnsentResponse,
}

impl UnsentBytes {
    fn new(data: Bytes, connection: Arc<Connection>) -> Self {
        let noted = connection.add_unsent(data.len());
        Self { data, connection, noted }
    }
}

impl AsRef<[u8]> for UnsentBytes {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for UnsentBytes {
    fn drop(&mut self) {
        self.connection.remove_unsent(self.noted);
    }
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
