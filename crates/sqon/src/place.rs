//! Places in a filter. A place costs nothing until an error asks for its JSON pointer.

use std::fmt::Write;

use serde_json::Value;

use crate::error::{ErrorKind, SqonError};

/// The longest piece of a client's text that an error repeats.
const LONGEST_QUOTE: usize = 60;

/// A place in the filter that is being read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The filter itself.
    Root,
    /// A member of an object.
    Key(&'a Place<'a>, &'a str),
    /// An element of a list.
    Index(&'a Place<'a>, usize),
}

impl<'a> Place<'a> {
    /// Returns the place of a member of the object at this place.
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    /// Returns the place of an element of the list at this place.
    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// Returns the error for something of the wrong form at this place.
    pub(crate) fn found(&self, found: &Value, expected: &str) -> SqonError {
        self.malformed(format!("found {}; expected {expected}", describe(found)))
    }

    /// Returns the error for a member that the object at this place lacks.
    pub(crate) fn lacks(&self, key: &str, expected: &str) -> SqonError {
        self.malformed(format!("`{key}` is missing; expected {expected}"))
    }

    /// Returns the error for anything else that is malformed at this place.
    pub(crate) fn malformed(&self, message: impl Into<String>) -> SqonError {
        SqonError::new(self.pointer(), ErrorKind::Malformed, message)
    }

    /// Returns the JSON pointer. The keys are those of the grammar, which need no escapes.
    pub(crate) fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => {
                let mut pointer = parent.pointer();
                pointer.push('/');
                pointer.push_str(key);
                pointer
            }
            Self::Index(parent, index) => {
                let mut pointer = parent.pointer();
                write!(pointer, "/{index}").ok();
                pointer
            }
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

/// Puts a text in quotes, cut when it is long.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}
