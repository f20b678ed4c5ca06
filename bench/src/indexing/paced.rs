//! Work at a steady rate, however many clients share it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A schedule; whoever is free takes the next place in it.
pub(super) struct Pace {
    begun: Instant,
    between: Duration,
    places: usize,
    taken: AtomicUsize,
}

impl Pace {
    /// Begins a schedule of so many places, so many a second.
    pub(super) fn begin(per_second: f64, places: usize) -> Self {
        let between = Duration::from_secs_f64(1.0 / per_second.max(1.0));
        Self { begun: Instant::now(), between, places, taken: AtomicUsize::new(0) }
    }

    /// Waits for the next place; nothing after the last one.
    pub(super) fn next(&self) -> Option<usize> {
        let place = self.taken.fetch_add(1, Ordering::Relaxed);
        if place >= self.places {
            return None;
        }
        let due = self.begun + self.between.mul_f64(place as f64);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        Some(place)
    }
}
