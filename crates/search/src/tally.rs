//! How often a catalogue was searched, for those who look after the server.

use std::sync::atomic::{AtomicU64, Ordering};

/// What became of the requests of a catalogue. It is the same for all states of the catalogue, and for all who ask.
#[derive(Debug, Default)]
pub struct SearchTally {
    run: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
}

impl SearchTally {
    /// Returns how many GraphQL requests were run.
    pub fn run(&self) -> u64 {
        self.run.load(Ordering::Relaxed)
    }

    /// Returns how many GraphQL requests could not be run as they were written.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Returns how often the engine failed to answer.
    pub fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn note_run(&self) {
        self.run.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }
}
