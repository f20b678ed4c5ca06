//! Parsing of untrusted JSON.

use serde_json::Value;

/// How deep objects and arrays may be nested. The parser itself stops at 128 levels; a stored document may be some
/// levels deeper than the request, because unknown members move into `info`, and must still be readable.
pub const MAX_JSON_DEPTH: usize = 100;

/// Why a text is not accepted as JSON.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// It is not JSON; the message says where.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
    /// It is nested too deeply.
    #[error("objects and arrays are nested deeper than {MAX_JSON_DEPTH} levels")]
    TooDeep,
}

/// Parses JSON of limited depth.
pub fn parse_json(text: &[u8]) -> Result<Value, JsonError> {
    let value: Value = serde_json::from_slice(text)?;
    if is_deeper_than(&value, MAX_JSON_DEPTH) {
        return Err(JsonError::TooDeep);
    }
    Ok(value)
}

fn is_deeper_than(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth == 0 || items.iter().any(|item| is_deeper_than(item, depth - 1)),
        Value::Object(members) => depth == 0 || members.values().any(|member| is_deeper_than(member, depth - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        "[".repeat(depth) + &"]".repeat(depth)
    }

    #[test]
    fn nesting_is_limited() {
        assert!(parse_json(nested(MAX_JSON_DEPTH).as_bytes()).is_ok());
        for depth in [MAX_JSON_DEPTH + 1, 127, 128, 129, 100_000] {
            assert!(parse_json(nested(depth).as_bytes()).is_err(), "{depth}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        assert!(parse_json(b"{\"a\": }").unwrap_err().to_string().contains("line 1 column 7"));
        assert!(parse_json(b"1e400").is_err());
        assert!(parse_json(b"\"\xff\"").is_err());
    }
}
