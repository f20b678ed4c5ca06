//! How many searches run at once.
//!
//! A search runs on a thread of its own and cannot be stopped from outside. So only some run at the same time, the
//! others wait for their turn, and one whose client has left ends by itself before its next page or facet. However many
//! are asked for and given up, the threads are those of a few.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cantata_engine::EngineError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many searches may run for each processor: some wait for the disk.
const FOR_EACH_PROCESSOR: usize = 4;

/// How many searches may wait for their turn.
const MOST_WAITING: usize = 2000;

/// The right to search, for as long as it lives.
pub(crate) type Turn = OwnedSemaphorePermit;

/// Who may search, and who waits.
pub(crate) struct Turns {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

impl Default for Turns {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(processors * FOR_EACH_PROCESSOR, MOST_WAITING)
    }
}

impl Turns {
    fn new(most_running: usize, most_waiting: usize) -> Self {
        Self { running: Arc::new(Semaphore::new(most_running)), waiting: AtomicUsize::new(0), most_waiting }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    ///
    /// If too many wait already.
    pub(crate) async fn take(&self) -> Result<Turn, EngineError> {
        if let Ok(turn) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(turn);
        }
        let waiting = Waiting::new(&self.waiting);
        if waiting.number > self.most_waiting {
            return Err(EngineError::Busy);
        }
        Arc::clone(&self.running).acquire_owned().await.map_err(|_| EngineError::Busy)
    }
}

/// Somebody who waits.
struct Waiting<'a> {
    all: &'a AtomicUsize,
    number: usize,
}

impl<'a> Waiting<'a> {
    fn new(all: &'a AtomicUsize) -> Self {
        Self { all, number: all.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.all.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Somebody who wants an answer; dropped, nobody does.
#[derive(Default)]
pub(crate) struct Asker(Arc<AtomicBool>);

/// What a search knows of whoever asked.
#[derive(Clone)]
pub(crate) struct Interest(Arc<AtomicBool>);

impl Asker {
    pub(crate) fn interest(&self) -> Interest {
        Interest(Arc::clone(&self.0))
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Interest {
    /// Says whether it is worth going on.
    ///
    /// # Errors
    ///
    /// If nobody wants the answer any more.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if self.0.load(Ordering::Relaxed) { Err(EngineError::TimedOut) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_are_taken_in_order_and_given_back() {
        let turns = Arc::new(Turns::new(1, 1));
        let first = turns.take().await.unwrap();
        let second = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move { turns.take().await.map(|_| ()) }
        });
        while turns.waiting.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(
            turns.take().await.err(),
            Some(EngineError::Busy),
            "one runs, one waits, and there is room for no more"
        );
        drop(first);
        assert_eq!(second.await.unwrap(), Ok(()));
        assert!(turns.take().await.is_ok());
        assert_eq!(turns.waiting.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_search_notices_that_nobody_wants_it() {
        let asker = Asker::default();
        let interest = asker.interest();
        assert_eq!(interest.check(), Ok(()));
        drop(asker);
        assert_eq!(interest.check(), Err(EngineError::TimedOut));
    }
}
