//! Reading a request with errors that name the place, what was found and what was expected.

use serde_json::{Map, Value};

use super::DownloadError;

/// The longest piece of a client's text that a message repeats, in characters.
const LONGEST_QUOTE: usize = 60;

/// The longest name of a field in bytes.
const LONGEST_NAME: usize = 1000;

/// An object of the request and where it stands.
pub(super) struct Part<'a> {
    members: &'a Map<String, Value>,
    place: String,
}

impl<'a> Part<'a> {
    /// Takes a value as an object.
    pub(super) fn new(value: &'a Value, place: String, expected: &str) -> Result<Self, DownloadError> {
        match value {
            Value::Object(members) => Ok(Self { members, place }),
            other => Err(wrong(&place, other, expected)),
        }
    }

    /// Returns the place of a member.
    pub(super) fn place_of(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    /// Returns a member; null is as good as nothing.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    /// Returns a text, which may be empty.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, DownloadError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(&self.place_of(key), other, "a text")),
        }
    }

    /// Returns a text; an empty one is as good as nothing.
    pub(super) fn filled_text(&self, key: &str) -> Result<Option<String>, DownloadError> {
        Ok(self.text(key)?.filter(|text| !text.is_empty()).map(str::to_owned))
    }

    /// Returns the name of a field.
    pub(super) fn field_name(&self, key: &str) -> Result<Option<String>, DownloadError> {
        let name = self.filled_text(key)?;
        name.map(|name| checked_name(&self.place_of(key), &name)).transpose()
    }

    /// Returns one of some words.
    pub(super) fn word(&self, key: &str, words: &[&'static str]) -> Result<Option<&'static str>, DownloadError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match words.iter().find(|word| value == **word) {
            Some(word) => Ok(Some(word)),
            None => Err(wrong(&self.place_of(key), value, &one_of(words))),
        }
    }

    /// Returns a flag.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, DownloadError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(wrong(&self.place_of(key), other, "true or false")),
        }
    }

    /// Returns a whole number that is not negative.
    pub(super) fn count(&self, key: &str) -> Result<Option<u64>, DownloadError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match value.as_u64() {
            Some(count) => Ok(Some(count)),
            None => Err(wrong(&self.place_of(key), value, "a whole number that is not negative")),
        }
    }

    /// Returns a list; nothing is an empty one.
    pub(super) fn list(&self, key: &str, expected: &str) -> Result<&'a [Value], DownloadError> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Array(elements)) => Ok(elements),
            Some(other) => Err(wrong(&self.place_of(key), other, expected)),
        }
    }
}

/// Returns the name of a field. Each part of it becomes a level of what is looked up, so that there must be an end.
pub(super) fn checked_name(place: &str, name: &str) -> Result<String, DownloadError> {
    if name.len() > LONGEST_NAME {
        let found = format!("a text of {} bytes", name.len());
        let message = format!("{place}: found {found}; expected the name of a field, at most {LONGEST_NAME} bytes");
        return Err(DownloadError::Invalid(message));
    }
    Ok(name.to_owned())
}

/// Returns the error for a value that is not what it should be.
pub(super) fn wrong(place: &str, found: &Value, expected: &str) -> DownloadError {
    let place = if place.is_empty() { "params" } else { place };
    DownloadError::Invalid(format!("{place}: found {}; expected {expected}", describe(found)))
}

/// Lists words as people read them.
pub(super) fn one_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!("one of {}", quoted.join(", "))
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => quote(text),
        Value::Array(elements) if elements.is_empty() => "an empty list".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Repeats the beginning of a client's text.
pub(super) fn quote(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
