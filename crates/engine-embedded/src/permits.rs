//! Search permits: bounds on how many searches run, and how many wait.
//!
//! A search runs on a blocking thread and cannot be stopped from outside. So a semaphore bounds the running searches,
//! and one that was cancelled (see [`crate::cancellation`]) ends before its next page, facet or group of terms. However
//! many searches are started and abandoned, they occupy a bounded number of threads. The searches of one index have at
//! most three quarters of the permits and of the places to wait, so that those of others go on.
//!
//! Short searches ([`crate::search::SearchEffort`]) have permits of their own: they do not wait for the others, however
//! many there are.
//!
//! Exports find their records like a search, and have permits of their own for each page of them, and fewer: a file takes
//! its time, while a person waits for a page. How many exports wait is bounded by the server (`MAX_EXPORTS`).

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use cantata_engine::EngineError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Running searches per processor: some wait for the disk.
const MAX_RUNNING_PER_PROCESSOR: usize = 4;

/// Running short searches per processor, beside the others.
const MAX_SHORT_PER_PROCESSOR: usize = 2;

/// Searches that wait for a permit; as many short ones.
const MAX_WAITING: usize = 2000;

/// Indexes are told apart by a hash of their names; those with the same one share their part.
const INDEX_SLOTS: usize = 64;

/// The right to run one search, until it is dropped.
pub(crate) struct SearchPermit {
    _running: OwnedSemaphorePermit,
    _part_of_index: OwnedSemaphorePermit,
}

/// The right to read one page of an export, until it is dropped.
pub(crate) type ExportPermit = OwnedSemaphorePermit;

/// Hands out the permits of exports, in the order of the requests; clones share them.
#[derive(Clone)]
pub(crate) struct ExportPermits(Arc<Semaphore>);

impl Default for ExportPermits {
    /// One for every two processors.
    fn default() -> Self {
        Self(Arc::new(Semaphore::new((processors() / 2).max(1))))
    }
}

impl ExportPermits {
    /// Waits for a permit.
    pub(crate) async fn acquire(&self) -> Result<ExportPermit, EngineError> {
        Arc::clone(&self.0).acquire_owned().await.map_err(|_| EngineError::Busy)
    }
}

/// Hands out the permits of one kind of searches, in the order of the requests.
pub(crate) struct SearchPermits {
    all: PermitCounts,
    by_index: Vec<PermitCounts>,
    hasher: RandomState,
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Permits to run, and places to wait.
struct PermitCounts {
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

impl PermitCounts {
    fn new(running: usize, waiting: usize) -> Self {
        Self { running: Arc::new(Semaphore::new(running)), waiting: Semaphore::new(waiting) }
    }

    async fn wait(&self) -> Result<OwnedSemaphorePermit, EngineError> {
        Arc::clone(&self.running).acquire_owned().await.map_err(|_| EngineError::Busy)
    }
}

impl Default for SearchPermits {
    /// The permits of all searches but the short ones.
    fn default() -> Self {
        Self::new(MAX_RUNNING_PER_PROCESSOR * processors(), MAX_WAITING)
    }
}

impl SearchPermits {
    /// The permits of short searches.
    pub(crate) fn for_short_searches() -> Self {
        Self::new(MAX_SHORT_PER_PROCESSOR * processors(), MAX_WAITING)
    }

    fn new(max_running: usize, max_waiting: usize) -> Self {
        let part = |all: usize| (all * 3 / 4).max(1);
        let by_index = (0..INDEX_SLOTS).map(|_| PermitCounts::new(part(max_running), part(max_waiting)));
        let all = PermitCounts::new(max_running, max_waiting);
        Self { all, by_index: by_index.collect(), hasher: RandomState::new() }
    }

    /// Waits for a permit to search an index.
    ///
    /// # Errors
    ///
    /// If too many searches wait already.
    pub(crate) async fn acquire(&self, index: &str) -> Result<SearchPermit, EngineError> {
        let of_index = self.of_index(index);
        if let Ok(part) = Arc::clone(&of_index.running).try_acquire_owned()
            && let Ok(running) = Arc::clone(&self.all.running).try_acquire_owned()
        {
            return Ok(SearchPermit { _running: running, _part_of_index: part });
        }
        let _waiting_of_index = of_index.waiting.try_acquire().map_err(|_| EngineError::Busy)?;
        let _waiting = self.all.waiting.try_acquire().map_err(|_| EngineError::Busy)?;
        // The part of the index comes first: what waits for it must not hold a permit that another index could use.
        let part = of_index.wait().await?;
        Ok(SearchPermit { _running: self.all.wait().await?, _part_of_index: part })
    }

    /// Returns how many more searches may wait.
    #[cfg(test)]
    pub(crate) fn free_places(&self) -> usize {
        self.all.waiting.available_permits()
    }

    fn of_index(&self, index: &str) -> &PermitCounts {
        &self.by_index[self.hasher.hash_one(index) as usize % INDEX_SLOTS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_are_taken_in_order_and_given_back() {
        let permits = Arc::new(SearchPermits::new(1, 1));
        let first = permits.acquire("a").await.unwrap();
        let second = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { permits.acquire("a").await.map(|_| ()) }
        });
        while permits.free_places() == 1 {
            tokio::task::yield_now().await;
        }
        let third = permits.acquire("a").await.err();
        assert_eq!(third, Some(EngineError::Busy), "one runs, one waits, a third is too many");
        drop(first);
        assert_eq!(second.await.unwrap(), Ok(()));
        assert!(permits.acquire("a").await.is_ok());
        assert_eq!(permits.free_places(), 1);
    }

    #[tokio::test]
    async fn one_index_cannot_take_all_of_them() {
        let permits = Arc::new(SearchPermits::new(4, 8));
        let is_apart = |name: &String| !std::ptr::eq(permits.of_index(name), permits.of_index("greedy"));
        let other = (0..).map(|number: usize| format!("other-{number}")).find(is_apart).unwrap();
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(permits.acquire("greedy").await.unwrap());
        }
        let waiting: Vec<_> = (0..6)
            .map(|_| {
                let permits = Arc::clone(&permits);
                tokio::spawn(async move { permits.acquire("greedy").await.map(|_| ()) })
            })
            .collect();
        while permits.free_places() > 2 {
            tokio::task::yield_now().await;
        }
        assert_eq!(permits.acquire("greedy").await.err(), Some(EngineError::Busy));
        assert!(permits.acquire(&other).await.is_ok(), "another index is searched at once");
        drop(held);
        for search in waiting {
            assert_eq!(search.await.unwrap(), Ok(()));
        }
    }
}
