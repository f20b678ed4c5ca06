//! The thread pool on which the facets of one search are counted in parallel, the values of a dictionary compared,
//! records scored, and segments verified.
//!
//! One search has the pool at a time. The others compute on their own threads, which occupy the processors already:
//! tasks of many searches in one queue would only wait for each other.

use std::sync::LazyLock;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::Semaphore;

/// Held by the search that has the pool. A semaphore, because a lock would stay poisoned after a panic.
static POOL_PERMIT: Semaphore = Semaphore::const_new(1);

/// One thread per processor.
static SEARCH_POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let pool =
        ThreadPoolBuilder::new().num_threads(processors).thread_name(|thread| format!("search-{thread}")).build();
    pool.inspect_err(|error| tracing::warn!(%error, "searches run without a thread pool")).ok()
});

/// Returns `task(0)`, `task(1)`, … up to the number of tasks, computed in parallel if the pool is free.
pub(crate) fn map_parallel<T: Send>(tasks: usize, task: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if tasks <= 1 {
        return (0..tasks).map(task).collect();
    }
    match (&*SEARCH_POOL, POOL_PERMIT.try_acquire()) {
        (Some(pool), Ok(_permit)) if pool.current_num_threads() > 1 => {
            pool.install(|| (0..tasks).into_par_iter().with_max_len(1).map(task).collect())
        }
        _ => (0..tasks).map(task).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::map_parallel;

    #[test]
    fn every_piece_is_done_once_and_in_its_place() {
        for tasks in [0, 1, 2, 100] {
            assert_eq!(map_parallel(tasks, |task| task * 2), (0..tasks).map(|task| task * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "of the seventh")]
    fn a_panic_is_not_swallowed() {
        map_parallel(20, |task| assert_ne!(task, 7, "of the seventh"));
    }
}
