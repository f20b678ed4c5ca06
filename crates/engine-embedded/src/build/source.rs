//! Where the documents of a new segment come from.

use super::paths::Paths;
use crate::bitset::Bitset;
use crate::scalar::Scalar;
use crate::segment::Segment;
use crate::tape::{Cursor, PackedCursor};

/// Documents on a tape, with their paths, shapes and scalars.
pub(crate) trait Source {
    /// Returns how many documents there are, in the order of their ids, those not to be taken included.
    fn documents(&self) -> usize;

    /// Returns whether a document is to be taken.
    fn is_live(&self, document: usize) -> bool;

    /// Returns the id of a document.
    fn id(&self, document: usize) -> &str;

    /// Returns a cursor at the start of a document.
    fn cursor(&self, document: usize) -> impl Cursor + '_;

    /// Adds the paths to those of the new segment, and returns the new number of each.
    fn unite_paths(&self, paths: &mut Paths) -> Vec<u32>;

    /// Returns about how many bytes the documents take on a tape.
    fn tape_bytes(&self) -> usize;

    /// Returns the shapes: the paths of the members.
    fn shapes(&self) -> &[Vec<u32>];

    /// Returns how many different scalars a path has.
    fn scalar_count(&self, path: usize) -> usize;

    /// Returns a scalar of a path.
    fn scalar(&self, path: usize, number: u32) -> Scalar<'_>;
}

/// A segment of which some documents are not to be taken.
pub(crate) struct LiveSegment<'a> {
    pub(crate) segment: &'a Segment,
    /// The documents to be taken; nothing: all.
    pub(crate) live: Option<&'a Bitset>,
}

impl Source for LiveSegment<'_> {
    fn documents(&self) -> usize {
        self.segment.documents()
    }

    fn is_live(&self, document: usize) -> bool {
        self.live.is_none_or(|live| live.contains(document))
    }

    fn id(&self, document: usize) -> &str {
        self.segment.id(document)
    }

    fn cursor(&self, document: usize) -> impl Cursor + '_ {
        let cursor: PackedCursor<'_> = self.segment.document_cursor(document);
        cursor
    }

    fn unite_paths(&self, paths: &mut Paths) -> Vec<u32> {
        let mut numbers: Vec<u32> = Vec::new();
        for (place, entry) in self.segment.directory().paths.iter().enumerate() {
            numbers.push(if place == 0 { 0 } else { paths.child(numbers[entry.parent as usize], &entry.key) });
        }
        numbers
    }

    fn tape_bytes(&self) -> usize {
        self.segment.directory().tape.len()
    }

    fn shapes(&self) -> &[Vec<u32>] {
        &self.segment.directory().shapes
    }

    fn scalar_count(&self, path: usize) -> usize {
        self.segment.scalar_count(path)
    }

    fn scalar(&self, path: usize, number: u32) -> Scalar<'_> {
        self.segment.scalar(path, number)
    }
}
