//! Problems of a configuration: the file, the key in it, what was found and what was expected.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// How many characters of a text a message shows.
const MAX_SHOWN_CHARS: usize = 80;

/// Names the index mapping in place of a file.
pub(crate) const MAPPING: &str = "index mapping";

/// Whether a problem prevents a catalogue from being served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The catalogue is served; something is ignored or changed.
    Warning,
    /// The catalogue is not served.
    Error,
}

/// One problem of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigProblem {
    /// Whether the catalogue can be served nevertheless.
    pub severity: Severity,
    /// The file or folder, as it was given; `environment` or `index mapping` where no file is meant.
    pub file: String,
    /// The key, such as `table.columns[0].show`; empty for the file as a whole. In the mapping, the path of a field.
    pub key: String,
    /// What was found there.
    pub found: String,
    /// What was expected instead.
    pub expected: String,
}

impl ConfigProblem {
    /// Creates a problem that prevents the catalogue from being served.
    pub fn error(
        file: impl Into<String>,
        key: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            file: file.into(),
            key: key.into(),
            found: found.into(),
            expected: expected.into(),
        }
    }

    /// Creates a problem that the catalogue can be served with.
    pub fn warning(
        file: impl Into<String>,
        key: impl Into<String>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(file, key, found, expected) }
    }

    pub(crate) fn in_mapping(path: &str, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::warning(MAPPING, path, found, expected)
    }

    /// Returns whether the problem prevents the catalogue from being served.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if !self.key.is_empty() {
            write!(f, ", `{}`", shorten(&self.key))?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for ConfigProblem {}

/// Describes a JSON value, such as `the string "abc"` or `a list`.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {:?}", shorten(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Describes a JSON value that must not be shown.
pub(crate) fn describe_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
