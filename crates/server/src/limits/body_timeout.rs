//! Timeouts for request bodies and for responses.
//!
//! A body that is read as a whole must keep up a minimum rate: a client that sends a byte now and then is given up, as is
//! one that sends nothing for the timeout. A body that is processed as a stream, such as a batch, may come at any rate as
//! long as something comes. The time for a response begins when the last of the body has arrived.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use crate::body_hook::{PolledFrame, with_poll_hook};
use crate::serve::Connection;

/// The lowest rate of a body that is read as a whole.
const MIN_BODY_BYTES_PER_SECOND: u64 = 1024;

/// The progress of a body that is being received.
pub(crate) struct BodyProgress {
    start: Instant,
    /// When a part of it came last, in milliseconds after `start`.
    last: AtomicU64,
    is_stream: AtomicBool,
    connection: Option<Arc<Connection>>,
}

impl BodyProgress {
    /// Lets the body come at any rate.
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
#[derive(Debug, thiserror::Error)]
#[error("it came too slowly")]
pub(crate) struct BodyTimeout;

/// Puts a timeout on the body of a request: a client may be silent for as long as `timeout`. The progress of the body is
/// left in the request.
pub(crate) fn with_body_timeout(mut request: Request, timeout: Duration) -> Request {
    if request.body().is_end_stream() {
        return request;
    }
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    let progress = Arc::new(BodyProgress {
        start: Instant::now(),
        last: AtomicU64::new(0),
        is_stream: AtomicBool::new(false),
        connection,
    });
    request.extensions_mut().insert(Arc::clone(&progress));
    let mut timer = BodyTimer { progress, timeout, received: 0, waiting: None, waited: Duration::ZERO, alarm: None };
    request.map(|body| with_poll_hook(body, move |body, context| timer.poll_frame(body, context)))
}

/// Waits for a response for as long as `timeout` after the last of the body came.
pub(crate) async fn timeout_after_body<T>(
    timeout: Duration,
    progress: Option<&BodyProgress>,
    answer: impl Future<Output = T>,
) -> Option<T> {
    let mut answer = std::pin::pin!(answer);
    let mut until = Instant::now() + timeout;
    loop {
        if let Ok(answer) = timeout_at(until, &mut answer).await {
            return Some(answer);
        }
        until = progress.map(|progress| progress.last() + timeout).filter(|later| *later > Instant::now())?;
    }
}

/// Watches how a body is received.
struct BodyTimer {
    progress: Arc<BodyProgress>,
    timeout: Duration,
    received: u64,
    /// Since when the reader waits for the next frame.
    waiting: Option<Instant>,
    /// How long the reader has waited before that.
    waited: Duration,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl BodyTimer {
    /// Returns how long to wait for the next frame.
    fn remaining_timeout(&self) -> Duration {
        if self.progress.is_stream.load(Ordering::Relaxed) {
            return self.timeout;
        }
        let pace = Duration::from_millis(self.received.saturating_mul(1000) / MIN_BODY_BYTES_PER_SECOND);
        self.timeout.min((self.timeout + pace).saturating_sub(self.waited))
    }

    /// Is ready when the timeout is over.
    fn poll_alarm(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.waiting.is_none() {
            let now = Instant::now();
            self.waiting = Some(now);
            let deadline = now + self.remaining_timeout();
            match &mut self.alarm {
                Some(alarm) => alarm.as_mut().reset(deadline),
                none => *none = Some(Box::pin(sleep_until(deadline))),
            }
            if let Some(connection) = &self.progress.connection {
                connection.wait_for_body();
            }
        }
        match &mut self.alarm {
            Some(alarm) => alarm.as_mut().poll(context),
            None => Poll::Pending,
        }
    }

    fn poll_frame(&mut self, body: Pin<&mut Body>, context: &mut Context<'_>) -> PolledFrame {
        if let Poll::Ready(frame) = body.poll_frame(context) {
            if let Some(since) = self.waiting.take() {
                self.waited += since.elapsed();
                if let Some(connection) = &self.progress.connection {
                    connection.note_progress();
                }
            }
            if let Some(Ok(frame)) = &frame {
                self.received += frame.data_ref().map_or(0, |data| data.len() as u64);
                self.progress.note();
            }
            return Poll::Ready(frame);
        }
        ready!(self.poll_alarm(context));
        Poll::Ready(Some(Err(axum::Error::new(BodyTimeout))))
    }
}
