//! The part of the lookup index that is in memory, shared by writer, readers and flusher.
//!
//! Only the writer freezes, and only when no transaction is open; so a frozen batch has committed blocks only, and all
//! of those up to its newest.

use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::mem_table::MemTable;
use super::run::Run;

/// Hash and block key.
pub(crate) type LookupEntry = (i64, i64);

/// How many batches may be buffered during a flush before the writer has to wait.
const MAX_BACKLOG_BATCHES: usize = 8;

/// The runs on disk; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Runs {
    /// The number of the file that has them: a database that was rebuilt is another file.
    pub(crate) file: u64,
    runs: Arc<Vec<Arc<Run>>>,
}

impl Runs {
    pub(crate) fn new(file: u64, runs: Vec<Arc<Run>>) -> Self {
        Self { file, runs: Arc::new(runs) }
    }

    /// Says whether this is the same list as another.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.file == other.file && Arc::ptr_eq(&self.runs, &other.runs)
    }

    /// Returns for each hash whether any run may have entries with it; false is certain.
    pub(crate) fn may_have(&self, hashes: &[i64]) -> Vec<bool> {
        let mut is_present = vec![false; hashes.len()];
        self.runs.iter().for_each(|run| run.mark_present(hashes, &mut is_present));
        is_present
    }
}

impl Deref for Runs {
    type Target = [Arc<Run>];

    fn deref(&self) -> &[Arc<Run>] {
        &self.runs
    }
}

#[derive(Default)]
struct MemTables {
    active: MemTable,
    frozen: Arc<MemTable>,
    runs: Runs,
    /// Whether a search has met damage in the file of the runs.
    is_damaged: bool,
    is_stopping: bool,
}

/// The entries in memory and the runs on disk.
pub(crate) struct LookupState {
    batch: usize,
    state: Mutex<MemTables>,
    changed: Condvar,
}

impl LookupState {
    /// Makes a state without entries in memory; a batch has `batch` entries.
    pub(crate) fn new(batch: usize, runs: Runs) -> Self {
        let state = MemTables { runs, ..MemTables::default() };
        Self { batch, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Makes entries visible.
    pub(crate) fn insert(&self, entries: &[LookupEntry]) {
        let mut state = self.lock();
        for entry in entries {
            state.active.add(*entry);
        }
    }

    /// Removes entries whose blocks were not committed.
    pub(crate) fn remove(&self, entries: &[LookupEntry]) {
        let mut state = self.lock();
        for entry in entries.iter().rev() {
            state.active.remove(*entry);
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
        (candidates, state.runs.clone())
    }

    /// Returns the runs there are now.
    pub(crate) fn runs(&self) -> Runs {
        self.lock().runs.clone()
    }

    /// Returns how many entries a batch has.
    pub(crate) fn batch_entries(&self) -> usize {
        self.batch
    }

    /// Has the database rebuilt, unless it was since this file was searched.
    pub(crate) fn report_damage(&self, file: u64) {
        let mut state = self.lock();
        let is_current = state.runs.file == file;
        state.is_damaged |= is_current;
        drop(state);
        self.changed.notify_all();
    }

    /// Returns whether a search has met damage.
    pub(crate) fn is_damaged(&self) -> bool {
        self.lock().is_damaged
    }

    /// Freezes the active entries once they make a batch; waits while the flusher is far behind.
    pub(crate) fn freeze_full_batch(&self) {
        let mut state = self.lock();
        while state.active.len() > MAX_BACKLOG_BATCHES * self.batch && !state.frozen.is_empty() && !state.is_stopping {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.active.len() >= self.batch && state.frozen.is_empty() {
            state.frozen = Arc::new(std::mem::take(&mut state.active));
            self.changed.notify_all();
        }
    }

    /// Waits for a frozen batch, or for damage, when there may be none to flush; returns none when the store is closed.
    pub(crate) fn wait_for_frozen(&self) -> Option<Arc<MemTable>> {
        let mut state = self.lock();
        while state.frozen.is_empty() && !state.is_damaged && !state.is_stopping {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (!state.is_stopping).then(|| Arc::clone(&state.frozen))
    }

    /// Drops a frozen batch, which is in the runs now.
    pub(crate) fn finish_flush(&self, batch: &Arc<MemTable>, runs: Runs) {
        let mut state = self.lock();
        // A flush repairs nothing; a database that was rebuilt is another file.
        let is_same_file = state.runs.file == runs.file;
        state.is_damaged &= is_same_file;
        state.runs = runs;
        // While a database was rebuilt, another batch may have been frozen.
        if Arc::ptr_eq(&state.frozen, batch) {
            state.frozen = Arc::default();
        }
        drop(state);
        self.changed.notify_all();
    }

    pub(crate) fn stop(&self) {
        self.lock().is_stopping = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.lock().is_stopping
    }

    /// Waits for a time, or until the store is closed, and returns whether it is.
    pub(crate) fn is_stopping_within(&self, time: Duration) -> bool {
        let (state, _) = self
            .changed
            .wait_timeout_while(self.lock(), time, |state| !state.is_stopping)
            .unwrap_or_else(PoisonError::into_inner);
        state.is_stopping
    }

    fn lock(&self) -> MutexGuard<'_, MemTables> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_known_until_the_database_is_rebuilt_and_a_batch_until_it_is_flushed() {
        let shared = LookupState::new(1, Runs::default());
        shared.report_damage(0);
        let nothing = shared.wait_for_frozen().unwrap();
        assert!(nothing.is_empty());
        shared.insert(&[(7, 1)]);
        shared.freeze_full_batch();
        shared.finish_flush(&nothing, Runs::new(0, Vec::new()));
        assert!(shared.is_damaged(), "a flush has repaired it");
        shared.finish_flush(&nothing, Runs::new(1, Vec::new()));
        assert!(!shared.is_damaged());
        assert_eq!(shared.candidates(&[7]).0, [(0, 1)], "a batch that was frozen during the rebuild is lost");
        shared.report_damage(0);
        assert!(!shared.is_damaged(), "it was in a file that is gone");
        let batch = shared.wait_for_frozen().unwrap();
        shared.finish_flush(&batch, Runs::new(1, Vec::new()));
        assert!(shared.candidates(&[7]).0.is_empty());
    }
}
