//! The lookup as the writer uses it: entries are added with their rows and taken back with them.

use cantata_store::Result;

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

    /// Shows the keys of the file rows that may have this object id or checksum to `test`, uncommitted ones included,
    /// until it returns something.
    pub(crate) fn find<T>(&self, id: &[u8; 16], test: impl FnMut(i64) -> Result<Option<T>>) -> Result<Option<T>> {
        self.reader.find(id, test)
    }

    /// Adds the entries of new file rows, each given as key, object id and checksum.
    pub(crate) fn add<'a>(&mut self, rows: impl Iterator<Item = (i64, &'a [u8; 16], &'a [u8; 16])>) {
        let mark = self.mark();
        let key = self.reader.key;
        self.added.extend(rows.flat_map(|(file_key, object_id, md5)| key.entries_of(file_key, object_id, md5)));
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
