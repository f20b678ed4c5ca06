//! Threads for work that may take its time.
//!
//! Making an index anew can use every processor for minutes, and whoever writes much leaves much to tidy. Such work runs on
//! threads that step back for all others, so that those who search or submit meanwhile hardly notice. Only what computes
//! belongs there: a connection that is made there would be slow for whoever uses it next.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

/// The threads, once there is something to do for them.
static THREADS: OnceLock<Option<Runtime>> = OnceLock::new();

/// Runs work on a thread that steps back, or like any other where there can be no such threads.
///
/// # Panics
///
/// If called outside of a runtime where there can be no such threads.
pub fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match THREADS.get_or_init(start) {
        Some(threads) => threads.spawn_blocking(work),
        None => Handle::current().spawn_blocking(work),
    }
}

/// Returns a runtime of which only the threads for blocking work are used; these begin and end as they are needed.
fn start() -> Option<Runtime> {
    let mut builder = Builder::new_current_thread();
    builder.thread_name("background").on_thread_start(step_back);
    builder.build().inspect_err(|error| tracing::warn!(%error, "there are no threads for background work")).ok()
}

/// How far these threads step back, of 19: where everybody wants to run they have a tenth of the share of others, so that
/// nobody waits for long for something that they hold.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Lets the system prefer all other threads to this one. On Linux, each thread has a niceness of its own.
#[cfg(target_os = "linux")]
fn step_back() {
    if rustix::process::getpriority_process(None).is_ok_and(|niceness| niceness < NICENESS) {
        // One that cannot be set leaves the thread as it is.
        let _ = rustix::process::setpriority_process(None, NICENESS);
    }
}

#[cfg(not(target_os = "linux"))]
fn step_back() {}

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
        assert_eq!(run(niceness).await.unwrap(), before.max(NICENESS));
        assert_eq!(tokio::task::spawn_blocking(niceness).await.unwrap(), before);
    }
}
