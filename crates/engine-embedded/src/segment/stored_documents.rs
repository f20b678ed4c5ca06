//! Stored documents: loading some documents of a segment.
//!
//! The tape is the largest part of a segment, and a page of records needs a few hundred bytes of it here and there. So it
//! is not read through the mapping of the file, which would load and keep whole pages around them: the documents are
//! copied with positioned reads, neighbouring ones together, and decoded from the copy. Those that are not in memory are
//! read from the disk at the same time.
//!
//! A value is addressed by one number: its path in the upper bits, its offset in the copy in the lower ones.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use cantata_engine::{ArrayRef, Document, ObjectRef, PackedDocuments, ValueRef};

use super::Segment;
use crate::platform::FilePart;
use crate::tape::{PackedCursor, TapeCursor, TapeItem};

/// The bits of an address that are the offset.
const OFFSET_BITS: u32 = 40;

/// Bytes between two documents that are read with them, rather than by two reads.
const MAX_GAP_BYTES: usize = 1024;

/// A copy of parts of the tape.
struct StoredDocuments {
    segment: Arc<Segment>,
    tape: Vec<u8>,
}

/// Loads the documents of rows, in the given order.
///
/// # Errors
///
/// If the segment file cannot be read, or is damaged where it says where a document is.
pub(crate) fn load_documents(segment: &Arc<Segment>, rows: &[usize]) -> io::Result<Vec<Document>> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_unstable_by_key(|&index| rows[index]);
    let mut addresses = vec![0_u64; rows.len()];
    let (mut parts, mut copied) = (Vec::new(), 0);
    let tape_bytes = segment.metadata.tape.bytes(&segment.storage).len();
    let is_whole = |extent: &Range<usize>| extent.start <= extent.end && extent.end <= tape_bytes;
    let wanted: Vec<(usize, Range<usize>)> =
        order.into_iter().map(|index| (index, segment.document_extent(rows[index]))).collect();
    // Where documents are is not verified when a segment is opened.
    if !wanted.iter().all(|(_, extent)| is_whole(extent)) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "where a document is on the tape is damaged"));
    }
    let mut wanted = wanted.into_iter().peekable();
    while let Some((index, extent)) = wanted.next() {
        let (start, mut end) = (extent.start, extent.end);
        addresses[index] = copied as u64;
        while let Some((index, extent)) = wanted.next_if(|(_, next)| (start..end + MAX_GAP_BYTES).contains(&next.start))
        {
            addresses[index] = (copied + (extent.start - start)) as u64;
            end = end.max(extent.end);
        }
        let into = copied..copied + (end - start);
        copied = into.end;
        parts.push(FilePart { offset: segment.metadata.tape.start() + start, into });
    }
    let mut tape = vec![0; copied];
    segment.storage.read_parts(&parts, &mut tape)?;
    let stored: Arc<dyn PackedDocuments> = Arc::new(StoredDocuments { segment: Arc::clone(segment), tape });
    Ok(addresses.into_iter().map(|address| Document::packed(Arc::clone(&stored), address)).collect())
}

impl StoredDocuments {
    fn cursor_at(&self, address: u64) -> (u64, PackedCursor<'_>) {
        let cursor = PackedCursor::new(&self.tape, (address & ((1 << OFFSET_BITS) - 1)) as usize);
        (address >> OFFSET_BITS, cursor)
    }

    /// Returns the value at the cursor and moves past it.
    fn read_node<'a>(&'a self, path: u64, cursor: &mut PackedCursor<'a>) -> ValueRef<'a> {
        let address = path << OFFSET_BITS | cursor.offset() as u64;
        match (cursor.skip(), cursor.last_text()) {
            (TapeItem::Scalar(_), Some(text)) => std::str::from_utf8(text).map_or(ValueRef::Null, ValueRef::String),
            (TapeItem::Scalar(number), None) => self.segment.scalar(path as usize, number).to_node(),
            (TapeItem::Array(length), _) => ValueRef::Array(ArrayRef::packed(self, address, length)),
            (TapeItem::Object(_), _) => ValueRef::Object(ObjectRef::packed(self, address)),
        }
    }
}

impl PackedDocuments for StoredDocuments {
    fn value(&self, address: u64) -> ValueRef<'_> {
        let (path, mut cursor) = self.cursor_at(address);
        self.read_node(path, &mut cursor)
    }

    fn escape_free_text(&self, address: u64) -> Option<&[u8]> {
        let (path, mut cursor) = self.cursor_at(address);
        let TapeItem::Scalar(number) = cursor.skip() else { return None };
        match cursor.last_text() {
            Some(text) => cursor.is_escape_free().then_some(text),
            None => self.segment.plain_scalar(path as usize, number),
        }
    }

    fn has_dotted_names(&self) -> bool {
        self.segment.has_dotted_names
    }

    fn elements<'a>(&'a self, address: u64, visit: &mut dyn FnMut(ValueRef<'a>) -> bool) {
        let (path, mut cursor) = self.cursor_at(address);
        let TapeItem::Array(length) = cursor.next() else { return };
        for _ in 0..length {
            if !visit(self.read_node(path, &mut cursor)) {
                return;
            }
        }
    }

    fn members<'a>(&'a self, address: u64, visit: &mut dyn FnMut(&'a str, u64, Option<&'a [u8]>)) {
        let (_, mut cursor) = self.cursor_at(address);
        let TapeItem::Object(shape) = cursor.next() else { return };
        let metadata = &self.segment.metadata;
        for &path in metadata.shapes.get(shape as usize).map(Vec::as_slice).unwrap_or_default() {
            let address = u64::from(path) << OFFSET_BITS | cursor.offset() as u64;
            cursor.skip();
            let text = cursor.last_text().filter(|_| cursor.is_escape_free());
            visit(&metadata.paths[path as usize].key, address, text);
        }
    }
}
