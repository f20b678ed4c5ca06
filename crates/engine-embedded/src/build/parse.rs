//! Reading the JSON of a document straight onto the tape.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::draft::{Draft, OwnId, Problem, Unknown};
use super::layout::Role;
use super::paths::ROOT;
use crate::scalar::Scalar;
use crate::tape::Item;

/// Reads the value at a path.
pub(super) struct ValueSeed<'d> {
    pub(super) draft: &'d mut Draft,
    pub(super) path: u32,
}

/// Reads a key of an object.
struct KeySeed<'d> {
    draft: &'d mut Draft,
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
        Ok(self.draft.member(self.parent, self.previous, key))
    }
}

impl ValueSeed<'_> {
    /// Stops the reading; the reason is with the draft.
    fn stop<E: Error>(self, problem: Problem) -> E {
        self.draft.problem = Some(problem);
        E::custom("stopped")
    }

    fn scalar<E: Error>(self, scalar: Scalar<'_>) -> Result<(), E> {
        let path = self.path as usize;
        let is_null = scalar == Scalar::Null;
        match &self.draft.roles[path] {
            Role::Container | Role::Nested if !is_null => {
                let reason = self.draft.mismatch(self.path, &scalar.to_json());
                return Err(self.stop(Problem::Refused(reason)));
            }
            Role::Unknown => {
                let known = self.draft.unknown[path];
                if !(known == Unknown::Ignored || known == Unknown::OnlyNull && is_null) {
                    if !self.draft.is_asked {
                        return Err(self.stop(Problem::UnknownPath));
                    }
                    self.draft.unknown[path] = if is_null { Unknown::OnlyNull } else { Unknown::Ignored };
                }
            }
            _ => {}
        }
        let number = match self.draft.interners[path].find(scalar) {
            Ok(number) => number,
            Err(vacancy) => {
                if self.draft.roles[path] == Role::Values
                    && let Err(reason) = self.draft.check(self.path, scalar)
                {
                    return Err(self.stop(Problem::Refused(reason)));
                }
                self.draft.interners[path].add(vacancy, scalar)
            }
        };
        self.draft.tape.push(Item::Scalar(number));
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
        let place = self.draft.tape.push(Item::Array(0));
        let mut length = 0;
        while elements.next_element_seed(ValueSeed { draft: self.draft, path: self.path })?.is_some() {
            length += 1;
        }
        self.draft.tape.set(place, Item::Array(length));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let path = self.path as usize;
        match &self.draft.roles[path] {
            Role::Values => {
                let reason = self.draft.mismatch(self.path, &Value::Object(serde_json::Map::new()));
                return Err(self.stop(Problem::Refused(reason)));
            }
            Role::Unknown if self.draft.unknown[path] != Unknown::Ignored => {
                if !self.draft.is_asked {
                    return Err(self.stop(Problem::UnknownPath));
                }
                self.draft.unknown[path] = Unknown::Ignored;
            }
            _ => {}
        }
        let place = self.draft.tape.push(Item::Object(0));
        let first = self.draft.open_members.len();
        self.draft.objects += 1;
        let object = self.draft.objects;
        let mut previous = None;
        while let Some(member) = members.next_key_seed(KeySeed { draft: self.draft, parent: self.path, previous })? {
            if std::mem::replace(&mut self.draft.last_seen[member as usize], object) == object {
                let reason = format!("`{}` stands twice in one object; leave one out", self.draft.paths.dotted(member));
                return Err(self.stop(Problem::Refused(reason)));
            }
            if self.path == ROOT && self.draft.own_id != OwnId::Kept && self.draft.paths.key(member) == "_id" {
                self.draft.own_id = match members.next_value::<Value>()? {
                    Value::String(id) if !id.is_empty() => OwnId::Found(id),
                    Value::Number(number) => OwnId::Found(number.to_string()),
                    other => {
                        let reason = format!("`_id`: found {other}; expected a string that is not empty, or a number");
                        return Err(self.stop(Problem::Refused(reason)));
                    }
                };
                continue;
            }
            self.draft.open_members.push(member);
            members.next_value_seed(ValueSeed { draft: self.draft, path: member })?;
            previous = Some(member);
        }
        let shape = match self.draft.shape_numbers.get(&self.draft.open_members[first..]) {
            Some(&shape) => shape,
            None => {
                let shape = self.draft.open_members[first..].to_vec();
                let number = self.draft.shapes.len() as u32;
                self.draft.shapes.push(shape.clone());
                self.draft.shape_numbers.insert(shape, number);
                number
            }
        };
        self.draft.open_members.truncate(first);
        self.draft.tape.set(place, Item::Object(shape));
        Ok(())
    }
}
