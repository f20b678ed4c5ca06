//! Background threads of lowered priority, and a thread for sequential work.
//!
//! Building an index can use every processor for minutes, and a busy writer leaves segments to merge. Such work runs on
//! threads with a higher **niceness**, so that searches and submissions meanwhile are hardly slower. Only computation
//! belongs there: a connection that is opened there would be driven by a slow thread. Work that has to keep pace with the
//! foreground runs at a niceness in between.
//!
//! Writing batch after batch allocates and frees about the same memory each time. The allocator caches memory per thread,
//! so such work runs **sequentially** on one thread; on changing threads each would fault in new pages.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// The threads of low priority, started on first use.
static LOW_PRIORITY: OnceLock<Option<Runtime>> = OnceLock::new();

/// The threads below normal priority, started on first use.
static BELOW_NORMAL: OnceLock<Option<Runtime>> = OnceLock::new();

/// The thread for sequential work, started on first use.
static SEQUENTIAL: OnceLock<Option<Runtime>> = OnceLock::new();

/// Runs work on a thread of low priority, or on the current runtime if no such thread can be started.
///
/// # Panics
///
/// If called outside of a runtime and no such thread can be started.
pub fn spawn_low_priority<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let start = || {
        build_runtime(
            Builder::new_current_thread().thread_name("background").on_thread_start(|| raise_niceness(LOW_NICENESS)),
        )
    };
    spawn(LOW_PRIORITY.get_or_init(start).as_ref(), work)
}

/// Runs work on a thread below normal priority: work that has to keep pace with the foreground.
///
/// # Panics
///
/// If called outside of a runtime and no such thread can be started.
pub fn spawn_below_normal<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let start = || {
        build_runtime(
            Builder::new_current_thread()
                .thread_name("below-normal")
                .on_thread_start(|| raise_niceness(BELOW_NORMAL_NICENESS)),
        )
    };
    spawn(BELOW_NORMAL.get_or_init(start).as_ref(), work)
}

/// Runs work after all that was submitted here before, or on the current runtime if no such thread can be started.
///
/// # Panics
///
/// If called outside of a runtime and no such thread can be started.
pub fn spawn_sequential<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let start = || build_runtime(Builder::new_current_thread().thread_name("sequential").max_blocking_threads(1));
    spawn(SEQUENTIAL.get_or_init(start).as_ref(), work)
}

/// Builds a runtime of which only the threads for blocking work are used; these start and end on demand.
fn build_runtime(builder: &mut Builder) -> Option<Runtime> {
    builder.build().inspect_err(|error| tracing::warn!(%error, "no threads for background work can be started")).ok()
}

fn spawn<T: Send + 'static>(threads: Option<&Runtime>, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match threads {
        Some(threads) => threads.spawn_blocking(work),
        None => Handle::current().spawn_blocking(work),
    }
}

/// The niceness of low priority, of 19 at most: under contention about a tenth of the share of a normal thread, so that
/// a lock held there is not held for long.
const LOW_NICENESS: i32 = 10;

/// The niceness below normal priority: under contention about a third of the share of a normal thread.
const BELOW_NORMAL_NICENESS: i32 = 5;

/// Raises the niceness of the current thread; on Linux, each thread has its own.
#[cfg(target_os = "linux")]
fn raise_niceness(niceness: i32) {
    if rustix::process::getpriority_process(None).is_ok_and(|present| present < niceness) {
        // On an error the thread keeps its niceness.
        let _ = rustix::process::setpriority_process(None, niceness);
    }
}

#[cfg(not(target_os = "linux"))]
fn raise_niceness(_: i32) {}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// Returns the niceness of the current thread.
    fn niceness() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        after_name.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[tokio::test]
    async fn background_work_steps_back_and_nothing_else_does() {
        let before = niceness();
        assert_eq!(spawn_low_priority(niceness).await.unwrap(), before.max(LOW_NICENESS));
        assert_eq!(spawn_below_normal(niceness).await.unwrap(), before.max(BELOW_NORMAL_NICENESS));
        assert_eq!(tokio::task::spawn_blocking(niceness).await.unwrap(), before);
        assert_eq!(spawn_sequential(niceness).await.unwrap(), before);
    }

    #[tokio::test]
    async fn what_is_run_in_order_is_run_by_one_thread() {
        let done = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let works = (0..100).map(|number| {
            let done = std::sync::Arc::clone(&done);
            spawn_sequential(move || {
                done.lock().unwrap().push(number);
                std::thread::current().id()
            })
        });
        let mut threads = std::collections::HashSet::new();
        for work in works.collect::<Vec<_>>() {
            threads.insert(work.await.unwrap());
        }
        assert_eq!(threads.len(), 1);
        assert_eq!(*done.lock().unwrap(), (0..100).collect::<Vec<_>>());
    }
}
