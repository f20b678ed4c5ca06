//! Where the documents of a new segment come from: a document buffer, or another segment.

use super::path_tree::PathTree;
use crate::scalar::Scalar;
use crate::segment_reader::SegmentReader;
use crate::tape::TapeCursor;

/// Documents on a tape, with their paths, shapes and scalars.
pub(crate) trait DocumentSource {
    /// Returns the number of documents, which are in the order of their ids, deleted ones included.
    fn document_count(&self) -> usize;

    /// Returns whether a document is to be part of the new segment.
    fn is_live(&self, document: usize) -> bool;

    fn id(&self, document: usize) -> &str;

    /// Returns a cursor at the start of a document.
    fn cursor(&self, document: usize) -> impl TapeCursor + '_;

    /// Adds the paths to those of the new segment, and returns the new number of each.
    fn merge_paths(&self, paths: &mut PathTree) -> Vec<u32>;

    /// Estimates the bytes of the documents on a packed tape.
    fn tape_bytes(&self) -> usize;

    /// Returns the shapes of objects: the paths of their members.
    fn shapes(&self) -> &[Vec<u32>];

    /// Returns how many different scalars a path has.
    fn scalar_count(&self, path: usize) -> usize;

    /// Returns a scalar of a path.
    fn scalar(&self, path: usize, number: u32) -> Scalar<'_>;
}

impl DocumentSource for SegmentReader {
    fn document_count(&self) -> usize {
        self.segment.document_count()
    }

    fn is_live(&self, document: usize) -> bool {
        SegmentReader::is_live(self, document)
    }

    fn id(&self, document: usize) -> &str {
        self.segment.id(document)
    }

    fn cursor(&self, document: usize) -> impl TapeCursor + '_ {
        self.segment.document_cursor(document)
    }

    fn merge_paths(&self, paths: &mut PathTree) -> Vec<u32> {
        let mut numbers: Vec<u32> = Vec::new();
        for (path, entry) in self.segment.metadata().paths.iter().enumerate() {
            numbers.push(if path == 0 { 0 } else { paths.child(numbers[entry.parent as usize], &entry.key) });
        }
        numbers
    }

    fn tape_bytes(&self) -> usize {
        self.segment.metadata().tape.len()
    }

    fn shapes(&self) -> &[Vec<u32>] {
        &self.segment.metadata().shapes
    }

    fn scalar_count(&self, path: usize) -> usize {
        self.segment.scalar_count(path)
    }

    fn scalar(&self, path: usize, number: u32) -> Scalar<'_> {
        self.segment.scalar(path, number)
    }
}
