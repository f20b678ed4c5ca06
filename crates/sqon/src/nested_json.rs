//! JSON that has filters in it.
//!
//! A level of a filter takes two levels of JSON, an object and a list, so a filter of [`MAX_LEVELS`] is deeper than the
//! parser reads by default. The depth is counted before anything is parsed: no text can exhaust the stack.

use serde::Deserialize;
use serde_json::{Deserializer, Value};

use crate::limits::MAX_LEVELS;

/// How deep JSON with filters in it may be nested: the levels of a filter, the lists in its leaves, and what is around it.
pub const MAX_JSON_DEPTH: usize = 2 * MAX_LEVELS + 16;

/// Why a text is not accepted as JSON.
#[derive(Debug, thiserror::Error)]
pub enum NestedJsonError {
    /// It is not JSON; the message says where.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
    /// It is nested too deeply.
    #[error("objects and arrays are nested deeper than {MAX_JSON_DEPTH} levels")]
    TooDeep,
}

/// Parses JSON that has filters in it.
///
/// # Errors
///
/// If it is not JSON, or nested deeper than [`MAX_JSON_DEPTH`].
pub fn parse_nested_json(text: &[u8]) -> Result<Value, NestedJsonError> {
    if json_depth(text) > MAX_JSON_DEPTH {
        return Err(NestedJsonError::TooDeep);
    }
    let mut parser = Deserializer::from_slice(text);
    parser.disable_recursion_limit();
    let value = Value::deserialize(&mut parser)?;
    parser.end()?;
    Ok(value)
}

/// Returns how deep objects and arrays are nested in a JSON text. In a text that is not JSON, the parser gets no deeper than
/// that before it finds out.
pub fn json_depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_texts_do_not_count() {
        assert_eq!(json_depth(br#"{"a": ["[[[\"[[\\", {}], "b": 1}"#), 3);
        assert_eq!(json_depth(b"1"), 0);
    }

    #[test]
    fn json_is_read_to_the_limit_and_not_beyond_it() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse_nested_json(nested(MAX_JSON_DEPTH).as_bytes()).is_ok());
        for depth in [MAX_JSON_DEPTH + 1, 100_000] {
            assert!(matches!(parse_nested_json(nested(depth).as_bytes()), Err(NestedJsonError::TooDeep)), "{depth}");
        }
        for text in ["", "[", "{} {}", "{\"a\":}"] {
            assert!(matches!(parse_nested_json(text.as_bytes()), Err(NestedJsonError::Syntax(_))), "{text}");
        }
    }
}
