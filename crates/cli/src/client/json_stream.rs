//! Streaming of the elements of a JSON array.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::client::server::ServerClient;
use crate::error::CliError;

/// Called for each element; returns false to stop.
type Act<'a> = dyn FnMut(&RawValue) -> Result<bool, CliError> + 'a;

/// Calls `act` for every element of an array until it returns false. With a member, these are the elements of the arrays
/// at this member of the objects of the array.
pub(super) fn for_each_element(
    server: &ServerClient,
    body: impl Read,
    member: Option<&'static str>,
    act: &mut Act<'_>,
) -> Result<(), CliError> {
    let mut end = None;
    let mut list = serde_json::Deserializer::from_reader(body);
    let streamed = ArrayVisitor { member, stream: &mut ElementStream { act, end: &mut end } }.deserialize(&mut list);
    match (end, streamed) {
        (Some(StreamEnd::Failed(failure)), _) => Err(failure),
        (Some(StreamEnd::Stopped), _) | (None, Ok(())) => Ok(()),
        (None, Err(error)) => Err(server.body_error(&error).into()),
    }
}

/// Why a stream ended before the array.
enum StreamEnd {
    Stopped,
    Failed(CliError),
}

struct ElementStream<'w, 'a> {
    act: &'w mut Act<'a>,
    end: &'w mut Option<StreamEnd>,
}

/// Visits an array of elements, or of objects with such an array at a member.
struct ArrayVisitor<'l, 'w, 'a> {
    member: Option<&'static str>,
    stream: &'l mut ElementStream<'w, 'a>,
}

impl<'de> DeserializeSeed<'de> for ArrayVisitor<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ArrayVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        if let Some(member) = self.member {
            while list.next_element_seed(MemberVisitor { member, stream: self.stream })?.is_some() {}
            return Ok(());
        }
        while let Some(element) = list.next_element::<Box<RawValue>>()? {
            let end = match (self.stream.act)(&element) {
                Ok(true) => continue,
                Ok(false) => StreamEnd::Stopped,
                Err(failure) => StreamEnd::Failed(failure),
            };
            *self.stream.end = Some(end);
            return Err(S::Error::custom("stopped"));
        }
        Ok(())
    }
}

struct MemberVisitor<'l, 'w, 'a> {
    member: &'static str,
    stream: &'l mut ElementStream<'w, 'a>,
}

impl<'de> DeserializeSeed<'de> for MemberVisitor<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MemberVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        while let Some(name) = object.next_key::<String>()? {
            if name == self.member {
                object.next_value_seed(ArrayVisitor { member: None, stream: self.stream })?;
            } else {
                object.next_value::<serde::de::IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
