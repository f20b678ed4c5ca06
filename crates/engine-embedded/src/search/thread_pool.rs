//! The thread pool on which the facets of one search are counted in parallel, the values of a dictionary compared,
//! records scored, and segments verified.
//!
//! One search has the pool at a time. The others compute on their own threads, which occupy the processors already:
//! tasks of many searches in one queue would only wait for each other. The thread of the search takes part: it has done
//! some tasks before another thread is awake.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::Semaphore;

/// Held by the search that has the pool. A semaphore, because a lock would stay poisoned after a panic.
static POOL_PERMIT: Semaphore = Semaphore::const_new(1);

/// One thread per processor but one, which is for the thread of the search; nothing if that leaves none.
static SEARCH_POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let others = std::thread::available_parallelism().map_or(0, |processors| processors.get() - 1);
    if others == 0 {
        return None;
    }
    let pool = ThreadPoolBuilder::new().num_threads(others).thread_name(|thread| format!("search-{thread}")).build();
    pool.inspect_err(|error| tracing::warn!(%error, "searches run without a thread pool")).ok()
});

/// Returns `task(0)`, `task(1)`, … up to the number of tasks, computed in parallel if the pool is free.
pub(crate) fn map_parallel<T: Send>(tasks: usize, task: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if tasks <= 1 {
        return (0..tasks).map(task).collect();
    }
    match (&*SEARCH_POOL, POOL_PERMIT.try_acquire()) {
        (Some(pool), Ok(_permit)) => map_with(pool, tasks, &task),
        _ => (0..tasks).map(task).collect(),
    }
}

/// Computes tasks on the calling thread and on those of a pool; each takes the next one when it is done with another.
fn map_with<T: Send>(pool: &ThreadPool, tasks: usize, task: &(impl Fn(usize) -> T + Sync)) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(tasks));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= tasks {
                break;
            }
            let result = task(number);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
    };
    pool.in_place_scope(|scope| {
        for _ in 0..pool.current_num_threads().min(tasks - 1) {
            scope.spawn(|_| work());
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
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
