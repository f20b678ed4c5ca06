//! A violation of a schema.

use std::fmt;

/// A rule of a schema that a value breaks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaViolation {
    /// The location: `#` for the value itself, else `#` and a JSON pointer such as `#/files/0`.
    pub pointer: String,
    /// What is wrong there.
    pub text: String,
}

impl SchemaViolation {
    /// Makes the violation at a JSON pointer, which is given without the `#`.
    pub(crate) fn at(pointer: &str, text: impl Into<String>) -> Self {
        Self { pointer: format!("#{pointer}"), text: text.into() }
    }
}

impl fmt::Display for SchemaViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.text)
    }
}

/// Returns all violations as the one text an error carries.
pub fn join_violations(violations: &[SchemaViolation]) -> String {
    violations.iter().map(SchemaViolation::to_string).collect::<Vec<_>>().join(",")
}
