//! Errors of mappings and values.
//!
//! Every message names the path, what was found there and what was expected. Values are shown, but never more than the
//! beginning of a long one.

use std::fmt;

use serde_json::Value;

/// How many characters of a text a message shows.
const MAX_SHOWN_CHARS: usize = 80;

/// One problem of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str("the mapping")?,
            path => write!(f, "the mapping of field `{}`", shorten(path))?,
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for MappingError {}

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

/// Returns the words for a JSON value, such as `the string "abc"` or `a list`.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {}", quote(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Returns a text in double quotes, cut where it is long.
pub(crate) fn quote(text: &str) -> String {
    format!("{:?}", shorten(text))
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
