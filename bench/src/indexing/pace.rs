//! Work at a steady rate, however many clients share it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A schedule whose slots the clients share.
pub(super) struct Pace {
    begun: Instant,
    interval: Duration,
    slots: usize,
    taken: AtomicUsize,
}

impl Pace {
    /// Begins a schedule of this many slots, this many a second.
    pub(super) fn begin(per_second: f64, slots: usize) -> Self {
        let interval = Duration::from_secs_f64(1.0 / per_second.max(1.0));
        Self { begun: Instant::now(), interval, slots, taken: AtomicUsize::new(0) }
    }

    /// Waits for the next slot; nothing after the last one.
    pub(super) fn next(&self) -> Option<usize> {
        let slot = self.taken.fetch_add(1, Ordering::Relaxed);
        if slot >= self.slots {
            return None;
        }
        let due = self.begun + self.interval.mul_f64(slot as f64);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        Some(slot)
    }
}
