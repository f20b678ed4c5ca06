//! A byte stream that fails when its client reads nothing or next to nothing, or asks for nothing, for too long.
//!
//! As long as the client sends something it is alive: it may well send a whole batch before it reads the results.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::connection::Connection;
use crate::limits::{LimitSettings, Pace};

/// The bytes of a connection.
pub(super) struct TimeoutStream {
    stream: TokioIo<TcpStream>,
    connection: Arc<Connection>,
    timeout: Duration,
    /// Since when something is to be written that the client does not read.
    blocked_since: Option<Instant>,
    /// Since when HTTP/2 has something to send for which the client gives no room.
    unsent_since: Option<Instant>,
    pace: Pace,
    write_timer: Timer,
    idle_timer: Timer,
}

impl TimeoutStream {
    pub(super) fn new(stream: TcpStream, connection: Arc<Connection>, limits: &LimitSettings) -> Self {
        Self {
            stream: TokioIo::new(stream),
            connection,
            timeout: limits.client_timeout,
            blocked_since: None,
            unsent_since: None,
            pace: Pace::new(limits.min_client_rate),
            write_timer: None,
            idle_timer: None,
        }
    }

    /// Passes on the result of a write, and fails if the client has read nothing, or too little, for too long.
    fn check_write(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = &written {
            let since = [self.blocked_since.take(), self.unsent_since.take()].into_iter().flatten().min();
            let waited = since.map_or(Duration::ZERO, |since| since.elapsed());
            self.pace.note(result.as_ref().map_or(0, |bytes| *bytes), waited);
            self.connection.note_progress();
            // The wait for more room begins here: the next poll comes only when the client gives some.
            self.note_unsent();
            return written;
        }
        if self.blocked_since.is_none() {
            self.blocked_since = Some(Instant::now());
            self.connection.wait_for_reader();
            set_timer(&mut self.write_timer, self.pace.remaining(self.timeout));
        }
        if poll_timer(&mut self.write_timer, context).is_ready() {
            let error = io::Error::new(io::ErrorKind::TimedOut, "the client does not read the response");
            return Poll::Ready(Err(error));
        }
        Poll::Pending
    }

    /// Begins or ends the wait for room in the windows of HTTP/2.
    fn note_unsent(&mut self) {
        if self.connection.has_unsent() {
            self.unsent_since.get_or_insert_with(Instant::now);
        } else {
            self.unsent_since = None;
        }
    }

    /// Returns how much longer to wait for room in the windows of HTTP/2.
    fn unsent_time_left(&self) -> Duration {
        let left = |since: Instant| self.pace.remaining(self.timeout).saturating_sub(since.elapsed());
        self.unsent_since.map_or(self.timeout, left)
    }

    /// Is ready when the connection has waited for its client for too long.
    fn poll_idle(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Some(left) = self.connection.time_left(self.timeout) {
            let left = left.min(self.unsent_time_left());
            if left.is_zero() {
                return Poll::Ready(());
            }
            self.connection.give_up_overdue(self.timeout);
            self.note_unsent();
            let left = self.connection.time_to_overdue(self.timeout).map_or(left, |overdue| left.min(overdue));
            set_timer(&mut self.idle_timer, left);
            ready!(poll_timer(&mut self.idle_timer, context));
        }
        Poll::Pending
    }
}

/// A timer, allocated when it is set for the first time.
type Timer = Option<Pin<Box<Sleep>>>;

fn set_timer(timer: &mut Timer, timeout: Duration) {
    match timer {
        Some(timer) => timer.as_mut().reset(Instant::now() + timeout),
        None => *timer = Some(Box::pin(sleep(timeout))),
    }
}

fn poll_timer(timer: &mut Timer, context: &mut Context<'_>) -> Poll<()> {
    timer.as_mut().map_or(Poll::Pending, |timer| timer.as_mut().poll(context))
}

impl Read for TimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        self.note_unsent();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if read.is_pending() {
            ready!(self.poll_idle(context));
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client is too slow")));
        }
        self.connection.note_received();
        if self.blocked_since.is_some() {
            let timeout = self.timeout;
            self.blocked_since = Some(Instant::now());
            set_timer(&mut self.write_timer, timeout);
        }
        read
    }
}

impl Write for TimeoutStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_write(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.check_write(written, context)
    }
}
