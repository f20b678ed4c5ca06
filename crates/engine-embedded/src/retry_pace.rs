//! When an index that has failed is tried again: by one caller at a time, and not sooner than an interval after the last
//! attempt. Where each attempt costs much, the interval doubles with each failure, up to a bound.
//!
//! An attempt reads the whole index, and everybody who needs it would begin one. All others get the error of the last
//! attempt at once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The interval unless another one is given.
pub(crate) const DEFAULT_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The attempts of one index.
#[derive(Debug)]
pub(crate) struct RetryPace {
    interval: Duration,
    max_interval: Duration,
    state: Mutex<PaceState>,
}

#[derive(Debug)]
struct PaceState {
    /// When the last attempt ended; nothing while one is running.
    ended: Option<Instant>,
    /// How many attempts failed, one after the other, as far as that is noted.
    failures: u32,
}

/// A running attempt, until it is dropped.
pub(crate) struct Attempt(Arc<RetryPace>);

impl RetryPace {
    /// Returns the pace of an index that was opened, or could not be, just now.
    pub(crate) fn new(interval: Duration) -> Arc<Self> {
        Self::with_backoff(interval, interval)
    }

    /// Returns a pace whose interval doubles with each failure that is noted.
    pub(crate) fn with_backoff(interval: Duration, max_interval: Duration) -> Arc<Self> {
        let state = Mutex::new(PaceState { ended: Some(Instant::now()), failures: 0 });
        Arc::new(Self { interval, max_interval, state })
    }

    /// Returns how long nothing is tried after this many failures.
    fn interval_after(&self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures.saturating_sub(1));
        self.interval.saturating_mul(factor).min(self.max_interval)
    }

    fn is_due_in(&self, state: &PaceState) -> bool {
        state.ended.is_some_and(|ended| ended.elapsed() >= self.interval_after(state.failures))
    }

    /// Returns whether no attempt is running, and the last one was long enough ago.
    pub(crate) fn is_due(&self) -> bool {
        self.is_due_in(&self.lock())
    }

    /// Notes that an attempt failed, also one that was not begun here. Several at once count as one.
    pub(crate) fn note_failure(&self) {
        let mut state = self.lock();
        if state.failures == 0 || state.ended.is_none() || self.is_due_in(&state) {
            state.failures = state.failures.saturating_add(1);
        }
        if state.ended.is_some() {
            state.ended = Some(Instant::now());
        }
    }

    /// Notes that an attempt succeeded.
    pub(crate) fn note_success(&self) {
        self.lock().failures = 0;
    }

    fn lock(&self) -> MutexGuard<'_, PaceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an attempt, unless one is running or the last one was not long ago.
    pub(crate) fn try_begin(self: &Arc<Self>) -> Option<Attempt> {
        let mut state = self.lock();
        self.is_due_in(&state).then(|| {
            state.ended = None;
            Attempt(Arc::clone(self))
        })
    }

    /// Begins an attempt at once.
    pub(crate) fn begin(self: &Arc<Self>) -> Attempt {
        self.lock().ended = None;
        Attempt(Arc::clone(self))
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.0.lock().ended = Some(Instant::now());
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

    #[test]
    fn the_interval_doubles_with_each_failure_up_to_a_bound() {
        let pace = RetryPace::with_backoff(Duration::from_secs(1), Duration::from_secs(600));
        let seconds = |failures: u32| pace.interval_after(failures).as_secs();
        assert_eq!([0, 1, 2, 3, 10, 11, 40, u32::MAX].map(seconds), [1, 1, 2, 4, 512, 600, 600, 600]);
        let plain = RetryPace::new(Duration::MAX);
        assert_eq!([0, u32::MAX].map(|failures| plain.interval_after(failures)), [Duration::MAX; 2]);
    }

    #[test]
    fn failures_before_the_interval_is_over_count_as_one() {
        let pace = RetryPace::with_backoff(Duration::MAX, Duration::MAX);
        let failures = |pace: &RetryPace| pace.lock().failures;
        (0..3).for_each(|_| pace.note_failure());
        assert_eq!(failures(&pace), 1);
        let attempt = pace.begin();
        pace.note_failure();
        drop(attempt);
        assert_eq!(failures(&pace), 2);
        assert!(!pace.is_due());
        pace.note_success();
        assert_eq!(failures(&pace), 0);
    }
}
