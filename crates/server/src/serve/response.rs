//! Notes when a response is complete, and when its client does not take the next part of it.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http::header;
use hyper::body::{Frame, SizeHint};

use super::connection::{Connection, UnsentResponse};
use crate::body_hook::{PolledFrame, with_poll_hook};

/// Smaller responses fit into the windows of HTTP/2.
const MIN_COUNTED_BYTES: u64 = 64 << 10;

/// The size of the pieces in which HTTP/2 takes larger ones.
const PIECE_BYTES: usize = 64 << 10;

/// Tells the connection when a response is complete. One whose body is whole is complete at once. So is a stream of
/// server-sent events, which may have nothing to send for ever.
pub(super) fn track_response(response: Response, connection: Arc<Connection>) -> Response {
    let size = response.body().size_hint().exact();
    if size.is_some() || is_event_stream(&response) {
        connection.end_response();
        // A stream waits for its client; what is whole is in memory. On HTTP/1 it is written as fast as the client reads.
        return match size.filter(|size| *size >= MIN_COUNTED_BYTES && !connection.is_http1()) {
            Some(size) => response.map(|body| Body::new(PacedBody::new(body, size, connection))),
            None => response,
        };
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

/// What is left of a response that is sent over HTTP/2; none once it was given up.
pub(super) type PendingResponse = Arc<Mutex<Option<PendingBody>>>;

/// The part of a response that HTTP/2 has not taken.
pub(super) struct PendingBody {
    /// Dropped at its end, so that what it holds beside its data does not wait for the client.
    body: Option<Body>,
    /// What was read of the body and not taken.
    data: Bytes,
}

/// Hands a body to HTTP/2 in pieces: HTTP/2 keeps what it has taken while its windows are full. Meanwhile the connection can
/// give up the rest; then this stream fails when its client asks for more, and the others go on.
struct PacedBody {
    held: PendingResponse,
    connection: Arc<Connection>,
    noted: UnsentResponse,
}

impl PacedBody {
    fn new(body: Body, bytes: u64, connection: Arc<Connection>) -> Self {
        let held = Arc::new(Mutex::new(Some(PendingBody { body: Some(body), data: Bytes::new() })));
        let noted = connection.add_unsent(bytes, Arc::clone(&held));
        Self { held, connection, noted }
    }

    fn lock(&self) -> MutexGuard<'_, Option<PendingBody>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for PacedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> PolledFrame {
        let mut held = self.lock();
        let Some(rest) = held.as_mut() else {
            let error = io::Error::new(io::ErrorKind::TimedOut, "the client does not read the response");
            return Poll::Ready(Some(Err(axum::Error::new(error))));
        };
        while rest.data.is_empty() {
            let Some(body) = &mut rest.body else { return Poll::Ready(None) };
            match ready!(Pin::new(&mut *body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => rest.data = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
            if body.is_end_stream() {
                rest.body = None;
            }
        }
        // A part that shared the memory of the whole would keep it.
        let piece = Bytes::copy_from_slice(&rest.data[..rest.data.len().min(PIECE_BYTES)]);
        rest.data = rest.data.slice(piece.len()..);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        let is_at_end =
            |rest: &PendingBody| rest.data.is_empty() && rest.body.as_ref().is_none_or(HttpBody::is_end_stream);
        self.lock().as_ref().is_some_and(is_at_end)
    }

    fn size_hint(&self) -> SizeHint {
        let held = self.lock();
        let Some(rest) = held.as_ref() else { return SizeHint::new() };
        let unread = rest.body.as_ref().map_or(Some(0), |body| body.size_hint().exact());
        unread.map_or_else(SizeHint::new, |unread| SizeHint::with_exact(unread + rest.data.len() as u64))
    }
}

impl Drop for PacedBody {
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

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::time::Duration;

    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_response_that_is_read_too_slowly_fails_alone_and_is_not_kept() {
        // Everything is due at once.
        let connection = Arc::new(Connection::new(IpAddr::V4(Ipv4Addr::LOCALHOST), u64::MAX));
        let content = Bytes::from(vec![b'x'; 3 * PIECE_BYTES]);
        let paced = |content: &Bytes| {
            let response = track_response(Response::new(Body::from(content.clone())), Arc::clone(&connection));
            response.into_body()
        };
        connection.begin_request(http::Version::HTTP_2);
        let whole = paced(&content);
        assert_eq!(whole.size_hint().exact(), Some(content.len() as u64));
        assert_eq!(whole.collect().await.unwrap().to_bytes(), content);
        assert!(!connection.has_unsent());

        connection.begin_request(http::Version::HTTP_2);
        let mut slow = paced(&content);
        assert_eq!(slow.frame().await.unwrap().unwrap().into_data().unwrap().len(), PIECE_BYTES);
        connection.give_up_overdue(Duration::from_secs(3600));
        assert_eq!(slow.frame().await.unwrap().unwrap().into_data().unwrap().len(), PIECE_BYTES);
        connection.begin_request(http::Version::HTTP_2);
        connection.give_up_overdue(Duration::ZERO);
        assert!(!connection.has_unsent());
        assert!(content.is_unique(), "it is kept");
        assert!(!slow.is_end_stream() && slow.frame().await.unwrap().is_err());
        let later = paced(&content);
        assert_eq!(later.collect().await.unwrap().to_bytes(), content, "the others go on");
    }
}
