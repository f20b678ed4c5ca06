//! Request counters of a catalogue, for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the requests of a catalogue by outcome. Shared by all views of the catalogue, and kept across reloads.
#[derive(Debug, Default)]
pub struct SearchCounters {
    pub(crate) executed: AtomicU64,
    pub(crate) rejected: AtomicU64,
    pub(crate) failed: AtomicU64,
}

impl SearchCounters {
    /// Returns how many GraphQL requests were executed.
    pub fn executed(&self) -> u64 {
        self.executed.load(Ordering::Relaxed)
    }

    /// Returns how many GraphQL requests were rejected before execution.
    pub fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    /// Returns how many searches failed in the engine.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }
}
