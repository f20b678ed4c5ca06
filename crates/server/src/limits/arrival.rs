//! Waiting for bodies and for answers, but not for ever.
//!
//! A body that is read as a whole must keep up a pace: a client that sends a byte now and then is given up, as is one
//! that sends nothing for a while. A body that is answered as it comes, such as a batch, may come at any pace as long as
//! something comes. The time for an answer begins when the last of the body is there.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use crate::serve::Connection;

/// The slowest body that is read as a whole, in bytes a second.
const SLOWEST: u64 = 1024;

/// What is known of a body on its way.
pub(crate) struct Arrival {
    start: Instant,
    /// When a part of it came last, in milliseconds after `start`.
    last: AtomicU64,
    is_stream: AtomicBool,
    connection: Option<Arc<Connection>>,
}

impl Arrival {
    /// Lets the body come at any pace.
    pub(crate) fn allow_pauses(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.last.load(Ordering::Relaxed))
    }

    fn note(&self) {
        let elapsed = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.store(elapsed, Ordering::Relaxed);
    }
}

/// A client sent too little of a body for too long.
#[derive(Debug)]
pub(crate) struct StalledBody;

impl fmt::Display for StalledBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it came too slowly")
    }
}

impl std::error::Error for StalledBody {}

/// Watches a body on its way; a client may be silent for as long as `patience`.
pub(crate) fn watched(body: Body, connection: Option<Arc<Connection>>, patience: Duration) -> (Body, Arc<Arrival>) {
    let arrival = Arc::new(Arrival {
        start: Instant::now(),
        last: AtomicU64::new(0),
        is_stream: AtomicBool::new(false),
        connection,
    });
    let watched = Watched {
        body,
        arrival: Arc::clone(&arrival),
        patience,
        received: 0,
        waiting: None,
        waited: Duration::ZERO,
        alarm: None,
    };
    (Body::new(watched), arrival)
}

/// Waits for an answer for as long as `patience` after the last of the body came.
pub(crate) async fn within<T>(
    patience: Duration,
    arrival: Option<&Arrival>,
    answer: impl Future<Output = T>,
) -> Option<T> {
    let mut answer = std::pin::pin!(answer);
    let mut until = Instant::now() + patience;
    loop {
        if let Ok(answer) = timeout_at(until, &mut answer).await {
            return Some(answer);
        }
        until = arrival.map(|arrival| arrival.last() + patience).filter(|later| *later > Instant::now())?;
    }
}

struct Watched {
    body: Body,
    arrival: Arc<Arrival>,
    patience: Duration,
    received: u64,
    /// Since when nothing has come, while somebody waits for it.
    waiting: Option<Instant>,
    /// How long it was waited for before that.
    waited: Duration,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Watched {
    /// Returns how long it is waited for the next part.
    fn patience_now(&self) -> Duration {
        if self.arrival.is_stream.load(Ordering::Relaxed) {
            return self.patience;
        }
        let pace = Duration::from_millis(self.received.saturating_mul(1000) / SLOWEST);
        self.patience.min((self.patience + pace).saturating_sub(self.waited))
    }

    /// Is ready when the client has to be given up.
    fn poll_alarm(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.waiting.is_none() {
            let now = Instant::now();
            self.waiting = Some(now);
            let deadline = now + self.patience_now();
            match &mut self.alarm {
                Some(alarm) => alarm.as_mut().reset(deadline),
                none => *none = Some(Box::pin(sleep_until(deadline))),
            }
            if let Some(connection) = &self.arrival.connection {
                connection.waits();
            }
        }
        match &mut self.alarm {
            Some(alarm) => alarm.as_mut().poll(context),
            None => Poll::Pending,
        }
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            if let Some(since) = self.waiting.take() {
                self.waited += since.elapsed();
                if let Some(connection) = &self.arrival.connection {
                    connection.goes_on();
                }
            }
            if let Some(Ok(frame)) = &frame {
                self.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                self.arrival.note();
            }
            return Poll::Ready(frame);
        }
        ready!(self.poll_alarm(context));
        Poll::Ready(Some(Err(axum::Error::new(StalledBody))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
