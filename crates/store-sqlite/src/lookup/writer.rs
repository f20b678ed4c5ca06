//! The lookup as the writer uses it: entries are added with their blocks and taken back with them.

use super::LookupReader;
use super::shared::Entry;

/// A reader that also remembers what the open transaction has added.
pub(crate) struct LookupWriter {
    reader: LookupReader,
    added: Vec<Entry>,
}

impl LookupWriter {
    pub(crate) fn new(reader: LookupReader) -> Self {
        Self { reader, added: Vec::new() }
    }

    /// Looks entries up, those of uncommitted blocks included.
    pub(crate) fn reader(&self) -> &LookupReader {
        &self.reader
    }

    /// Adds the entries of a new block.
    pub(crate) fn add(&mut self, hashes: &[i64], block_key: i64) {
        let mark = self.mark();
        self.added.extend(hashes.iter().map(|hash| (*hash, block_key)));
        self.reader.shared.announce(&self.added[mark..]);
    }

    /// Returns a mark to go back to.
    pub(crate) fn mark(&self) -> usize {
        self.added.len()
    }

    /// Takes back everything added since the mark.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        self.reader.shared.take_back(&self.added[mark..]);
        self.added.truncate(mark);
    }

    /// Tells that everything added is committed.
    pub(crate) fn settle(&mut self) {
        self.added.clear();
        self.reader.shared.freeze_full_batch();
    }
}
