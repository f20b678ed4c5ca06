//! The part of the lookup that is in memory, shared by writer, readers and applier.
//!
//! Only the writer freezes, and only when no transaction is open; so a frozen batch holds committed blocks only, and
//! all of those up to its newest.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::entries::Entries;
use super::run::Run;

/// Hash and block key.
pub(crate) type Entry = (i64, i64);

/// How many batches may gather while one is being written before the writer has to wait.
const BACKLOG_LIMIT: usize = 8;

/// The runs on disk.
pub(crate) type Runs = Arc<Vec<Arc<Run>>>;

#[derive(Default)]
struct State {
    active: Entries,
    frozen: Arc<Entries>,
    runs: Runs,
    stopping: bool,
}

pub(crate) struct Shared {
    batch: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    /// Makes the shared part, with nothing in memory; so many entries make a batch.
    pub(crate) fn new(batch: usize, runs: Runs) -> Self {
        let state = State { runs, ..State::default() };
        Self { batch, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Makes entries visible.
    pub(crate) fn announce(&self, entries: &[Entry]) {
        let mut state = self.lock();
        for entry in entries {
            state.active.add(*entry);
        }
    }

    /// Removes entries whose blocks were not committed.
    pub(crate) fn take_back(&self, entries: &[Entry]) {
        let mut state = self.lock();
        for entry in entries.iter().rev() {
            state.active.take_back(*entry);
        }
    }

    /// Returns the block keys of the entries with these hashes, each with the index of its hash, in that order; and the
    /// runs that hold all entries that are not in memory.
    pub(crate) fn candidates(&self, hashes: &[i64]) -> (Vec<(usize, i64)>, Runs) {
        let state = self.lock();
        let mut candidates = Vec::new();
        for (index, hash) in hashes.iter().enumerate() {
            let in_memory = state.frozen.of(*hash).chain(state.active.of(*hash));
            candidates.extend(in_memory.map(|block_key| (index, block_key)));
        }
        (candidates, Arc::clone(&state.runs))
    }

    /// Returns the runs there are now.
    pub(crate) fn runs(&self) -> Runs {
        Arc::clone(&self.lock().runs)
    }

    /// Freezes the active entries once they make a batch; waits when far more have gathered than can be written.
    pub(crate) fn freeze_full_batch(&self) {
        let mut state = self.lock();
        while state.active.len() > BACKLOG_LIMIT * self.batch && !state.frozen.is_empty() && !state.stopping {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.active.len() >= self.batch && state.frozen.is_empty() {
            state.frozen = Arc::new(std::mem::take(&mut state.active));
            self.changed.notify_all();
        }
    }

    /// Waits for a frozen batch; returns none when the store stops.
    pub(crate) fn next_batch(&self) -> Option<Arc<Entries>> {
        let mut state = self.lock();
        while state.frozen.is_empty() && !state.stopping {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!state.stopping).then(|| Arc::clone(&state.frozen))
    }

    /// Forgets the frozen batch, which is in the runs now.
    pub(crate) fn thaw(&self, runs: Runs) {
        let mut state = self.lock();
        state.runs = runs;
        state.frozen = Arc::default();
        drop(state);
        self.changed.notify_all();
    }

    pub(crate) fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.lock().stopping
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
