//! Reading documents back from the tape.
//!
//! The place of a value is its path and where it stands on the tape, in one number: the path in the upper bits.

use cantata_engine::{Array, Node, Object, PackedDocuments};

use super::Segment;
use crate::key::Class;
use crate::scalar::Scalar;
use crate::tape::{Cursor, Item, PackedCursor};

/// How many bits of a place say where the value stands on the tape.
const TAPE_BITS: u32 = 40;

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
        let entry = &self.directory.paths[path];
        let coded = entry.field.map_or(0, |field| self.field_at(field as usize).dictionary.len());
        coded + entry.others.map_or(0, |(starts, _)| self.section::<u32>(starts).len().saturating_sub(1))
    }

    /// Returns a scalar of a path by its number.
    #[inline]
    pub(crate) fn scalar(&self, path: usize, number: u32) -> Scalar<'_> {
        let entry = &self.directory.paths[path];
        let mut other = number as usize;
        if let Some(field) = entry.field {
            let field = &self.directory.fields[field as usize];
            let dictionary = field.dictionary.open(field.class, &self.storage);
            if other < dictionary.len() {
                return match field.class {
                    Class::Exact | Class::Words | Class::Ip => Scalar::String(dictionary.text(number)),
                    Class::Bool => Scalar::Bool(dictionary.numbers()[other] != 0),
                    Class::Unsigned => match i64::try_from(dictionary.numbers()[other]) {
                        Ok(integer) => Scalar::Integer(integer),
                        Err(_) => Scalar::Unsigned(dictionary.numbers()[other]),
                    },
                    class => match class.number(dictionary.numbers()[other]) {
                        cantata_mapping::TypedValue::Double(number) => Scalar::Double(number),
                        cantata_mapping::TypedValue::Integer(number) => Scalar::Integer(number),
                        _ => Scalar::Null,
                    },
                };
            }
            other -= dictionary.len();
        }
        let Some((starts, bytes)) = entry.others else { return Scalar::Null };
        let starts: &[u32] = self.section(starts);
        let range = starts.get(other).zip(starts.get(other + 1));
        let bytes = range.and_then(|(&from, &to)| bytes.bytes(&self.storage).get(from as usize..to as usize));
        bytes.map_or(Scalar::Null, Scalar::read)
    }

    fn node_of(&self, path: u64, place: u64, item: Item) -> Node<'_> {
        match item {
            Item::Scalar(number) => self.scalar(path as usize, number).to_node(),
            Item::Array(length) => Node::Array(Array::packed(self, place, length as usize)),
            Item::Object(_) => Node::Object(Object::packed(self, place)),
        }
    }

    fn cursor_at(&self, place: u64) -> (u64, PackedCursor<'_>) {
        let cursor = PackedCursor::new(self.tape(), (place & ((1 << TAPE_BITS) - 1)) as usize);
        (place >> TAPE_BITS, cursor)
    }

    /// Shows the value at the cursor and moves past it.
    fn show<'a>(&'a self, path: u64, cursor: &mut PackedCursor<'_>) -> Node<'a> {
        let place = path << TAPE_BITS | cursor.place() as u64;
        self.node_of(path, place, cursor.skip())
    }
}

impl PackedDocuments for Segment {
    fn node(&self, place: u64) -> Node<'_> {
        let (path, mut cursor) = self.cursor_at(place);
        self.show(path, &mut cursor)
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

    fn members<'a>(
        &'a self,
        place: u64,
        choose: &mut dyn FnMut(&'a str) -> Option<usize>,
        visit: &mut dyn FnMut(usize, Node<'a>),
    ) {
        let (_, mut cursor) = self.cursor_at(place);
        let Item::Object(shape) = cursor.next() else { return };
        for &path in self.directory.shapes.get(shape as usize).map(Vec::as_slice).unwrap_or_default() {
            match choose(&self.directory.paths[path as usize].key) {
                Some(chosen) => visit(chosen, self.show(u64::from(path), &mut cursor)),
                None => {
                    cursor.skip();
                }
            }
        }
    }
}
