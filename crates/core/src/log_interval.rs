//! One log line in place of many equal ones.
//!
//! While a database is away or a disk is full, every request fails in the same way. The first failure is logged at once, and
//! after that one line for each interval, which says how many were left out since the line before.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Which of many equal log lines are written.
#[derive(Debug)]
pub struct LogInterval {
    interval: Duration,
    state: Mutex<IntervalState>,
}

#[derive(Debug)]
struct IntervalState {
    last_line: Option<Instant>,
    left_out: u64,
}

impl LogInterval {
    /// Allows one line for each interval.
    pub const fn new(interval: Duration) -> Self {
        Self { interval, state: Mutex::new(IntervalState { last_line: None, left_out: 0 }) }
    }

    /// Returns, if a line is due, how many were left out since the last one.
    pub fn admit(&self) -> Option<u64> {
        // The two numbers are consistent after every statement, so those that a panic left behind can be used.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.last_line.is_some_and(|last_line| last_line.elapsed() < self.interval) {
            state.left_out += 1;
            return None;
        }
        state.last_line = Some(Instant::now());
        Some(std::mem::take(&mut state.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_an_interval_is_admitted_and_the_next_counts_the_others() {
        let lines = LogInterval::new(Duration::from_secs(3600));
        assert_eq!(lines.admit(), Some(0));
        assert_eq!([lines.admit(), lines.admit(), lines.admit()], [None; 3]);
        lines.state.lock().unwrap().last_line = None;
        assert_eq!(lines.admit(), Some(3));
        assert_eq!(lines.admit(), None);
    }

    #[test]
    fn without_an_interval_every_line_is_admitted() {
        let lines = LogInterval::new(Duration::ZERO);
        assert_eq!([lines.admit(), lines.admit()], [Some(0); 2]);
    }
}
