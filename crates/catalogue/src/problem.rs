//! Problems of a configuration: the file, the key in it, what was found and what was expected.

use cantata_mapping::shorten;
use serde::Serialize;

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{file}{}: found {found}, expected {expected}", at_key(key))]
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

fn at_key(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!(", `{}`", shorten(key)) }
}
