//! What is wrong with a configuration, in words: the file, the key in it, what was found and what was expected.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// How much of a text a message shows, in characters.
const LONGEST_SHOWN: usize = 80;

/// What stands for the file where the index mapping is meant.
pub(crate) const MAPPING: &str = "index mapping";

/// Whether a problem keeps a catalogue from being served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The catalogue is served; something is left out or taken otherwise than written.
    Warning,
    /// The catalogue is not served.
    Error,
}

/// One problem of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigProblem {
    /// Whether the catalogue can be served all the same.
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
    /// Returns a problem that keeps the catalogue from being served.
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

    /// Returns a problem that the catalogue can be served with.
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

    /// Returns whether the problem keeps the catalogue from being served.
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

/// Returns the words for a JSON value, such as `the string "abc"` or `a list`.
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

/// Returns the words for a JSON value that must not be shown.
pub(crate) fn kind(value: &Value) -> &'static str {
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
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
