//! How far a client is behind the lowest rate at which it may send or read.
//!
//! What a client does faster than it must is not put to its account: one that sent eight megabytes at once and then a
//! byte now and then is given up as soon as one that never sent more.

use std::time::Duration;

/// The pace of one client in one direction.
#[derive(Debug)]
pub(crate) struct Pace {
    bytes_per_second: u64,
    behind: Duration,
}

impl Pace {
    /// Requires this many bytes in a second.
    pub(crate) fn new(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second.max(1), behind: Duration::ZERO }
    }

    /// Notes that bytes came or went, after this time of waiting for the client.
    pub(crate) fn note(&mut self, bytes: usize, waited: Duration) {
        let due = Duration::from_micros((bytes as u64).saturating_mul(1_000_000) / self.bytes_per_second);
        self.behind = (self.behind + waited).saturating_sub(due);
    }

    /// Returns how long to wait for the client now, if it may be behind by `timeout`.
    pub(crate) fn remaining(&self, timeout: Duration) -> Duration {
        timeout.saturating_sub(self.behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_fast_start_is_no_credit_for_a_drip() {
        let mut pace = Pace::new(1024);
        pace.note(8 << 20, SECOND);
        for second in 1..=60 {
            assert_eq!(pace.remaining(60 * SECOND).as_secs(), 60 - (second - 1));
            pace.note(1, SECOND);
        }
        assert!(pace.remaining(60 * SECOND) < SECOND);
        pace.note(100 << 10, Duration::ZERO);
        assert_eq!(pace.remaining(60 * SECOND), 60 * SECOND, "who catches up is not behind");
    }
}
