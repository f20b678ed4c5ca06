//! A connection that is given up when its client reads nothing for too long.
//!
//! As long as the client sends something it is alive: it may well send a whole batch before it reads the results.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::connection::Connection;

/// The bytes of a connection.
pub(super) struct PatientStream {
    stream: TokioIo<TcpStream>,
    connection: Arc<Connection>,
    patience: Duration,
    /// Whether something is to be written that the client does not take.
    is_blocked: bool,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl PatientStream {
    pub(super) fn new(stream: TcpStream, connection: Arc<Connection>, patience: Duration) -> Self {
        Self { stream: TokioIo::new(stream), connection, patience, is_blocked: false, alarm: None }
    }

    /// Passes on what came of a write, and gives the client up if it has taken nothing for too long.
    fn written<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.is_blocked = false;
            self.connection.goes_on();
            return written;
        }
        if !self.is_blocked {
            self.is_blocked = true;
            self.connection.is_not_read();
            self.wait_anew();
        }
        let is_over = self.alarm.as_mut().is_some_and(|alarm| alarm.as_mut().poll(context).is_ready());
        if is_over {
            let error = io::Error::new(io::ErrorKind::TimedOut, "the client does not read its answer");
            return Poll::Ready(Err(error));
        }
        Poll::Pending
    }

    fn wait_anew(&mut self) {
        match &mut self.alarm {
            Some(alarm) => alarm.as_mut().reset(Instant::now() + self.patience),
            none => *none = Some(Box::pin(sleep(self.patience))),
        }
    }
}

impl Read for PatientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if self.is_blocked && read.is_ready() {
            self.wait_anew();
        }
        read
    }
}

impl Write for PatientStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(written, context)
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
        self.written(written, context)
    }
}
