//! Timeouts for request bodies and for responses.
//!
//! A body that is read as a whole must keep up a minimum rate: a client that sends a byte now and then is given up, as is
//! one that sends nothing for the timeout. It has a share of the memory of all requests until its request is answered. A
//! body that is processed as a stream, such as a batch, may come at any rate as long as something comes. The time for a
//! response begins when the last of the body has arrived.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::Request;
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use super::LimitSettings;
use super::pace::Pace;
use super::request_memory::{MemoryShare, NoMemory, RequestMemory};
use crate::body_hook::{PolledFrame, with_poll_hook};
use crate::serve::Connection;

/// The progress of a body that is being received.
pub(crate) struct BodyProgress {
    start: Instant,
    /// When a part of it came last, in milliseconds after `start`.
    last: AtomicU64,
    is_stream: AtomicBool,
    connection: Option<Arc<Connection>>,
    memory: Arc<RequestMemory>,
    /// What the body has of the memory of all requests.
    share: Mutex<Option<MemoryShare>>,
}

impl BodyProgress {
    /// Lets the body come at any rate.
    pub(crate) fn allow_pauses(&self) {
        self.is_stream.store(true, Ordering::Relaxed);
    }

    /// Takes this many bytes more of the memory of all requests for the body.
    ///
    /// # Errors
    ///
    /// If there is no room for them within a short time.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<(), NoMemory> {
        let more = self.memory.take(bytes).await?;
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *share {
            Some(share) => share.join(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// Returns the memory of all requests together, in bytes.
    pub(crate) fn memory_limit(&self) -> usize {
        self.memory.limit()
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

/// Puts a timeout on the body of a request: a client may be silent for as long as the client timeout. The progress of the
/// body is left in the request.
pub(crate) fn with_body_timeout(
    mut request: Request,
    settings: &LimitSettings,
    memory: &Arc<RequestMemory>,
) -> Request {
    if request.body().is_end_stream() {
        return request;
    }
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    let progress = Arc::new(BodyProgress {
        start: Instant::now(),
        last: AtomicU64::new(0),
        is_stream: AtomicBool::new(false),
        connection,
        memory: Arc::clone(memory),
        share: Mutex::default(),
    });
    request.extensions_mut().insert(Arc::clone(&progress));
    let pace = Pace::new(settings.min_client_rate);
    let mut timer = BodyTimer { progress, timeout: settings.client_timeout, pace, waiting: None, alarm: None };
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
    pace: Pace,
    /// Since when the reader waits for the next frame.
    waiting: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl BodyTimer {
    /// Returns how long to wait for the next frame.
    fn remaining_timeout(&self) -> Duration {
        match self.progress.is_stream.load(Ordering::Relaxed) {
            true => self.timeout,
            false => self.pace.remaining(self.timeout),
        }
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
            let waited = self.waiting.take().map(|since| since.elapsed());
            if let (Some(_), Some(connection)) = (waited, &self.progress.connection) {
                connection.note_progress();
            }
            if let Some(Ok(frame)) = &frame {
                self.pace.note(frame.data_ref().map_or(0, Bytes::len), waited.unwrap_or_default());
                self.progress.note();
            }
            return Poll::Ready(frame);
        }
        ready!(self.poll_alarm(context));
        Poll::Ready(Some(Err(axum::Error::new(BodyTimeout))))
    }
}
