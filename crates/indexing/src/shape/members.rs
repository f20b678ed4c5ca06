//! Looking into JSON that may be anything. Of an object only the names of its members are read; what stands under them
//! is text that goes into documents as it is.

use std::borrow::{Borrow, Cow};
use std::fmt;

use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;
use memchr::memchr2;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Where an object is.
#[derive(Clone, Copy)]
pub(crate) enum Place {
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

/// The name of a member.
#[derive(Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub(super) struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Borrow<str> for Name<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The members of an object; of several with one name the last.
pub(super) type Object<'a> = IndexMap<Name<'a>, &'a RawValue, DefaultHashBuilder>;

/// An object, and where it is.
pub(crate) struct Members<'a> {
    pub(super) object: Object<'a>,
    place: Place,
}

impl<'a> Members<'a> {
    /// Returns the members of an object.
    pub(crate) fn of(json: &'a str, place: Place) -> Result<Self, String> {
        match serde_json::from_str(json) {
            Ok(object) => Ok(Self { object, place }),
            Err(error) if error.is_data() => Err(format!("{place} is {}, expected an object", kind(json))),
            Err(error) => Err(format!("{place} is not JSON: {error}")),
        }
    }

    /// Returns the whole object, read.
    pub(super) fn value(&self) -> Result<Value, String> {
        serde_json::to_value(&self.object).map_err(|error| format!("{} is not JSON: {error}", self.place))
    }

    /// Returns what is under a name.
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.object.get(name).copied()
    }

    /// Returns a string that is not empty.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        self.read(name, "a string", |text: &String| !text.is_empty())
    }

    /// Returns the elements of a list.
    pub(super) fn list(&self, name: &str) -> Result<Vec<&'a RawValue>, String> {
        self.read(name, "a list", |_: &Vec<&RawValue>| true)
    }

    fn read<T: Deserialize<'a>>(&self, name: &str, expected: &str, is_right: fn(&T) -> bool) -> Result<T, String> {
        let found = self.get(name).map(RawValue::get);
        let read = found.and_then(|found| serde_json::from_str(found).ok()).filter(is_right);
        let found = found.map_or("not there", kind);
        read.ok_or_else(|| format!("`{name}` of {} is {found}, expected {expected}", self.place))
    }
}

/// An object without some of its members.
pub(super) struct Without<'a> {
    pub(super) object: &'a Object<'a>,
    pub(super) names: &'a [&'a str],
}

impl Serialize for Without<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.object.iter().filter(|(name, _)| !self.names.contains(&&*name.0)) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Returns JSON without line breaks, which no document may have: engines take documents line by line.
pub(crate) fn in_one_line(json: &str) -> Result<Cow<'_, str>, String> {
    // In a string they are escaped, so these are between values.
    if memchr2(b'\n', b'\r', json.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(json));
    }
    let value: Value = serde_json::from_str(json).map_err(|error| format!("the analysis is not JSON: {error}"))?;
    Ok(Cow::Owned(value.to_string()))
}

/// Returns the words for what a JSON text is.
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
