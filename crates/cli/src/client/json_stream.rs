//! Streaming of the elements of a JSON array.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::value::RawValue;

use crate::client::server::ServerClient;
use crate::error::CliError;

/// Called for each element; returns false to stop.
type VisitElement<'a> = dyn FnMut(&RawValue) -> Result<bool, CliError> + 'a;

/// Calls `act` for every element of an array until it returns false. With a member, these are the elements of the arrays
/// at this member of the objects of the array.
pub(super) fn for_each_element(
    server: &ServerClient,
    body: impl Read,
    member: Option<&'static str>,
    act: &mut VisitElement<'_>,
) -> Result<(), CliError> {
    let mut end = None;
    let mut list = serde_json::Deserializer::from_reader(body);
    let streamed = ElementVisitor { member, stream: &mut ElementStream { act, end: &mut end } }.deserialize(&mut list);
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
    act: &'w mut VisitElement<'a>,
    end: &'w mut Option<StreamEnd>,
}

/// Visits an array of elements, or of objects with such an array at a member, or one of these objects.
struct ElementVisitor<'l, 'w, 'a> {
    member: Option<&'static str>,
    stream: &'l mut ElementStream<'w, 'a>,
}

impl<'de> DeserializeSeed<'de> for ElementVisitor<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ElementVisitor<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        let Self { member, stream } = self;
        if member.is_some() {
            while list.next_element_seed(ElementVisitor { member, stream: &mut *stream })?.is_some() {}
            return Ok(());
        }
        while let Some(element) = list.next_element::<Box<RawValue>>()? {
            let end = match (stream.act)(&element) {
                Ok(true) => continue,
                Ok(false) => StreamEnd::Stopped,
                Err(failure) => StreamEnd::Failed(failure),
            };
            *stream.end = Some(end);
            return Err(S::Error::custom("stopped"));
        }
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        let Self { member, stream } = self;
        let member = member.ok_or_else(|| M::Error::invalid_type(Unexpected::Map, &"a list"))?;
        while let Some(name) = object.next_key::<String>()? {
            if name == member {
                object.next_value_seed(ElementVisitor { member: None, stream: &mut *stream })?;
            } else {
                object.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
