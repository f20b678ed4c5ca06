//! Noticing the end of an answer.

use std::sync::Arc;

use axum::body::HttpBody;
use axum::response::Response;
use http::header;

use super::connection::Connection;
use crate::held_body::holding;

/// Tells the connection when an answer is complete. One that is there as a whole is complete at once; events are no
/// work, since whoever follows them may be waiting for ever.
pub(super) fn followed(response: Response, connection: Arc<Connection>) -> Response {
    let is_whole = response.body().size_hint().exact().is_some();
    if is_whole || is_event_stream(&response) {
        connection.answer_ends();
        return response;
    }
    response.map(|body| holding(body, Unfinished(connection)))
}

fn is_event_stream(response: &Response) -> bool {
    response.headers().get(header::CONTENT_TYPE).is_some_and(|given| given == "text/event-stream")
}

/// An answer that is being made.
struct Unfinished(Arc<Connection>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        self.0.answer_ends();
    }
}
