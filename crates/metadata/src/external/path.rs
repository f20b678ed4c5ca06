//! Finds the strings at the path of a rule in a payload.
//!
//! A path to a single location matches a string or a list of strings; any other path matches any number of strings. No
//! match is no error: a missing member, an index past the end, an empty list, or a path that cannot be parsed. A match
//! that is not a string is an error, even a null.

use std::fmt;

use serde_json::{Number, Value};

use super::path_syntax::PathQuery;

/// What matched instead of strings.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotStringsError {
    /// One value, of the named type.
    Value(&'static str),
    /// A list in which not all elements are strings.
    Elements,
}

impl fmt::Display for NotStringsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(type_name) => write!(f, "was: {type_name}"),
            Self::Elements => f.write_str("contains non-string elements"),
        }
    }
}

/// Returns the strings at a path, in the order of the payload.
pub(super) fn strings_at<'a>(payload: &'a Value, json_path: &str) -> Result<Vec<&'a str>, NotStringsError> {
    let Some(path) = PathQuery::parse(json_path) else {
        tracing::warn!(json_path, "an external validation is skipped because its path cannot be read");
        return Ok(Vec::new());
    };
    let found = path.query.query(payload).all();
    if path.counts {
        let countable = found.iter().any(|value| value.is_array() || value.is_object());
        return if countable { Err(NotStringsError::Value("Integer")) } else { Ok(Vec::new()) };
    }
    match found.as_slice() {
        [value] if path.single => strings_in(value),
        _ => all_strings(found),
    }
}

/// The type names are those of the original server, whose clients know them.
fn strings_in(value: &Value) -> Result<Vec<&str>, NotStringsError> {
    let type_name = match value {
        Value::String(text) => return Ok(vec![text]),
        Value::Array(elements) => return all_strings(elements),
        Value::Object(_) => "LinkedHashMap",
        Value::Number(number) => number_type_name(number),
        Value::Bool(_) => "Boolean",
        Value::Null => "Null",
    };
    Err(NotStringsError::Value(type_name))
}

fn all_strings<'a>(values: impl IntoIterator<Item = &'a Value>) -> Result<Vec<&'a str>, NotStringsError> {
    values.into_iter().map(|value| value.as_str().ok_or(NotStringsError::Elements)).collect()
}

fn number_type_name(number: &Number) -> &'static str {
    match number.as_i64() {
        Some(integer) if i32::try_from(integer).is_ok() => "Integer",
        Some(_) => "Long",
        None if number.is_u64() => "BigInteger",
        None => "Double",
    }
}
