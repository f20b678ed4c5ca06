//! The tape: documents as sequences of numbers.
//!
//! Documents of one index are much alike: few object shapes, few different values in most fields. So an object is the
//! number of its shape (its keys, in order) followed by its members; an array is its length followed by its elements; a
//! scalar is the number of an entry in the table of values of its path. Keys and repeated values are stored once for a
//! segment, and any document is read without its neighbours or a decompressor, which is why this is hand-written: general
//! compression would have to unpack a whole block for each document.
//!
//! A **builder** tape has numbers of fixed width, because the length of an array and the shape of an object are known only
//! at their end. A **packed** tape has numbers of variable width, and after the number of an array or object the bytes of
//! its content, so that a reader can skip it. Texts that hardly ever repeat are inlined on the packed tape after their
//! number: a document is then read from one place. Their length has a bit that says whether JSON has to escape nothing.

use std::ops::Range;

use cantata_engine::is_escape_free;

use crate::varint;

/// An item of a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TapeItem {
    /// A scalar: an entry in the table of values of the path.
    Scalar(u32),
    /// An array, by the number of its elements, which follow.
    Array(u32),
    /// An object, by its shape; its members follow.
    Object(u32),
}

const SCALAR: u64 = 0;
const ARRAY: u64 = 1;
const OBJECT: u64 = 2;
/// A scalar whose text follows.
const TEXT: u64 = 3;
const TAG_BITS: u32 = 2;

impl TapeItem {
    fn word(self) -> u64 {
        let (tag, number) = match self {
            Self::Scalar(number) => (SCALAR, number),
            Self::Array(number) => (ARRAY, number),
            Self::Object(number) => (OBJECT, number),
        };
        u64::from(number) << TAG_BITS | tag
    }

    fn from_word(word: u64) -> Self {
        let number = (word >> TAG_BITS) as u32;
        match word & ((1 << TAG_BITS) - 1) {
            ARRAY => Self::Array(number),
            OBJECT => Self::Object(number),
            _ => Self::Scalar(number),
        }
    }

    /// Appends the item to a packed tape. The content of an array or object must follow and be ended by [`close`].
    pub(crate) fn pack(self, out: &mut Vec<u8>) {
        varint::write(out, self.word());
        if !matches!(self, Self::Scalar(_)) {
            out.extend_from_slice(&[0; varint::PADDED_BYTES]);
        }
    }
}

/// Appends a scalar with its text to a packed tape.
pub(crate) fn pack_text(out: &mut Vec<u8>, number: u32, text: &[u8]) {
    varint::write(out, u64::from(number) << TAG_BITS | TEXT);
    varint::write(out, (text.len() as u64) << 1 | u64::from(is_escape_free(text)));
    out.extend_from_slice(text);
}

/// Writes the length of the content of an array or object, which begins at `start`: where the tape ended when the item was
/// packed.
pub(crate) fn close(out: &mut Vec<u8>, start: usize) {
    let length = (out.len() - start) as u64;
    let gap = start - varint::PADDED_BYTES..start;
    match varint::encode_padded(length) {
        Some(bytes) => out[gap].copy_from_slice(&bytes),
        None => {
            let mut bytes = Vec::new();
            varint::write(&mut bytes, length);
            out.splice(gap, bytes);
        }
    }
}

/// Reads a tape item by item.
pub(crate) trait TapeCursor {
    /// Returns the next item.
    fn next(&mut self) -> TapeItem;

    /// Returns the text of the last item, if it is inlined.
    fn text(&self) -> Option<&[u8]> {
        None
    }
}

/// A builder tape: 32 bits for each item, so no number may need more than 30.
#[derive(Debug, Default)]
pub(crate) struct TapeBuilder(Vec<u32>);

impl TapeBuilder {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn push(&mut self, item: TapeItem) -> usize {
        self.0.push(item.word() as u32);
        self.0.len() - 1
    }

    /// Replaces an item whose number was not known when it began.
    pub(crate) fn set(&mut self, index: usize, item: TapeItem) {
        self.0[index] = item.word() as u32;
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// Returns items as they are stored.
    pub(crate) fn items(&self, items: Range<usize>) -> &[u32] {
        self.0.get(items).unwrap_or_default()
    }

    /// Appends items of the tape once more.
    pub(crate) fn repeat(&mut self, items: Range<usize>) {
        self.0.extend_from_within(items);
    }

    pub(crate) fn cursor(&self, start: usize) -> BuilderCursor<'_> {
        BuilderCursor { items: self.0.get(start..).unwrap_or_default().iter() }
    }
}

/// Reads a builder tape.
pub(crate) struct BuilderCursor<'a> {
    items: std::slice::Iter<'a, u32>,
}

impl TapeCursor for BuilderCursor<'_> {
    fn next(&mut self) -> TapeItem {
        self.items.next().map_or(TapeItem::Scalar(0), |&word| TapeItem::from_word(u64::from(word)))
    }
}

/// Reads a packed tape.
#[derive(Clone, Copy)]
pub(crate) struct PackedCursor<'a> {
    bytes: &'a [u8],
    offset: usize,
    /// The text of the last item.
    text: Option<&'a [u8]>,
    /// Whether JSON has to escape nothing in it.
    is_escape_free: bool,
}

impl<'a> PackedCursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { bytes, offset, text: None, is_escape_free: false }
    }

    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the text of the last item, if it is inlined.
    pub(crate) fn last_text(&self) -> Option<&'a [u8]> {
        self.text
    }

    /// Returns whether JSON has to escape nothing in the text of the last item.
    pub(crate) fn is_escape_free(&self) -> bool {
        self.is_escape_free
    }

    /// Returns the next item and moves past it with its content.
    #[inline]
    pub(crate) fn skip(&mut self) -> TapeItem {
        let (item, length) = self.head();
        self.offset = self.offset.saturating_add(length);
        item
    }

    /// Reads an item, its inlined text, and the length of its content.
    #[inline]
    fn head(&mut self) -> (TapeItem, usize) {
        let word = varint::read(self.bytes, &mut self.offset);
        self.text = None;
        match word & ((1 << TAG_BITS) - 1) {
            SCALAR => (TapeItem::Scalar((word >> TAG_BITS) as u32), 0),
            TEXT => {
                let length_word = varint::read(self.bytes, &mut self.offset);
                self.is_escape_free = length_word & 1 == 1;
                let length = (length_word >> 1) as usize;
                let end = self.offset.saturating_add(length);
                self.text = Some(self.bytes.get(self.offset..end).unwrap_or_default());
                self.offset = end;
                (TapeItem::Scalar((word >> TAG_BITS) as u32), 0)
            }
            _ => {
                let length = varint::read(self.bytes, &mut self.offset) as usize;
                (TapeItem::from_word(word), length)
            }
        }
    }
}

impl TapeCursor for PackedCursor<'_> {
    #[inline]
    fn next(&mut self) -> TapeItem {
        self.head().0
    }

    fn text(&self) -> Option<&[u8]> {
        self.text
    }
}
