//! Paths in a filter. A path costs nothing until an error needs its JSON pointer.

use serde_json::Value;

use crate::error::{SqonError, SqonErrorKind};

/// How many characters of a client's text an error repeats.
const MAX_QUOTED_CHARS: usize = 60;

/// A path in the filter that is being parsed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JsonPath<'a> {
    /// The filter itself.
    Root,
    /// A member of an object.
    Key(&'a JsonPath<'a>, &'a str),
    /// An element of a list.
    Index(&'a JsonPath<'a>, usize),
}

impl<'a> JsonPath<'a> {
    /// Returns the path of a member of the object at this path.
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// Returns the path of an element of the list at this path.
    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// Returns the error for something of the wrong form at this path.
    pub(crate) fn found(&self, found: &Value, expected: &str) -> SqonError {
        self.malformed(format!("found {}; expected {expected}", describe(found)))
    }

    /// Returns the error for a member that the object at this path lacks.
    pub(crate) fn lacks(&self, key: &str, expected: &str) -> SqonError {
        self.malformed(format!("`{key}` is missing; expected {expected}"))
    }

    /// Returns the error for anything else that is malformed at this path.
    pub(crate) fn malformed(&self, message: impl Into<String>) -> SqonError {
        SqonError::new(self.pointer(), SqonErrorKind::Malformed, message)
    }

    /// Returns the JSON pointer. The keys are those of the grammar, which need no escapes.
    pub(crate) fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => format!("{}/{key}", parent.pointer()),
            Self::Index(parent, index) => format!("{}/{index}", parent.pointer()),
        }
    }
}

/// Says in a few words what a JSON value is.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(boolean) => format!("the boolean {boolean}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {}", quote(text)),
        Value::Array(list) if list.is_empty() => "an empty list".to_owned(),
        Value::Array(list) if list.len() == 1 => "a list of 1 value".to_owned(),
        Value::Array(list) => format!("a list of {} values", list.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Returns a text in quotes for a message; of a long one the beginning.
pub fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}
