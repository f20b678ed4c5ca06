//! When an index that has failed is tried again: by one caller at a time, and not sooner than an interval after the last
//! attempt.
//!
//! An attempt reads the whole index, and everybody who needs it would begin one. All others get the error of the last
//! attempt at once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The interval unless another one is given.
pub(crate) const DEFAULT_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The attempts of one index.
#[derive(Debug)]
pub(crate) struct RetryPace {
    interval: Duration,
    /// When the last attempt ended; nothing while one is running.
    ended: Mutex<Option<Instant>>,
}

/// A running attempt, until it is dropped.
pub(crate) struct Attempt(Arc<RetryPace>);

impl RetryPace {
    /// Returns the pace of an index that was opened, or could not be, just now.
    pub(crate) fn new(interval: Duration) -> Arc<Self> {
        Arc::new(Self { interval, ended: Mutex::new(Some(Instant::now())) })
    }

    /// Begins an attempt, unless one is running or the last one was not long ago.
    pub(crate) fn try_begin(self: &Arc<Self>) -> Option<Attempt> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = ended.is_some_and(|ended| ended.elapsed() >= self.interval);
        is_due.then(|| {
            *ended = None;
            Attempt(Arc::clone(self))
        })
    }

    /// Begins an attempt at once.
    pub(crate) fn begin(self: &Arc<Self>) -> Attempt {
        self.set(None);
        Attempt(Arc::clone(self))
    }

    fn set(&self, ended: Option<Instant>) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = ended;
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.0.set(Some(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_attempt_runs_at_a_time() {
        let pace = RetryPace::new(Duration::ZERO);
        let attempt = pace.try_begin();
        assert!(attempt.is_some() && pace.try_begin().is_none());
        drop(attempt);
        let forced = pace.begin();
        assert!(pace.try_begin().is_none());
        drop(forced);
        assert!(pace.try_begin().is_some());
    }

    #[test]
    fn no_attempt_begins_before_the_interval_is_over() {
        let pace = RetryPace::new(Duration::MAX);
        assert!(pace.try_begin().is_none(), "it was opened just now");
        drop(pace.begin());
        assert!(pace.try_begin().is_none());
    }
}
