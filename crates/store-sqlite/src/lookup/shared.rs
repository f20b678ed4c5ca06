//! The part of the lookup that is in memory, shared by writer, readers and applier.
//!
//! Only the writer freezes, and only when no transaction is open; so a frozen batch holds committed rows only, and
//! all of those up to its newest.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Hash and file key.
pub(crate) type Entry = (i64, i64);

/// How many batches may gather while one is being written before the writer has to wait.
const BACKLOG_LIMIT: usize = 8;

#[derive(Default)]
struct State {
    active: BTreeSet<Entry>,
    frozen: Arc<BTreeSet<Entry>>,
    stopping: bool,
}

pub(crate) struct Shared {
    batch: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    /// Makes the shared part; so many entries make a batch.
    pub(crate) fn new(batch: usize) -> Self {
        Self { batch, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Makes entries visible.
    pub(crate) fn announce(&self, entries: &[Entry]) {
        self.lock().active.extend(entries);
    }

    /// Removes entries whose rows were not committed.
    pub(crate) fn take_back(&self, entries: &[Entry]) {
        let mut state = self.lock();
        for entry in entries {
            state.active.remove(entry);
        }
    }

    /// Returns the file keys of the entries with this hash.
    pub(crate) fn candidates(&self, hash: i64) -> Vec<i64> {
        let state = self.lock();
        let range = (hash, i64::MIN)..=(hash, i64::MAX);
        let frozen = state.frozen.range(range.clone());
        frozen.chain(state.active.range(range)).map(|entry| entry.1).collect()
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
    pub(crate) fn next_batch(&self) -> Option<Arc<BTreeSet<Entry>>> {
        let mut state = self.lock();
        while state.frozen.is_empty() && !state.stopping {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!state.stopping).then(|| Arc::clone(&state.frozen))
    }

    /// Forgets the frozen batch, which is on disk now.
    pub(crate) fn thaw(&self) {
        self.lock().frozen = Arc::default();
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
