//! Reading the tape extents of documents, and the scalars of their paths.

use std::ops::Range;

use cantata_mapping::TypedValue;

use super::{DictionaryMetadata, Segment, SegmentMetadata};
use crate::scalar::Scalar;
use crate::tape::PackedCursor;
use crate::value_encoding::ValueClass;

/// Where the scalars of a path are: only the offsets that reading one needs, because that happens for each value of each
/// document.
pub(super) struct ScalarTable {
    class: ValueClass,
    /// The number of scalars that are values of the field's dictionary.
    dictionary_len: usize,
    /// Whether these are texts without characters that JSON has to escape.
    are_plain: bool,
    starts: usize,
    bytes: usize,
    /// The number of other scalars.
    others: usize,
    other_starts: usize,
    other_bytes: usize,
}

/// Returns the scalar table of each path.
pub(super) fn of_paths(metadata: &SegmentMetadata) -> Vec<ScalarTable> {
    let tables = metadata.paths.iter().map(|path| {
        let field = path.field.and_then(|field| metadata.fields.get(field as usize));
        let (dictionary_len, starts, bytes, are_plain) = match field.map(|field| field.dictionary) {
            Some(DictionaryMetadata::Numbers(numbers)) => (numbers.len() / size_of::<u64>(), 0, numbers.start(), false),
            Some(DictionaryMetadata::Bytes { starts, bytes, are_plain }) => {
                ((starts.len() / size_of::<u32>()).saturating_sub(1), starts.start(), bytes.start(), are_plain)
            }
            None => (0, 0, 0, false),
        };
        let (others, other_starts, other_bytes) = path.others.map_or((0, 0, 0), |(starts, bytes)| {
            ((starts.len() / size_of::<u32>()).saturating_sub(1), starts.start(), bytes.start())
        });
        let class = field.map_or(ValueClass::Keyword, |field| field.class);
        ScalarTable { class, dictionary_len, are_plain, starts, bytes, others, other_starts, other_bytes }
    });
    tables.collect()
}

impl Segment {
    /// Returns the bytes of the tape that a document has.
    pub(crate) fn document_extent(&self, row: usize) -> Range<usize> {
        let starts = self.section::<u64>(self.metadata.tape_starts);
        let start_of = |row: usize| starts.get(row).map_or(self.metadata.tape.len(), |&start| start as usize);
        start_of(row)..start_of(row + 1)
    }

    /// Returns a cursor at the start of a document on the mapped tape, to read all documents.
    pub(crate) fn document_cursor(&self, row: usize) -> PackedCursor<'_> {
        PackedCursor::new(self.metadata.tape.bytes(&self.storage), self.document_extent(row).start)
    }

    /// Returns the text of a scalar of a path by its number, if JSON has to escape nothing in it.
    pub(super) fn plain_scalar(&self, path: usize, number: u32) -> Option<&[u8]> {
        let table = &self.scalar_tables[path];
        let number = number as usize;
        (table.are_plain && number < table.dictionary_len).then(|| self.entry(table.starts, table.bytes, number))
    }

    /// Returns the number of different scalars of a path.
    pub(crate) fn scalar_count(&self, path: usize) -> usize {
        let table = &self.scalar_tables[path];
        table.dictionary_len + table.others
    }

    /// Returns a scalar of a path by its number.
    #[inline]
    pub(crate) fn scalar(&self, path: usize, number: u32) -> Scalar<'_> {
        let table = &self.scalar_tables[path];
        let number = number as usize;
        if number >= table.dictionary_len {
            return Scalar::read(self.entry(table.other_starts, table.other_bytes, number - table.dictionary_len));
        }
        match table.class {
            ValueClass::Keyword | ValueClass::Text | ValueClass::Ip => {
                let text = self.entry(table.starts, table.bytes, number);
                std::str::from_utf8(text).map_or(Scalar::Null, Scalar::String)
            }
            class => match class.decode_number(self.read_u64(table.bytes + number * size_of::<u64>())) {
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

    /// Returns an entry of a table, given the offsets of its starts and its bytes.
    #[inline]
    fn entry(&self, starts: usize, bytes: usize, number: usize) -> &[u8] {
        let start = starts + number * size_of::<u32>();
        let (from, to) = (self.read_u32(start), self.read_u32(start + size_of::<u32>()));
        self.storage.get(bytes + from..bytes + to).unwrap_or_default()
    }

    #[inline]
    fn read_u32(&self, offset: usize) -> usize {
        let bytes = self.storage.get(offset..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize)
    }

    #[inline]
    fn read_u64(&self, offset: usize) -> u64 {
        self.storage.get(offset..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}
