//! Documents as a row of numbers.
//!
//! Documents of one index are much alike: few shapes of objects, few different values in most fields. So an object is
//! the number of its shape (its keys, in order) followed by its members; an array is its length followed by its
//! elements; a scalar is the number of an entry in the table of values of its path. Keys and repeated values are kept
//! once for all documents, and any document can be read without its neighbours.
//!
//! A **draft** tape, made while documents come in, has numbers of fixed width, because the length of an array and the
//! shape of an object are known only at their end. A **packed** tape has numbers of as few bytes as possible, and after
//! the number of an array or object how many bytes its content takes, so that a reader can pass over it. Texts that
//! hardly ever occur twice are on the packed tape themselves, after their number: a document is then read from one place.
//! Their length comes with a bit that says whether they may stand in JSON as they are.

use cantata_engine::is_plain;

use crate::varint;

/// What a number on a tape stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    /// A scalar: an entry in the table of values of the path.
    Scalar(u32),
    /// An array of so many elements, which follow.
    Array(u32),
    /// An object of this shape, whose members follow.
    Object(u32),
}

const SCALAR: u64 = 0;
const ARRAY: u64 = 1;
const OBJECT: u64 = 2;
/// A scalar whose text follows.
const TEXT: u64 = 3;
const TAG_BITS: u32 = 2;

impl Item {
    fn parts(self) -> (u64, u32) {
        match self {
            Self::Scalar(number) => (SCALAR, number),
            Self::Array(number) => (ARRAY, number),
            Self::Object(number) => (OBJECT, number),
        }
    }

    fn word(self) -> u64 {
        let (tag, number) = self.parts();
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

    /// Appends the item to a packed tape. The content of an array or object must follow and be closed with [`close`].
    pub(crate) fn pack(self, out: &mut Vec<u8>) {
        varint::write(out, self.word());
        if !matches!(self, Self::Scalar(_)) {
            out.extend_from_slice(&[0; varint::SHORT]);
        }
    }
}

/// Appends a scalar with its text to a packed tape.
pub(crate) fn pack_text(out: &mut Vec<u8>, number: u32, text: &[u8]) {
    varint::write(out, u64::from(number) << TAG_BITS | TEXT);
    varint::write(out, (text.len() as u64) << 1 | u64::from(is_plain(text)));
    out.extend_from_slice(text);
}

/// Says how long the content of an array or object is, now that it is all there. It begins at `start`, which is where
/// the tape ended when the item was packed.
pub(crate) fn close(out: &mut Vec<u8>, start: usize) {
    let length = (out.len() - start) as u64;
    let gap = start - varint::SHORT..start;
    match varint::short(length) {
        Some(bytes) => out[gap].copy_from_slice(&bytes),
        None => {
            let mut bytes = Vec::new();
            varint::write(&mut bytes, length);
            out.splice(gap, bytes);
        }
    }
}

/// Reads a tape item by item.
pub(crate) trait Cursor {
    /// Returns the next item.
    fn next(&mut self) -> Item;

    /// Returns the text of the last item, if it is on the tape.
    fn text(&self) -> Option<&[u8]> {
        None
    }
}

/// A draft tape: 32 bits for each item, so that no number may need more than 30.
#[derive(Debug, Default)]
pub(crate) struct Draft(Vec<u32>);

impl Draft {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn push(&mut self, item: Item) -> usize {
        self.0.push(item.word() as u32);
        self.0.len() - 1
    }

    /// Replaces an item whose number was not known when it began.
    pub(crate) fn set(&mut self, place: usize, item: Item) {
        self.0[place] = item.word() as u32;
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    pub(crate) fn cursor(&self, place: usize) -> DraftCursor<'_> {
        DraftCursor { items: self.0.get(place..).unwrap_or_default().iter() }
    }
}

/// Reads a draft tape.
pub(crate) struct DraftCursor<'a> {
    items: std::slice::Iter<'a, u32>,
}

impl Cursor for DraftCursor<'_> {
    fn next(&mut self) -> Item {
        self.items.next().map_or(Item::Scalar(0), |&word| Item::from_word(u64::from(word)))
    }
}

/// Reads a packed tape.
#[derive(Clone, Copy)]
pub(crate) struct PackedCursor<'a> {
    bytes: &'a [u8],
    place: usize,
    /// The text of the last item.
    text: Option<&'a [u8]>,
    /// Whether that text may stand in JSON as it is.
    is_plain: bool,
}

impl<'a> PackedCursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], place: usize) -> Self {
        Self { bytes, place, text: None, is_plain: false }
    }

    pub(crate) fn place(&self) -> usize {
        self.place
    }

    /// Returns the text of the last item, if it is on the tape.
    pub(crate) fn last_text(&self) -> Option<&'a [u8]> {
        self.text
    }

    /// Returns whether the text of the last item may stand in JSON as it is.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns the next item and moves past it with its content.
    #[inline]
    pub(crate) fn skip(&mut self) -> Item {
        let (item, length) = self.head();
        self.place = self.place.saturating_add(length);
        item
    }

    /// Reads the number of an item, its text, and how long its content is.
    #[inline]
    fn head(&mut self) -> (Item, usize) {
        let word = varint::read(self.bytes, &mut self.place);
        self.text = None;
        match word & ((1 << TAG_BITS) - 1) {
            SCALAR => (Item::Scalar((word >> TAG_BITS) as u32), 0),
            TEXT => {
                let word_of_length = varint::read(self.bytes, &mut self.place);
                self.is_plain = word_of_length & 1 == 1;
                let length = (word_of_length >> 1) as usize;
                let end = self.place.saturating_add(length);
                self.text = Some(self.bytes.get(self.place..end).unwrap_or_default());
                self.place = end;
                (Item::Scalar((word >> TAG_BITS) as u32), 0)
            }
            _ => {
                let length = varint::read(self.bytes, &mut self.place) as usize;
                (Item::from_word(word), length)
            }
        }
    }
}

impl Cursor for PackedCursor<'_> {
    #[inline]
    fn next(&mut self) -> Item {
        self.head().0
    }

    fn text(&self) -> Option<&[u8]> {
        self.text
    }
}
