//! Reading the members of a request, with errors that name the location, what was found and what was expected.

use cantata_mapping::join_path;
use serde_json::{Map, Value};

use super::DownloadError;

/// How many characters of a client's text an error message repeats.
const MAX_QUOTED_CHARS: usize = 60;

const MAX_FIELD_NAME_BYTES: usize = 1000;

/// An object of the request with its location.
pub(super) struct RequestObject<'a> {
    members: &'a Map<String, Value>,
    location: String,
}

impl<'a> RequestObject<'a> {
    pub(super) fn new(value: &'a Value, location: String, expected: &str) -> Result<Self, DownloadError> {
        match value {
            Value::Object(members) => Ok(Self { members, location }),
            other => Err(unexpected(&location, other, expected)),
        }
    }

    pub(super) fn location_of(&self, key: &str) -> String {
        join_path(&self.location, key)
    }

    /// Returns a member that is not null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.members.get(key).filter(|value| !value.is_null())
    }

    /// Returns a member that is not null, as `read` reads it.
    fn read<T>(
        &self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, DownloadError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| unexpected(&self.location_of(key), value, expected))
    }

    /// Returns a text, which may be empty.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, DownloadError> {
        self.read(key, "a text", Value::as_str)
    }

    /// Returns a text that is not empty.
    pub(super) fn filled_text(&self, key: &str) -> Result<Option<String>, DownloadError> {
        Ok(self.text(key)?.filter(|text| !text.is_empty()).map(str::to_owned))
    }

    /// Returns the name of a field.
    pub(super) fn field_name(&self, key: &str) -> Result<Option<String>, DownloadError> {
        let name = self.filled_text(key)?;
        name.map(|name| check_field_name(&self.location_of(key), &name)).transpose()
    }

    /// Returns one of some words.
    pub(super) fn word(&self, key: &str, words: &[&'static str]) -> Result<Option<&'static str>, DownloadError> {
        self.read(key, &one_of(words), |value| words.iter().copied().find(|word| value == *word))
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, DownloadError> {
        self.read(key, "true or false", Value::as_bool)
    }

    /// Returns a whole number that is not negative.
    pub(super) fn count(&self, key: &str) -> Result<Option<u64>, DownloadError> {
        self.read(key, "a whole number that is not negative", Value::as_u64)
    }

    /// Returns a list, which is empty if the member is absent.
    pub(super) fn list(&self, key: &str, expected: &str) -> Result<&'a [Value], DownloadError> {
        Ok(self.read(key, expected, Value::as_array)?.map(Vec::as_slice).unwrap_or_default())
    }
}

/// Checks the length of a field name: each of its segments becomes a level of the column layout.
pub(super) fn check_field_name(location: &str, name: &str) -> Result<String, DownloadError> {
    if name.len() > MAX_FIELD_NAME_BYTES {
        let found = format!("a text of {} bytes", name.len());
        let message =
            format!("{location}: found {found}; expected the name of a field, at most {MAX_FIELD_NAME_BYTES} bytes");
        return Err(DownloadError::Invalid(message));
    }
    Ok(name.to_owned())
}

/// Returns the error for an unexpected value.
pub(super) fn unexpected(location: &str, found: &Value, expected: &str) -> DownloadError {
    let location = if location.is_empty() { "params" } else { location };
    DownloadError::Invalid(format!("{location}: found {}; expected {expected}", describe(found)))
}

/// Lists words for an error message.
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

/// Quotes the beginning of a client's text.
pub(super) fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
