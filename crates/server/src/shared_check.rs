//! An expensive check that every client may ask for at any time: whether the server can write.
//!
//! It runs once at a time. Those who ask while it runs wait for the next run, which is for all of them: an answer is
//! never older than its question. A run goes on when those who asked have left, so that no second one begins beside it.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

/// Runs a check for all who ask for it.
pub(crate) struct SharedCheck<T> {
    /// How many runs have begun.
    begun: AtomicU64,
    /// The number of the last run and its answer; locked while it runs.
    last: Arc<Mutex<(u64, Option<T>)>>,
}

impl<T> Default for SharedCheck<T> {
    fn default() -> Self {
        Self { begun: AtomicU64::new(0), last: Arc::new(Mutex::new((0, None))) }
    }
}

impl<T: Clone + Send + 'static> SharedCheck<T> {
    /// Returns the answer of a run that began after the call.
    pub(crate) async fn run(&self, check: impl Future<Output = T> + Send + 'static) -> T {
        let begun_before = self.begun.load(Ordering::SeqCst);
        let mut last = Arc::clone(&self.last).lock_owned().await;
        if let (number, Some(answer)) = &*last
            && *number > begun_before
        {
            return answer.clone();
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let run = tokio::spawn(async move {
            let answer = check.await;
            *last = (number, Some(answer.clone()));
            answer
        });
        // Nobody aborts it, so it can only have panicked; the request then ends as if it had panicked itself.
        run.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use tokio::sync::Semaphore;
    use tokio::task::yield_now;

    use super::*;

    #[tokio::test]
    async fn those_who_ask_at_the_same_time_share_a_run() {
        let check = Arc::new(SharedCheck::default());
        let (runs, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let ask = || {
            let (check, runs, gate) = (Arc::clone(&check), Arc::clone(&runs), Arc::clone(&gate));
            let work = async move {
                let run = runs.fetch_add(1, Ordering::SeqCst);
                gate.acquire().await.unwrap().forget();
                run
            };
            tokio::spawn(async move { check.run(work).await })
        };
        let first = ask();
        while runs.load(Ordering::SeqCst) == 0 {
            yield_now().await;
        }
        let others: Vec<_> = (0..50).map(|_| ask()).collect();
        // Its run goes on, and no other begins beside it.
        first.abort();
        for _ in 0..10 {
            yield_now().await;
        }
        assert_eq!(runs.load(Ordering::SeqCst), 1);
        gate.add_permits(50);
        for other in others {
            assert_eq!(other.await.unwrap(), 1, "the second run is for all of them");
        }
        assert_eq!(ask().await.unwrap(), 2, "an answer is not older than its question");
    }
}
