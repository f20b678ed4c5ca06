//! Fields of JSON documents that begin with whole numbers and have fractions later.
//!
//! A field that no mapping names has the type of its first value, as on every engine: after a `1`, the value `0.5` is
//! stored as it is, but counted and found as `0`. So documents that become a new index are read once before: such a field
//! is a double from the start. What can be read only once, standard input or a pipe, is left to the first value.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use cantata_json_stream::ChunkReader;
use cantata_mapping::RECORD_ID;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};

use super::source::Source;
use crate::backends::parse_mapping;

/// How many bytes are read at once.
const CHUNK_BYTES: usize = 4 << 20;

/// How many bytes the fields that are remembered may take; further ones are left to their first value.
const MAX_FIELD_BYTES: usize = 16 << 20;

/// What the values of a field are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldValues {
    /// The first one is a whole number, and so are the other numbers.
    Whole,
    /// The first one is a whole number, another has a fraction.
    Fraction,
    /// The first one decides rightly.
    Other,
}

/// Adds the fields of JSON sources that need to be doubles to a mapping, if there is one.
pub(super) fn with_doubles(mapping: Option<Value>, sources: &[Source]) -> Option<Value> {
    let mut fields = NumberFields::default();
    let is_read_twice = |source: &&Source| source.table.is_none() && source.size.is_some();
    sources.iter().filter(is_read_twice).for_each(|source| fields.add_source(source));
    let doubles = fields.values.into_iter().filter(|(_, values)| *values == FieldValues::Fraction);
    let doubles: BTreeSet<String> = doubles.map(|(path, _)| path).collect();
    if doubles.is_empty() {
        return mapping;
    }
    let Ok(mut extended) = parse_mapping(mapping.as_ref().unwrap_or(&json!({ "properties": {} }))) else {
        return mapping;
    };
    // What the mapping has, or contradicts, stays: the documents are rejected one by one.
    let document: Value = doubles.into_iter().map(|path| (path, json!(0.5))).collect();
    extended.extend_from(&document);
    Some(json!({ "properties": extended.raw() }))
}

#[derive(Default)]
struct NumberFields {
    /// The path of the value that is visited.
    path: String,
    values: HashMap<String, FieldValues>,
    /// How many bytes the values take.
    bytes: usize,
}

impl NumberFields {
    /// Reads the documents of a source; what cannot be read is reported when it is imported.
    fn add_source(&mut self, source: &Source) {
        let Ok(reader) = source.open(Arc::new(AtomicU64::new(0))) else { return };
        let mut chunks = ChunkReader::new(reader, CHUNK_BYTES, source.has_lines());
        while let Ok(Some(chunk)) = chunks.next_chunk() {
            for document in &chunk.documents {
                self.path.clear();
                let mut document = serde_json::Deserializer::from_slice(&chunk.bytes[document.range.clone()]);
                // What is no document is rejected later.
                let _ = ValueVisitor(self).deserialize(&mut document);
            }
        }
    }

    fn note(&mut self, found: FieldValues) {
        let bytes = self.bytes + self.path.len() + size_of::<(String, FieldValues)>();
        match self.values.get_mut(&self.path) {
            _ if self.path.is_empty() => {}
            Some(values) if *values == FieldValues::Whole && found == FieldValues::Fraction => *values = found,
            Some(_) => {}
            None if bytes > MAX_FIELD_BYTES => {}
            None => {
                self.bytes = bytes;
                let first = if found == FieldValues::Whole { found } else { FieldValues::Other };
                self.values.insert(self.path.clone(), first);
            }
        }
    }
}

/// Notes a value and all that is in it, of which nothing is kept.
struct ValueVisitor<'f>(&'f mut NumberFields);

impl<'de> DeserializeSeed<'de> for ValueVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ValueVisitor<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.0.note(FieldValues::Other);
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.0.note(FieldValues::Other);
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.0.note(FieldValues::Whole);
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.0.note(FieldValues::Whole);
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.0.note(FieldValues::Fraction);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(ValueVisitor(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let length = self.0.path.len();
        while let Some(name) = members.next_key::<String>()? {
            // These are no fields.
            if (length == 0 && name == RECORD_ID) || name.split('.').any(str::is_empty) {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            if length > 0 {
                self.0.path.push('.');
            }
            self.0.path.push_str(&name);
            members.next_value_seed(ValueVisitor(&mut *self.0))?;
            self.0.path.truncate(length);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
