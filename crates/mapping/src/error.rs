//! Errors of mappings and values.
//!
//! Every message names the path, what was found there and what was expected. Values are shown, but never more than the
//! beginning of a long one.

use serde_json::Value;

/// How many characters of a text a message shows.
const MAX_SHOWN_CHARS: usize = 80;

/// One problem of a mapping.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the mapping{}: found {found}, expected {expected}", of_field(path))]
pub struct MappingError {
    /// The dotted path of the field; empty for the mapping as a whole.
    pub path: String,
    /// What was found there.
    pub found: String,
    /// What was expected instead.
    pub expected: String,
}

impl MappingError {
    pub(crate) fn new(path: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { path: path.into(), found: found.into(), expected: expected.into() }
    }
}

fn of_field(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" of field `{}`", shorten(path)) }
}

/// A value that the field it stands in cannot take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field `{path}`: found {found}, expected {expected}")]
pub struct ValueError {
    /// The dotted path of the field.
    pub path: String,
    /// What was found there.
    pub found: String,
    /// What the field takes.
    pub expected: String,
}

/// Describes a JSON value, such as `the string "abc"` or `a list`.
pub fn describe(value: &Value) -> String {
    match value {
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {}", quote(text)),
        Value::Null | Value::Array(_) | Value::Object(_) => describe_type(value).to_owned(),
    }
}

/// Describes the type of a JSON value, for one that a message must not show.
pub fn describe_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns a text in double quotes, cut where it is long.
pub(crate) fn quote(text: &str) -> String {
    format!("{:?}", shorten(text))
}

/// Returns the beginning of a text that is too long for a message.
pub fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
