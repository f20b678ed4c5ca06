//! Reading documents back from the tape.
//!
//! The place of a value is its path and where it stands on the tape, in one number: the path in the upper bits.

use cantata_engine::{Array, Node, Object, PackedDocuments};
use cantata_mapping::TypedValue;

use super::directory::Directory;
use super::{DictionaryEntry, Segment};
use crate::key::Class;
use crate::scalar::Scalar;
use crate::tape::{Cursor, Item, PackedCursor};

/// How many bits of a place say where the value stands on the tape.
const TAPE_BITS: u32 = 40;

/// Where the scalars of a path are: what reading one takes, and nothing else, because it is done for each value of
/// each document.
pub(super) struct PathReader {
    class: Class,
    /// How many scalars are values of the field.
    coded: usize,
    /// Whether these are texts that may stand in JSON as they are.
    are_plain: bool,
    starts: usize,
    bytes: usize,
    /// How many scalars are others.
    others: usize,
    other_starts: usize,
    other_bytes: usize,
}

/// Returns where the scalars of each path are.
pub(super) fn path_readers(directory: &Directory) -> Vec<PathReader> {
    let readers = directory.paths.iter().map(|path| {
        let field = path.field.and_then(|field| directory.fields.get(field as usize));
        let (coded, starts, bytes, are_plain) = match field.map(|field| field.dictionary) {
            Some(DictionaryEntry::Numbers(numbers)) => (numbers.len() / size_of::<u64>(), 0, numbers.start(), false),
            Some(DictionaryEntry::Bytes { starts, bytes, are_plain }) => {
                ((starts.len() / size_of::<u32>()).saturating_sub(1), starts.start(), bytes.start(), are_plain)
            }
            None => (0, 0, 0, false),
        };
        let (others, other_starts, other_bytes) = path.others.map_or((0, 0, 0), |(starts, bytes)| {
            ((starts.len() / size_of::<u32>()).saturating_sub(1), starts.start(), bytes.start())
        });
        let class = field.map_or(Class::Exact, |field| field.class);
        PathReader { class, coded, are_plain, starts, bytes, others, other_starts, other_bytes }
    });
    readers.collect()
}

impl Segment {
    /// Returns the place of a document.
    pub(crate) fn document_place(&self, row: usize) -> u64 {
        self.section::<u64>(self.directory.tape_starts).get(row).copied().unwrap_or_default()
    }

    /// Returns a cursor at the start of a document.
    pub(crate) fn document_cursor(&self, row: usize) -> PackedCursor<'_> {
        PackedCursor::new(self.tape(), self.document_place(row) as usize)
    }

    fn tape(&self) -> &[u8] {
        self.directory.tape.bytes(&self.storage)
    }

    /// Returns how many different scalars the values of a path are.
    pub(crate) fn scalar_count(&self, path: usize) -> usize {
        let reader = &self.readers[path];
        reader.coded + reader.others
    }

    /// Returns a scalar of a path by its number.
    #[inline]
    pub(crate) fn scalar(&self, path: usize, number: u32) -> Scalar<'_> {
        let reader = &self.readers[path];
        let number = number as usize;
        if number >= reader.coded {
            return Scalar::read(self.entry(reader.other_starts, reader.other_bytes, number - reader.coded));
        }
        match reader.class {
            Class::Exact | Class::Words | Class::Ip => {
                let text = self.entry(reader.starts, reader.bytes, number);
                std::str::from_utf8(text).map_or(Scalar::Null, Scalar::String)
            }
            class => match class.number(self.word(reader.bytes + number * size_of::<u64>())) {
                TypedValue::Bool(flag) => Scalar::Bool(flag),
                TypedValue::Integer(integer) => Scalar::Integer(integer),
                TypedValue::Unsigned(unsigned) => match i64::try_from(unsigned) {
                    Ok(integer) => Scalar::Integer(integer),
                    Err(_) => Scalar::Unsigned(unsigned),
                },
                TypedValue::Double(number) => Scalar::Double(number),
                _ => Scalar::Null,
            },
        }
    }

    /// Returns an entry of a table, given where its starts and its bytes are.
    #[inline]
    fn entry(&self, starts: usize, bytes: usize, number: usize) -> &[u8] {
        let place = starts + number * size_of::<u32>();
        let (from, to) = (self.half_word(place), self.half_word(place + size_of::<u32>()));
        self.storage.get(bytes + from..bytes + to).unwrap_or_default()
    }

    #[inline]
    fn half_word(&self, place: usize) -> usize {
        let bytes = self.storage.get(place..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
    }

    #[inline]
    fn word(&self, place: usize) -> u64 {
        self.storage.get(place..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    fn cursor_at(&self, place: u64) -> (u64, PackedCursor<'_>) {
        let cursor = PackedCursor::new(self.tape(), (place & ((1 << TAPE_BITS) - 1)) as usize);
        (place >> TAPE_BITS, cursor)
    }

    /// Shows the value at the cursor and moves past it.
    fn show<'a>(&'a self, path: u64, cursor: &mut PackedCursor<'a>) -> Node<'a> {
        let place = path << TAPE_BITS | cursor.place() as u64;
        match (cursor.skip(), cursor.last_text()) {
            (Item::Scalar(_), Some(text)) => std::str::from_utf8(text).map_or(Node::Null, Node::String),
            (Item::Scalar(number), None) => self.scalar(path as usize, number).to_node(),
            (Item::Array(length), _) => Node::Array(Array::packed(self, place, length)),
            (Item::Object(_), _) => Node::Object(Object::packed(self, place)),
        }
    }
}

impl PackedDocuments for Segment {
    fn node(&self, place: u64) -> Node<'_> {
        let (path, mut cursor) = self.cursor_at(place);
        self.show(path, &mut cursor)
    }

    fn plain_text(&self, place: u64) -> Option<&[u8]> {
        let (path, mut cursor) = self.cursor_at(place);
        let Item::Scalar(number) = cursor.skip() else { return None };
        if let Some(text) = cursor.last_text() {
            return cursor.is_plain().then_some(text);
        }
        let reader = &self.readers[path as usize];
        let number = number as usize;
        (reader.are_plain && number < reader.coded).then(|| self.entry(reader.starts, reader.bytes, number))
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
        for &path in self.directory.shapes.get(shape as usize).map(Vec::as_slice).unwrap_or_default() {
            visit(&self.directory.paths[path as usize].key, u64::from(path) << TAPE_BITS | cursor.place() as u64);
            cursor.skip();
        }
    }
}
