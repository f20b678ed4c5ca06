//! Writes values of documents as GraphQL scalars.
//!
//! Documents may hold a number as a string or a string as a number; the response has the type of the schema. Integers of
//! 64 bits keep their value. Computed numbers are written without a fraction if they are whole.

use cantata_catalogue::GraphqlScalar;
use cantata_engine::{ValueRef, is_escape_free};

use super::ResponseWriter;
use crate::output::ValuesOutput;

/// Doubles are exact for all integers up to this.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

impl<'a> ResponseWriter<'a> {
    /// Writes a value as a scalar; null and an error if it cannot be one, unless the index ignores such values too.
    pub(super) fn scalar(&mut self, values: &ValuesOutput, scalar: GraphqlScalar, value: ValueRef<'a>) {
        let written = match scalar {
            GraphqlScalar::String => self.string_value(value),
            GraphqlScalar::Float => self.number(value),
            GraphqlScalar::Int => self.integer(value),
            GraphqlScalar::Boolean => self.boolean(value),
        };
        if !written && values.ignores_malformed {
            self.null();
        } else if !written {
            self.fail_here(|| {
                format!("{} cannot represent {}; the document has another type there", scalar.type_name(), kind(value))
            });
        }
    }

    fn string_value(&mut self, value: ValueRef<'a>) -> bool {
        match value {
            ValueRef::Null => self.null(),
            ValueRef::String(text) => self.string(text),
            ValueRef::Bool(_) | ValueRef::Integer(_) | ValueRef::Unsigned(_) | ValueRef::Double(_) => {
                self.out.push(b'"');
                self.json(&value);
                self.out.push(b'"');
            }
            ValueRef::Array(_) | ValueRef::Object(_) => return false,
        }
        true
    }

    fn number(&mut self, value: ValueRef<'a>) -> bool {
        match value {
            ValueRef::Null => self.null(),
            ValueRef::Integer(number) => self.json(&number),
            ValueRef::Unsigned(number) => self.json(&number),
            ValueRef::Double(number) => self.json(&number),
            ValueRef::Bool(flag) => self.json(&u8::from(flag)),
            ValueRef::String(text) => match parse(text) {
                Some(number) => self.json(&number),
                None => return false,
            },
            ValueRef::Array(_) | ValueRef::Object(_) => return false,
        }
        true
    }

    fn integer(&mut self, value: ValueRef<'a>) -> bool {
        let is_fraction = match value {
            ValueRef::Double(number) => number.fract() != 0.0,
            ValueRef::String(text) => {
                parse(text).is_some_and(|number| number.as_f64().is_some_and(|n| n.fract() != 0.0))
            }
            _ => false,
        };
        !is_fraction && self.number(value)
    }

    fn boolean(&mut self, value: ValueRef<'a>) -> bool {
        let flag = match value {
            ValueRef::Null => {
                self.null();
                return true;
            }
            ValueRef::Bool(flag) => flag,
            ValueRef::Integer(number) => number != 0,
            ValueRef::Unsigned(_) => true,
            ValueRef::Double(number) => number != 0.0,
            ValueRef::String("true") => true,
            ValueRef::String("false" | "") => false,
            ValueRef::String(_) | ValueRef::Array(_) | ValueRef::Object(_) => return false,
        };
        self.json(&flag);
        true
    }

    /// Writes a computed number.
    pub(super) fn computed_number(&mut self, number: f64) {
        match to_integer(number) {
            Some(integer) => self.json(&integer),
            None => self.json(&number),
        }
    }

    /// Writes the score of the current record.
    pub(super) fn score(&mut self) {
        match self.score {
            Some(score) if score.fract() != 0.0 => self.json(&score),
            Some(score) => self.computed_number(f64::from(score)),
            None => self.null(),
        }
    }

    /// Writes a JSON string; the rare ones with escapes are left to the JSON library.
    pub(super) fn string(&mut self, text: &str) {
        if is_escape_free(text.as_bytes()) { self.plain_string(text.as_bytes()) } else { self.json(&text) }
    }

    /// Writes a JSON string that needs no escapes.
    #[inline]
    pub(super) fn plain_string(&mut self, text: &[u8]) {
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        self.out.extend_from_slice(text);
        self.out.push(b'"');
    }
}

/// Returns a double that is a whole number as an integer, if that is exact.
#[expect(clippy::cast_possible_truncation, reason = "only whole numbers within the range of the type are cast")]
pub(super) fn to_integer(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER).then_some(number as i64)
}

/// Returns a number as the text of a key.
pub(super) fn number_key(number: f64) -> String {
    to_integer(number).map_or_else(|| format!("{number:?}"), |integer| integer.to_string())
}

/// Parses a number; integers of 64 bits exactly.
fn parse(text: &str) -> Option<serde_json::Number> {
    let text = text.trim();
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    text.parse::<f64>().ok().and_then(serde_json::Number::from_f64)
}

fn kind(value: ValueRef<'_>) -> &'static str {
    match value {
        ValueRef::Null => "null",
        ValueRef::Bool(_) => "a boolean",
        ValueRef::Integer(_) | ValueRef::Unsigned(_) | ValueRef::Double(_) => "this number",
        ValueRef::String(_) => "this text",
        ValueRef::Array(_) => "a list",
        ValueRef::Object(_) => "an object",
    }
}
