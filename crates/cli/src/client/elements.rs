//! The elements of a JSON list, one after the other while the list arrives.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Server;
use crate::failure::Failure;

/// What is done with an element; false: no more are wanted.
type Act<'a> = dyn FnMut(&RawValue) -> Result<bool, Failure> + 'a;

/// Hands every element of a list to `act`, until it wants no more.
pub(super) fn for_each(
    server: &Server,
    body: impl Read,
    mut act: impl FnMut(&RawValue) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    walk(server, body, None, &mut act)
}

/// Hands every element of the lists that the objects of a list have at `member` to `act`, until it wants no more.
pub(super) fn for_each_within(
    server: &Server,
    body: impl Read,
    member: &'static str,
    mut act: impl FnMut(&RawValue) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    walk(server, body, Some(member), &mut act)
}

fn walk(server: &Server, body: impl Read, member: Option<&'static str>, act: &mut Act<'_>) -> Result<(), Failure> {
    let mut end = None;
    let mut list = serde_json::Deserializer::from_reader(body);
    let walked = List { member, walk: &mut Walk { act, end: &mut end } }.deserialize(&mut list);
    match (end, walked) {
        (Some(End::Failed(failure)), _) => Err(failure),
        (Some(End::Enough), _) | (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(server.broken(&error).into()),
    }
}

/// Why a walk ended before the list did.
enum End {
    Enough,
    Failed(Failure),
}

struct Walk<'w, 'a> {
    act: &'w mut Act<'a>,
    end: &'w mut Option<End>,
}

/// A list of elements, or of objects that have them at a member.
struct List<'l, 'w, 'a> {
    member: Option<&'static str>,
    walk: &'l mut Walk<'w, 'a>,
}

impl<'de> DeserializeSeed<'de> for List<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        if let Some(member) = self.member {
            while list.next_element_seed(Object { member, walk: self.walk })?.is_some() {}
            return Ok(());
        }
        while let Some(element) = list.next_element::<Box<RawValue>>()? {
            let end = match (self.walk.act)(&element) {
                Ok(true) => continue,
                Ok(false) => End::Enough,
                Err(failure) => End::Failed(failure),
            };
            *self.walk.end = Some(end);
            return Err(S::Error::custom("no more is wanted"));
        }
        Ok(())
    }
}

struct Object<'l, 'w, 'a> {
    member: &'static str,
    walk: &'l mut Walk<'w, 'a>,
}

impl<'de> DeserializeSeed<'de> for Object<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        while let Some(name) = object.next_key::<String>()? {
            if name == self.member {
                object.next_value_seed(List { member: None, walk: self.walk })?;
            } else {
                object.next_value::<serde::de::IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
