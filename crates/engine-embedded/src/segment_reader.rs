//! A segment with its live documents.

use std::sync::Arc;

use crate::bitset::Bitset;
use crate::segment::{HashedId, Segment};

/// A segment as a snapshot sees it.
#[derive(Clone)]
pub(crate) struct SegmentReader {
    pub(crate) segment: Arc<Segment>,
    /// The rows of the documents that are not deleted; nothing: none is.
    pub(crate) live_docs: Option<Arc<Bitset>>,
}

impl SegmentReader {
    pub(crate) fn live_document_count(&self) -> usize {
        self.live_docs.as_ref().map_or_else(|| self.segment.document_count(), |live| live.count())
    }

    pub(crate) fn is_live(&self, row: usize) -> bool {
        self.live_docs.as_ref().is_none_or(|live| live.contains(row))
    }

    /// Returns the rows of the live documents.
    pub(crate) fn live_rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.segment.document_count()).filter(|&row| self.is_live(row))
    }

    /// Returns the row of a live document.
    pub(crate) fn row_of(&self, id: &HashedId<'_>) -> Option<usize> {
        self.segment.row_of(id).filter(|&row| self.is_live(row))
    }

    /// Marks a document as deleted.
    pub(crate) fn delete(&mut self, row: usize) {
        let live = self.live_docs.get_or_insert_with(|| Arc::new(Bitset::full(self.segment.document_count())));
        Arc::make_mut(live).remove(row);
    }
}
