//! Parsing of untrusted JSON.

use serde_json::{Number, Value};

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
    /// It has an integer that would be rounded.
    #[error("#{pointer}: the integer {digits} has more than 64 bits and would be rounded; write it as a string")]
    LargeInteger {
        /// The JSON pointer to it.
        pointer: String,
        /// The integer.
        digits: String,
    },
}

/// Parses JSON of limited depth.
pub fn parse_json(text: &[u8]) -> Result<Value, JsonError> {
    // Checking all of the text once is faster than each string of it; the parser says where another text ends.
    let value: Value = match std::str::from_utf8(text) {
        Ok(text) => serde_json::from_str(text)?,
        Err(_) => serde_json::from_slice(text)?,
    };
    if is_deeper_than(&value, MAX_JSON_DEPTH) {
        return Err(JsonError::TooDeep);
    }
    Ok(value)
}

/// Parses JSON of limited depth whose integers are kept to the last digit.
pub fn parse_exact_json(text: &[u8]) -> Result<Value, JsonError> {
    let value = parse_json(text)?;
    if !has_large_number(&value) {
        return Ok(value);
    }
    // An integer and a decimal of this size are the same once they are parsed, but not in the text.
    let is_rounded = |number: &&str| {
        number.bytes().all(|letter| letter == b'-' || letter.is_ascii_digit())
            && number.parse::<i64>().is_err()
            && number.parse::<u64>().is_err()
    };
    match std::str::from_utf8(text).ok().and_then(|text| numbers(text).find(is_rounded)) {
        Some(digits) => {
            let rounded: Option<Number> = serde_json::from_str(digits).ok();
            let pointer = rounded.and_then(|rounded| pointer_to(&value, &rounded)).unwrap_or_default();
            Err(JsonError::LargeInteger { pointer, digits: digits.to_owned() })
        }
        None => Ok(value),
    }
}

/// Says whether a parsed value is nested no deeper than this many levels, and has no number that may have been rounded.
pub fn is_exact(value: &Value, max_depth: usize) -> bool {
    !is_deeper_than(value, max_depth) && !has_large_number(value)
}

/// Says whether a number has so many digits that it may have been rounded.
fn has_large_number(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            number.is_f64() && number.as_f64().is_some_and(|number| number.abs() >= 9_223_372_036_854_775_808.0)
        }
        Value::Array(items) => items.iter().any(has_large_number),
        Value::Object(members) => members.values().any(has_large_number),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Returns the JSON pointer to the first number that is equal to this one.
fn pointer_to(value: &Value, sought: &Number) -> Option<String> {
    match value {
        Value::Number(number) => (number == sought).then(String::new),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| Some(format!("/{index}{}", pointer_to(item, sought)?)))
        }
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            let below = pointer_to(member, sought)?;
            Some(format!("/{}{below}", name.replace('~', "~0").replace('/', "~1")))
        }),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

/// Returns the numbers of a JSON text, in order.
pub fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|letter: char| letter == '"' || letter == '-' || letter.is_ascii_digit())?;
            let found = &rest[start..];
            if let Some(inside) = found.strip_prefix('"') {
                rest = after_text(inside);
                continue;
            }
            let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '+' | '.' | 'e' | 'E');
            let end = found.find(|letter| !is_part(letter)).unwrap_or(found.len());
            rest = &found[end..];
            return Some(&found[..end]);
        }
    })
}

/// Returns what follows the text that begins here.
fn after_text(inside: &str) -> &str {
    let mut letters = inside.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '"' => return &inside[index + 1..],
            _ => {}
        }
    }
    ""
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
    fn integers_that_would_be_rounded_are_refused_with_their_place() {
        for (text, place) in [
            ("18446744073709551616", "#: the integer 18446744073709551616 "),
            ("-9223372036854775809", "#: the integer -9223372036854775809 "),
            (r#"{"a": [1e30, {"b/c": 123456789012345678901234567890}]}"#, "#/a/1/b~1c: the integer 123456789"),
            (r#"{"a": "99999999999999999999", "b": 99999999999999999999}"#, "#/b: "),
            (r#"{"a": 99999999999999999999, "a": 1e40}"#, "#: "),
        ] {
            let error = parse_exact_json(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(place), "{error}");
        }
        for text in [
            "18446744073709551615",
            "-9223372036854775808",
            "1e300",
            "-1.5e30",
            "12345678901234567890123.5",
            r#"{"99999999999999999999": "\\\"99999999999999999999", "a": 1e20}"#,
        ] {
            assert_eq!(parse_exact_json(text.as_bytes()).unwrap(), parse_json(text.as_bytes()).unwrap(), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        assert!(parse_json(b"{\"a\": }").unwrap_err().to_string().contains("line 1 column 7"));
        assert!(parse_json(b"1e400").is_err());
        assert!(parse_json(b"\"\xff\"").is_err());
    }
}
