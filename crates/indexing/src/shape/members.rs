//! Looking into a value that may be anything.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

/// Where an object is.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// It is the whole.
    Analysis,
    /// It is the file at this place.
    File(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Analysis => f.write_str("the analysis"),
            Self::File(place) => write!(f, "the file at place {place}"),
        }
    }
}

/// An object, and where it is.
pub(super) struct Members<'a> {
    pub(super) object: &'a Map<String, Value>,
    place: Place,
}

impl<'a> Members<'a> {
    /// Returns the members of an object.
    pub(super) fn of(value: &'a Value, place: Place) -> Result<Self, String> {
        match value {
            Value::Object(object) => Ok(Self { object, place }),
            other => Err(format!("{place} is {}, expected an object", kind(other))),
        }
    }

    /// Returns a string that is not empty.
    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        match self.object.get(name) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            found => Err(format!("`{name}` of {} is {}, expected a string", self.place, kind_or_absent(found))),
        }
    }

    /// Returns the elements of a list.
    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], String> {
        match self.object.get(name) {
            Some(Value::Array(elements)) => Ok(elements),
            found => Err(format!("`{name}` of {} is {}, expected a list", self.place, kind_or_absent(found))),
        }
    }
}

/// An object without some of its members.
pub(super) struct Without<'a> {
    pub(super) object: &'a Map<String, Value>,
    pub(super) names: &'a [&'a str],
}

impl Serialize for Without<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.object.iter().filter(|(name, _)| !self.names.contains(&name.as_str())) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Returns the words for what a value is.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(text) if text.is_empty() => "an empty string",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn kind_or_absent(value: Option<&Value>) -> &'static str {
    value.map_or("not there", kind)
}
