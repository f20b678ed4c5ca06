//! Where documents and the scalars in them are kept.

use std::ops::Range;

use cantata_mapping::TypedValue;

use super::directory::Directory;
use super::{DictionaryEntry, Segment};
use crate::key::Class;
use crate::scalar::Scalar;
use crate::tape::PackedCursor;

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
    /// Returns where a document is on the tape.
    pub(super) fn document_extent(&self, row: usize) -> Range<usize> {
        let starts = self.section::<u64>(self.directory.tape_starts);
        let start_of = |row: usize| starts.get(row).map_or(self.directory.tape.len(), |&start| start as usize);
        start_of(row)..start_of(row + 1)
    }

    /// Returns a cursor at the start of a document, for whoever reads them all.
    pub(crate) fn document_cursor(&self, row: usize) -> PackedCursor<'_> {
        PackedCursor::new(self.directory.tape.bytes(&self.storage), self.document_extent(row).start)
    }

    /// Returns the text of a scalar of a path by its number, if it may stand in JSON as it is.
    pub(super) fn plain_scalar(&self, path: usize, number: u32) -> Option<&[u8]> {
        let reader = &self.readers[path];
        let number = number as usize;
        (reader.are_plain && number < reader.coded).then(|| self.entry(reader.starts, reader.bytes, number))
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
}
