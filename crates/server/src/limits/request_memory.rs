//! The memory of request bodies and of answers that are not sent yet, those of all clients together.
//!
//! A body takes its share as it comes, and keeps it until its request is answered. An answer takes its share when it is
//! complete, and keeps it until it is sent. What does not get its share within a short time is rejected, so no number
//! of connections takes more than the limit, beside the answers that are being made and those that report a change:
//! they are sent in any case. A small request whose share is free costs one atomic operation, and a small answer none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::body_hook::with_poll_hook;

/// How long a body or an answer waits for its share.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Smaller answers are not counted: the buffers of their connections have room for them.
const MIN_COUNTED_ANSWER_BYTES: usize = 64 << 10;

/// Once answers with more than one part in this many of the limit wait for their share, no other one waits.
const WAITING_DIVISOR: usize = 4;

/// The memory of all bodies and answers.
pub(crate) struct RequestMemory {
    limit: usize,
    used: AtomicUsize,
    /// Bytes of answers that wait for their share.
    waiting: AtomicUsize,
    freed: Notify,
}

/// A share of the memory, until it is dropped.
pub(crate) struct MemoryShare {
    memory: Arc<RequestMemory>,
    bytes: usize,
}

impl RequestMemory {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, used: AtomicUsize::new(0), waiting: AtomicUsize::new(0), freed: Notify::new() })
    }

    /// Returns the limit, in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Takes a share for an answer that is sent even if there is none.
    pub(crate) fn try_take_for_answer(self: &Arc<Self>, bytes: u64) -> Option<MemoryShare> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes < MIN_COUNTED_ANSWER_BYTES { None } else { self.try_take(bytes) }
    }

    /// Takes a share for an answer that is complete; `Ok(None)` if it need not be counted.
    ///
    /// # Errors
    ///
    /// If there is none within a short time, or too many answers wait already.
    pub(crate) async fn take_for_answer(self: &Arc<Self>, bytes: u64) -> Result<Option<MemoryShare>, NoMemory> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes < MIN_COUNTED_ANSWER_BYTES {
            return Ok(None);
        }
        if let Some(share) = self.try_take(bytes) {
            return Ok(Some(share));
        }
        let _waiting = WaitingAnswer { memory: self, bytes };
        let before = self.waiting.fetch_add(bytes, Ordering::Relaxed);
        if before > self.limit / WAITING_DIVISOR {
            return Err(NoMemory);
        }
        self.take(bytes).await.map(Some)
    }

    /// Takes a share, and waits for it.
    ///
    /// # Errors
    ///
    /// If there is none within a short time.
    pub(crate) async fn take(self: &Arc<Self>, bytes: usize) -> Result<MemoryShare, NoMemory> {
        if let Some(share) = self.try_take(bytes) {
            return Ok(share);
        }
        let taken = async {
            loop {
                let freed = self.freed.notified();
                tokio::pin!(freed);
                // From here on no release is missed.
                freed.as_mut().enable();
                if let Some(share) = self.try_take(bytes) {
                    return share;
                }
                freed.await;
            }
        };
        timeout(MAX_WAIT, taken).await.map_err(|_| NoMemory)
    }

    /// Takes a share if there is room for it. What is larger than the limit takes all of it.
    fn try_take(self: &Arc<Self>, bytes: usize) -> Option<MemoryShare> {
        let bytes = bytes.min(self.limit);
        let add = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(MemoryShare { memory: Arc::clone(self), bytes })
    }
}

/// There was no share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("The requests and answers in memory take as much as REQUEST_MEMORY allows; try again later")]
pub(crate) struct NoMemory;

impl MemoryShare {
    /// Adds another share to this one.
    pub(crate) fn join(&mut self, mut other: Self) {
        self.bytes += std::mem::take(&mut other.bytes);
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.memory.used.fetch_sub(self.bytes, Ordering::Relaxed);
            self.memory.freed.notify_waiters();
        }
    }
}

/// Returns a body whose bytes hold a share until they are sent: a connection takes a whole body long before it has sent
/// all of it.
pub(crate) fn with_share(body: Body, share: MemoryShare) -> Body {
    let share = Arc::new(share);
    with_poll_hook(body, move |body, context| {
        let hold = |data: Bytes| Bytes::from_owner(CountedBytes { data, _share: Arc::clone(&share) });
        body.poll_frame(context).map_ok(|frame| frame.map_data(hold))
    })
}

/// A part of an answer with its share.
struct CountedBytes {
    data: Bytes,
    _share: Arc<MemoryShare>,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

/// An answer that waits for its share.
struct WaitingAnswer<'m> {
    memory: &'m RequestMemory,
    bytes: usize,
}

impl Drop for WaitingAnswer<'_> {
    fn drop(&mut self) {
        self.memory.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    #[tokio::test]
    async fn shares_never_exceed_the_limit_and_come_back() {
        let memory = RequestMemory::new(1 << 20);
        let mut most = memory.take(1 << 19).await.unwrap();
        most.join(memory.take(1 << 18).await.unwrap());
        assert!(memory.try_take(1 << 19).is_none());
        assert!(memory.take_for_answer(1000).await.unwrap().is_none(), "small answers are not counted");
        let rest = memory.take(1 << 18).await.unwrap();
        let waiting = tokio::spawn({
            let memory = Arc::clone(&memory);
            async move { memory.take_for_answer(1 << 19).await.map(drop) }
        });
        while memory.waiting.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(memory.take_for_answer(1 << 18).await.err(), Some(NoMemory), "too much waits already");
        assert!(memory.try_take_for_answer(1 << 18).is_none());
        drop((most, rest));
        assert_eq!(waiting.await.unwrap(), Ok(()));
        let everything = memory.take(usize::MAX).await.unwrap();
        assert_eq!(everything.bytes, 1 << 20);
        drop(everything);
        assert_eq!((memory.used.load(Ordering::Relaxed), memory.waiting.load(Ordering::Relaxed)), (0, 0));
    }

    #[test]
    fn an_answer_holds_its_share_until_its_bytes_are_gone() {
        let memory = RequestMemory::new(1 << 20);
        let share = memory.try_take(1 << 20).unwrap();
        let mut body = with_share(Body::from(vec![b'x'; 100]), share);
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context) else { panic!("no frame") };
        drop(body);
        assert!(memory.try_take(1).is_none(), "the bytes are not sent yet");
        drop(frame);
        assert!(memory.try_take(1).is_some());
    }
}
