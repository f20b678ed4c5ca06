//! One place of a value that breaks its schema, and what is wrong there.

use std::fmt;

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Violation {
    /// Where: `#` for the value itself, else `#` and a JSON pointer such as `#/files/0`.
    pub pointer: String,
    /// What is wrong there.
    pub text: String,
}

impl Violation {
    /// Makes the violation at a JSON pointer, which is given without the `#`.
    pub(crate) fn at(pointer: &str, text: impl Into<String>) -> Self {
        Self { pointer: format!("#{pointer}"), text: text.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.text)
    }
}

/// Returns all violations as the one text an error carries.
pub fn join(violations: &[Violation]) -> String {
    violations.iter().map(Violation::to_string).collect::<Vec<_>>().join(",")
}
