//! Parsing the JSON of a document straight onto the builder tape.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::document_buffer::{DocumentBuffer, OwnId, ParseStop, UnmappedPath};
use super::document_error::DocumentError;
use super::layout::PathRole;
use super::path_tree::ROOT;
use crate::scalar::Scalar;
use crate::tape::TapeItem;

/// Parses the value at a path.
pub(super) struct ValueSeed<'d> {
    pub(super) buffer: &'d mut DocumentBuffer,
    pub(super) path: u32,
}

/// Parses a key of an object.
struct KeySeed<'d> {
    buffer: &'d mut DocumentBuffer,
    parent: u32,
    previous: Option<u32>,
}

impl<'de> DeserializeSeed<'de> for ValueSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = u32;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<u32, E> {
        Ok(self.buffer.member_path(self.parent, self.previous, key))
    }
}

impl ValueSeed<'_> {
    /// Stops the parser; the reason is kept in the buffer.
    fn stop<E: Error>(self, reason: ParseStop) -> E {
        self.buffer.stopped = Some(reason);
        E::custom("stopped")
    }

    fn scalar<E: Error>(self, scalar: Scalar<'_>) -> Result<(), E> {
        let path = self.path as usize;
        let is_null = scalar == Scalar::Null;
        match &self.buffer.roles[path] {
            PathRole::Container | PathRole::Nested if !is_null => {
                let error = self.buffer.mismatch(self.path, &scalar.to_json());
                return Err(self.stop(ParseStop::Rejected(error)));
            }
            PathRole::Unmapped => {
                let known = self.buffer.unmapped[path];
                if !(known == UnmappedPath::Ignored || known == UnmappedPath::OnlyNull && is_null) {
                    if !self.buffer.is_mapping_extended {
                        return Err(self.stop(ParseStop::UnmappedPath));
                    }
                    self.buffer.unmapped[path] = if is_null { UnmappedPath::OnlyNull } else { UnmappedPath::Ignored };
                }
            }
            _ => {}
        }
        let number = match self.buffer.interners[path].find(scalar) {
            Ok(number) => number,
            Err(vacant) => {
                if self.buffer.roles[path] == PathRole::Values
                    && let Err(error) = self.buffer.check(self.path, scalar)
                {
                    return Err(self.stop(ParseStop::Rejected(error)));
                }
                self.buffer.interners[path].add(vacant, scalar)
            }
        };
        self.buffer.tape.push(TapeItem::Scalar(number));
        Ok(())
    }
}

impl<'de> Visitor<'de> for ValueSeed<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.scalar(Scalar::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<(), E> {
        self.scalar(Scalar::Bool(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.scalar(Scalar::Integer(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.scalar(i64::try_from(number).map_or(Scalar::Unsigned(number), Scalar::Integer))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.scalar(Scalar::Double(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.scalar(Scalar::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let start = self.buffer.tape.push(TapeItem::Array(0));
        let mut length = 0;
        while elements.next_element_seed(ValueSeed { buffer: self.buffer, path: self.path })?.is_some() {
            length += 1;
        }
        self.buffer.tape.set(start, TapeItem::Array(length));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let path = self.path as usize;
        match &self.buffer.roles[path] {
            PathRole::Values => {
                let error = self.buffer.mismatch(self.path, &Value::Object(serde_json::Map::new()));
                return Err(self.stop(ParseStop::Rejected(error)));
            }
            PathRole::Unmapped if self.buffer.unmapped[path] != UnmappedPath::Ignored => {
                if !self.buffer.is_mapping_extended {
                    return Err(self.stop(ParseStop::UnmappedPath));
                }
                self.buffer.unmapped[path] = UnmappedPath::Ignored;
            }
            _ => {}
        }
        let start = self.buffer.tape.push(TapeItem::Object(0));
        let first = self.buffer.open_members.len();
        self.buffer.objects += 1;
        let object = self.buffer.objects;
        let mut previous = None;
        while let Some(member) = members.next_key_seed(KeySeed { buffer: self.buffer, parent: self.path, previous })? {
            if std::mem::replace(&mut self.buffer.last_seen[member as usize], object) == object {
                let error = DocumentError::DuplicateKey(self.buffer.paths.dotted(member).to_owned());
                return Err(self.stop(ParseStop::Rejected(error)));
            }
            if self.path == ROOT && self.buffer.own_id != OwnId::Ordinary && self.buffer.paths.key(member) == "_id" {
                self.buffer.own_id = match members.next_value::<Value>()? {
                    Value::String(id) if !id.is_empty() => OwnId::Found(id),
                    Value::Number(number) => OwnId::Found(number.to_string()),
                    other => return Err(self.stop(ParseStop::Rejected(DocumentError::InvalidId(other)))),
                };
                continue;
            }
            self.buffer.open_members.push(member);
            previous = Some(member);
            if self.path == ROOT {
                if let Some(placeholder) = &mut self.buffer.placeholder {
                    let is_last = placeholder.path == member;
                    // Only the last member may be the placeholder of the tail, and nothing may follow it.
                    if placeholder.is_filled || is_last && members.next_value::<Option<IgnoredAny>>()?.is_some() {
                        return Err(A::Error::custom("the document ends in another way"));
                    }
                    if is_last {
                        placeholder.is_filled = true;
                        let items = placeholder.items.clone();
                        self.buffer.tape.repeat(items);
                        continue;
                    }
                }
                self.buffer.last_member = Some((member, self.buffer.tape.len()));
            }
            members.next_value_seed(ValueSeed { buffer: self.buffer, path: member })?;
        }
        let shape = self.buffer.shapes.number(&self.buffer.open_members[first..]);
        self.buffer.open_members.truncate(first);
        self.buffer.tape.set(start, TapeItem::Object(shape));
        Ok(())
    }
}
