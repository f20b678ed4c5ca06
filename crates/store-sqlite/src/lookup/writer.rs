//! The lookup index as the writer thread uses it: entries are added and rolled back with their blocks.

use super::LookupReader;
use super::state::LookupEntry;

/// A reader that also tracks what the open transaction has added.
pub(crate) struct LookupWriter {
    reader: LookupReader,
    added: Vec<LookupEntry>,
}

impl LookupWriter {
    pub(crate) fn new(reader: LookupReader) -> Self {
        Self { reader, added: Vec::new() }
    }

    /// Returns the reader, which also finds entries of uncommitted blocks.
    pub(crate) fn reader(&self) -> &LookupReader {
        &self.reader
    }

    /// Adds the entries of a new block.
    pub(crate) fn add(&mut self, hashes: &[i64], block_key: i64) {
        let savepoint = self.savepoint();
        self.added.extend(hashes.iter().map(|hash| (*hash, block_key)));
        self.reader.shared.insert(&self.added[savepoint..]);
    }

    /// Returns a savepoint to roll back to.
    pub(crate) fn savepoint(&self) -> usize {
        self.added.len()
    }

    /// Removes everything added since the savepoint.
    pub(crate) fn roll_back_to(&mut self, savepoint: usize) {
        self.reader.shared.remove(&self.added[savepoint..]);
        self.added.truncate(savepoint);
    }

    /// Marks everything added as committed.
    pub(crate) fn commit(&mut self) {
        self.added.clear();
        self.reader.shared.freeze_full_batch();
    }
}
