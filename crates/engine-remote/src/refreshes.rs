//! How often writes refresh an index of a cluster.
//!
//! A refresh costs a cluster much more than a write. The first write after a pause has one at once, so that a single change is
//! found without delay; those that follow soon wait for the refresh that the cluster makes by itself, once a second by default.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When the indexes were refreshed because of a write.
pub(crate) struct Refreshes {
    interval: Duration,
    last: Mutex<HashMap<String, Instant>>,
}

impl Refreshes {
    /// Sets the least time between two refreshes of an index.
    pub(crate) fn new(interval: Duration) -> Self {
        Self { interval, last: Mutex::default() }
    }

    /// Returns whether a write may refresh an index now, and takes note of it.
    pub(crate) fn admit(&self, index: &str, now: Instant) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|_, refreshed| now.saturating_duration_since(*refreshed) < self.interval);
        if last.contains_key(index) {
            return false;
        }
        last.insert(index.to_owned(), now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_refreshed_once_in_an_interval_however_often_it_is_written() {
        let refreshes = Refreshes::new(Duration::from_secs(1));
        let start = Instant::now();
        let admitted = |index: &str, millis: u64| refreshes.admit(index, start + Duration::from_millis(millis));
        assert!(admitted("files", 0) && admitted("analyses", 1));
        assert!((1..100).all(|nth| !admitted("files", nth * 10)));
        assert!(admitted("files", 1_000) && !admitted("files", 1_999) && admitted("files", 2_000));
    }

    #[test]
    fn without_an_interval_every_write_refreshes() {
        let refreshes = Refreshes::new(Duration::ZERO);
        let now = Instant::now();
        assert!(refreshes.admit("files", now) && refreshes.admit("files", now));
    }
}
