//! Reads JSON objects whose content may be anything. Only the names of members are parsed; values stay text that is copied
//! into documents.

use std::borrow::{Borrow, Cow};
use std::fmt;

use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;
use memchr::memchr2;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::DocumentError;

/// Which object of an analysis is read.
#[derive(Debug, Clone, Copy)]
pub enum JsonLocation {
    /// The analysis itself.
    Analysis,
    /// The file of this number, from 0.
    File(usize),
}

impl fmt::Display for JsonLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Analysis => f.write_str("the analysis"),
            Self::File(number) => write!(f, "the file at place {number}"),
        }
    }
}

/// The name of a member.
#[derive(Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub(super) struct MemberName<'a>(#[serde(borrow)] Cow<'a, str>);

impl Borrow<str> for MemberName<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The members of an object; of several with one name the last.
pub(super) type JsonObject<'a> = IndexMap<MemberName<'a>, &'a RawValue, DefaultHashBuilder>;

/// The members of an object, and which one it is.
pub(super) struct Members<'a> {
    pub(super) object: JsonObject<'a>,
    location: JsonLocation,
}

impl<'a> Members<'a> {
    /// Parses an object.
    pub(super) fn parse(json: &'a str, location: JsonLocation) -> Result<Self, DocumentError> {
        match serde_json::from_str(json) {
            Ok(object) => Ok(Self { object, location }),
            Err(error) if error.is_data() => Err(DocumentError::NotAnObject(location, kind(json))),
            Err(error) => Err(DocumentError::NotJson(location, error)),
        }
    }

    /// Returns the parsed object.
    pub(super) fn value(&self) -> Result<Value, DocumentError> {
        serde_json::to_value(&self.object).map_err(|error| DocumentError::NotJson(self.location, error))
    }

    /// Returns the value of a member.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.object.get(name).copied()
    }

    /// Returns a string that is not empty.
    pub(super) fn text(&self, name: &str) -> Result<String, DocumentError> {
        self.read(name, "a string", |text: &String| !text.is_empty())
    }

    /// Returns the elements of a list.
    pub(super) fn list(&self, name: &str) -> Result<Vec<&'a RawValue>, DocumentError> {
        self.read(name, "a list", |_: &Vec<&RawValue>| true)
    }

    fn read<T: Deserialize<'a>>(
        &self,
        name: &str,
        expected: &'static str,
        is_valid: fn(&T) -> bool,
    ) -> Result<T, DocumentError> {
        let found = self.get(name).map(RawValue::get);
        let read = found.and_then(|found| serde_json::from_str(found).ok()).filter(is_valid);
        read.ok_or_else(|| DocumentError::Member {
            location: self.location,
            name: name.to_owned(),
            found: found.map_or("not there", kind),
            expected,
        })
    }
}

/// An object without some of its members.
pub(super) struct OmittingMembers<'a> {
    pub(super) object: &'a JsonObject<'a>,
    pub(super) names: &'a [&'a str],
}

impl Serialize for OmittingMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.object.iter().filter(|(name, _)| !self.names.contains(&&*name.0)) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Returns JSON without line breaks, which no document may have: bulk requests have one document per line.
pub(super) fn without_line_breaks(json: &str) -> Result<Cow<'_, str>, DocumentError> {
    // In a string they are escaped, so these are between values.
    if memchr2(b'\n', b'\r', json.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(json));
    }
    let value: Value =
        serde_json::from_str(json).map_err(|error| DocumentError::NotJson(JsonLocation::Analysis, error))?;
    Ok(Cow::Owned(value.to_string()))
}

/// Returns a description of the kind of a JSON value.
pub(super) fn kind(json: &str) -> &'static str {
    let json = json.trim_start();
    match json.as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "a boolean",
        Some(b'"') if json.starts_with("\"\"") => "an empty string",
        Some(b'"') => "a string",
        Some(b'[') => "a list",
        Some(b'{') => "an object",
        _ => "a number",
    }
}
