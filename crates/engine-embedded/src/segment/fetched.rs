//! Documents that were brought from a segment.
//!
//! The tape is the largest part of a segment, and any page of records needs a few hundred bytes of it here and there.
//! So it is not looked at through the mapping of the file, which would bring in and keep whole neighbourhoods: the
//! documents that are wanted are copied, those that lie close together in one go, and read from the copy.
//!
//! The place of a value is its path and where it stands in the copy, in one number: the path in the upper bits.

use std::io;
use std::sync::Arc;

use cantata_engine::{Array, Document, Node, Object, PackedDocuments};

use super::Segment;
use crate::tape::{Cursor, Item, PackedCursor};

/// How many bits of a place say where the value stands in the copy.
const TAPE_BITS: u32 = 40;

/// Bytes between two documents that are sooner copied than passed over.
const GAP: usize = 1024;

/// A copy of parts of the tape.
struct Fetched {
    segment: Arc<Segment>,
    tape: Vec<u8>,
}

/// Brings the documents of rows, in the order in which these are given.
///
/// # Errors
///
/// If the file of the segment cannot be read.
pub(crate) fn fetch(segment: &Arc<Segment>, rows: &[usize]) -> io::Result<Vec<Document>> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_unstable_by_key(|&place| rows[place]);
    let mut places = vec![0_u64; rows.len()];
    let mut tape = Vec::new();
    let mut wanted = order.into_iter().map(|place| (place, segment.document_extent(rows[place]))).peekable();
    while let Some((place, extent)) = wanted.next() {
        let (copied, start, mut end) = (tape.len(), extent.start, extent.end);
        places[place] = copied as u64;
        while let Some((place, extent)) = wanted.next_if(|(_, next)| next.start < end + GAP) {
            places[place] = (copied + (extent.start - start)) as u64;
            end = end.max(extent.end);
        }
        tape.resize(copied + end.saturating_sub(start), 0);
        segment.storage.read_at(segment.directory.tape.start() + start, &mut tape[copied..])?;
    }
    let fetched: Arc<dyn PackedDocuments> = Arc::new(Fetched { segment: Arc::clone(segment), tape });
    Ok(places.into_iter().map(|place| Document::packed(Arc::clone(&fetched), place)).collect())
}

impl Fetched {
    fn cursor_at(&self, place: u64) -> (u64, PackedCursor<'_>) {
        let cursor = PackedCursor::new(&self.tape, (place & ((1 << TAPE_BITS) - 1)) as usize);
        (place >> TAPE_BITS, cursor)
    }

    /// Shows the value at the cursor and moves past it.
    fn show<'a>(&'a self, path: u64, cursor: &mut PackedCursor<'a>) -> Node<'a> {
        let place = path << TAPE_BITS | cursor.place() as u64;
        match (cursor.skip(), cursor.last_text()) {
            (Item::Scalar(_), Some(text)) => std::str::from_utf8(text).map_or(Node::Null, Node::String),
            (Item::Scalar(number), None) => self.segment.scalar(path as usize, number).to_node(),
            (Item::Array(length), _) => Node::Array(Array::packed(self, place, length)),
            (Item::Object(_), _) => Node::Object(Object::packed(self, place)),
        }
    }
}

impl PackedDocuments for Fetched {
    fn node(&self, place: u64) -> Node<'_> {
        let (path, mut cursor) = self.cursor_at(place);
        self.show(path, &mut cursor)
    }

    fn plain_text(&self, place: u64) -> Option<&[u8]> {
        let (path, mut cursor) = self.cursor_at(place);
        let Item::Scalar(number) = cursor.skip() else { return None };
        match cursor.last_text() {
            Some(text) => cursor.is_plain().then_some(text),
            None => self.segment.plain_scalar(path as usize, number),
        }
    }

    fn elements<'a>(&'a self, place: u64, visit: &mut dyn FnMut(Node<'a>) -> bool) {
        let (path, mut cursor) = self.cursor_at(place);
        let Item::Array(length) = cursor.next() else { return };
        for _ in 0..length {
            if !visit(self.show(path, &mut cursor)) {
                return;
            }
        }
    }

    fn members<'a>(&'a self, place: u64, visit: &mut dyn FnMut(&'a str, u64)) {
        let (_, mut cursor) = self.cursor_at(place);
        let Item::Object(shape) = cursor.next() else { return };
        let directory = &self.segment.directory;
        for &path in directory.shapes.get(shape as usize).map(Vec::as_slice).unwrap_or_default() {
            visit(&directory.paths[path as usize].key, u64::from(path) << TAPE_BITS | cursor.place() as u64);
            cursor.skip();
        }
    }
}
