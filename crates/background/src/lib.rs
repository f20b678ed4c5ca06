//! Threads for work that nobody waits for, or that others should not do.
//!
//! Making an index anew can use every processor for minutes, and whoever writes much leaves much to tidy. Such work runs on
//! threads that **step back** for all others, so that those who search or submit meanwhile hardly notice. Only what computes
//! belongs there: a connection that is made there would be slow for whoever uses it next. Work that has to keep up with
//! what goes on meanwhile steps back only a little.
//!
//! Writing batch after batch asks for much memory and gives it back, each time about as much. Each thread keeps memory of
//! its own for what it will be asked next, so such work is done **in order** on one thread, which soon has all it needs;
//! on threads that take turns, the system would have to clear new memory for each of them.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// The threads that step back, once there is something to do for them.
static BACKGROUND: OnceLock<Option<Runtime>> = OnceLock::new();

/// The threads that step back a little, once there is something to do for them.
static SOON: OnceLock<Option<Runtime>> = OnceLock::new();

/// The thread that works in order, once there is something to do for it.
static IN_ORDER: OnceLock<Option<Runtime>> = OnceLock::new();

/// Runs work on a thread that steps back, or like any other where there can be no such threads.
///
/// # Panics
///
/// If called outside of a runtime where there can be no such threads.
pub fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let begin = || start(Builder::new_current_thread().thread_name("background").on_thread_start(|| step_back(FAR)));
    spawn(BACKGROUND.get_or_init(begin).as_ref(), work)
}

/// Runs work on a thread that steps back a little: what has to keep up with others who go on meanwhile.
///
/// # Panics
///
/// If called outside of a runtime where there can be no such threads.
pub fn run_soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let begin = || start(Builder::new_current_thread().thread_name("soon").on_thread_start(|| step_back(A_LITTLE)));
    spawn(SOON.get_or_init(begin).as_ref(), work)
}

/// Runs work that is done soon after all that was given here before, or like any other where there can be no such thread.
///
/// # Panics
///
/// If called outside of a runtime where there can be no such thread.
pub fn run_in_order<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let begin = || start(Builder::new_current_thread().thread_name("in-order").max_blocking_threads(1));
    spawn(IN_ORDER.get_or_init(begin).as_ref(), work)
}

/// Returns a runtime of which only the threads for blocking work are used; these begin and end as they are needed.
fn start(builder: &mut Builder) -> Option<Runtime> {
    builder.build().inspect_err(|error| tracing::warn!(%error, "there are no threads for background work")).ok()
}

fn spawn<T: Send + 'static>(threads: Option<&Runtime>, work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match threads {
        Some(threads) => threads.spawn_blocking(work),
        None => Handle::current().spawn_blocking(work),
    }
}

/// How far threads step back, of 19: where everybody wants to run they have a tenth of the share of others, so that nobody
/// waits for long for something that they hold, or a third.
const FAR: i32 = 10;
const A_LITTLE: i32 = 5;

/// Lets the system prefer all other threads to this one. On Linux, each thread has a niceness of its own.
#[cfg(target_os = "linux")]
fn step_back(niceness: i32) {
    if rustix::process::getpriority_process(None).is_ok_and(|present| present < niceness) {
        // One that cannot be set leaves the thread as it is.
        let _ = rustix::process::setpriority_process(None, niceness);
    }
}

#[cfg(not(target_os = "linux"))]
fn step_back(_: i32) {}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// Returns the niceness of the thread that asks.
    fn niceness() -> i32 {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let after_name = stat.rsplit_once(')').unwrap().1;
        after_name.split_whitespace().nth(16).unwrap().parse().unwrap()
    }

    #[tokio::test]
    async fn background_work_steps_back_and_nothing_else_does() {
        let before = niceness();
        assert_eq!(run(niceness).await.unwrap(), before.max(FAR));
        assert_eq!(run_soon(niceness).await.unwrap(), before.max(A_LITTLE));
        assert_eq!(tokio::task::spawn_blocking(niceness).await.unwrap(), before);
        assert_eq!(run_in_order(niceness).await.unwrap(), before);
    }

    #[tokio::test]
    async fn what_is_run_in_order_is_run_by_one_thread() {
        let done = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let works = (0..100).map(|number| {
            let done = std::sync::Arc::clone(&done);
            run_in_order(move || {
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
