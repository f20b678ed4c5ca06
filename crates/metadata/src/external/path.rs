//! Finds the strings at the path of a rule in a payload.
//!
//! A path to a single location matches a string; any other path matches any number of strings. No match is no error: a
//! missing member, an index past the end, an empty list below `[*]`, or a path that cannot be parsed, which only an import
//! can have brought. A match that is not a string is an error, even a null or a list.

use std::fmt;

use serde_json::{Number, Value};

use super::path_syntax::PathQuery;

/// What matched instead of strings.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotStringsError {
    /// One value, of the named type.
    Value(&'static str),
    /// One list, which only a path with `[*]` looks into.
    List,
    /// Several values that are not all strings.
    Elements,
}

impl fmt::Display for NotStringsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(type_name) => write!(f, "a string or array of strings, but was: {type_name}"),
            Self::List => f.write_str("a string, but was: JSONArray; a path with [*] validates each element"),
            Self::Elements => f.write_str("a string or array of strings, but contains non-string elements"),
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
        [value] if path.single => Ok(vec![string_in(value)?]),
        _ => all_strings(found),
    }
}

/// The type names are those of the original server, whose clients know them.
fn string_in(value: &Value) -> Result<&str, NotStringsError> {
    let type_name = match value {
        Value::String(text) => return Ok(text),
        Value::Array(_) => return Err(NotStringsError::List),
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
