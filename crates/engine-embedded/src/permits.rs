//! Search permits: bounds on how many searches run, and how many wait.
//!
//! A search runs on a blocking thread and cannot be stopped from outside. So a semaphore bounds the running searches,
//! and one that was cancelled (see [`crate::cancellation`]) ends before its next page or facet. However many searches are
//! started and abandoned, they occupy a bounded number of threads.

use std::sync::Arc;

use cantata_engine::EngineError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Running searches per processor: some wait for the disk.
const MAX_RUNNING_PER_PROCESSOR: usize = 4;

/// Searches that wait for a permit.
const MAX_WAITING: usize = 2000;

/// The right to run one search, until it is dropped.
pub(crate) type SearchPermit = OwnedSemaphorePermit;

/// Hands out the permits, in the order of the requests.
pub(crate) struct SearchPermits {
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Default for SearchPermits {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self::new(processors * MAX_RUNNING_PER_PROCESSOR, MAX_WAITING)
    }
}

impl SearchPermits {
    fn new(max_running: usize, max_waiting: usize) -> Self {
        Self { running: Arc::new(Semaphore::new(max_running)), waiting: Semaphore::new(max_waiting) }
    }

    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// If too many searches wait already.
    pub(crate) async fn acquire(&self) -> Result<SearchPermit, EngineError> {
        if let Ok(permit) = Arc::clone(&self.running).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = self.waiting.try_acquire().map_err(|_| EngineError::Busy)?;
        Arc::clone(&self.running).acquire_owned().await.map_err(|_| EngineError::Busy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_are_taken_in_order_and_given_back() {
        let permits = Arc::new(SearchPermits::new(1, 1));
        let first = permits.acquire().await.unwrap();
        let second = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { permits.acquire().await.map(|_| ()) }
        });
        while permits.waiting.available_permits() == 1 {
            tokio::task::yield_now().await;
        }
        assert_eq!(permits.acquire().await.err(), Some(EngineError::Busy), "one runs, one waits, a third is too many");
        drop(first);
        assert_eq!(second.await.unwrap(), Ok(()));
        assert!(permits.acquire().await.is_ok());
        assert_eq!(permits.waiting.available_permits(), 1);
    }
}
