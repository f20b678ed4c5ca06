//! Values of a filter: scalars, and the tests that the in-like operators make of them.
//!
//! Integers of 64 bits keep their exact value; `0`, `false` and `""` are values like any other. The special values
//! are recognised once, here, so that no engine looks into strings.

use std::fmt::{self, Display};

use serde::Serialize;
use serde_json::{Number, Value};

/// The value that matches records in which the field has no value.
pub const MISSING_VALUE: &str = "__missing__";

/// What the name of a saved set begins with when it stands as a value.
pub const SET_PREFIX: &str = "set_id:";

/// A string, number or boolean.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A text; dates, relative ones included, are texts too.
    String(String),
    /// A number; integers from -2⁶³ to 2⁶⁴ - 1 are exact.
    Number(Number),
    /// A boolean.
    Boolean(bool),
}

impl Scalar {
    /// Returns the scalar that a JSON value is, if it is one.
    pub fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::String(text.clone())),
            Value::Number(number) => Some(Self::Number(number.clone())),
            Value::Bool(boolean) => Some(Self::Boolean(*boolean)),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// Returns the JSON value.
    pub fn to_json(&self) -> Value {
        match self {
            Self::String(text) => Value::String(text.clone()),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Boolean(boolean) => Value::Bool(*boolean),
        }
    }

    /// Returns the number that a numeric field compares with: a number, or a text that is one.
    pub fn as_number(&self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(number.clone()),
            Self::String(text) => serde_json::from_str(text.trim()).ok(),
            Self::Boolean(_) => None,
        }
    }

    /// Returns the boolean that a boolean field compares with. The keys of a boolean facet, `0` and `1`, count too.
    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(boolean) => Some(*boolean),
            Self::String(text) => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            Self::Number(number) => match number.as_u64() {
                Some(1) => Some(true),
                Some(0) => Some(false),
                _ => None,
            },
        }
    }
}

/// Shows the value as a text field would hold it.
impl Display for Scalar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => formatter.write_str(text),
            Self::Number(number) => number.fmt(formatter),
            Self::Boolean(boolean) => boolean.fmt(formatter),
        }
    }
}

/// What one value of an in-like operator asks of a field. Made by [`ValueTest::from_scalar`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ValueTest {
    /// The field has this value.
    Equals(Scalar),
    /// The field has a value like this text, in which every `*` matches any characters, upper and lower case apart.
    Pattern(String),
    /// The field has no value.
    Missing,
    /// The field has a value that is in the saved set of this id.
    Set(String),
}

impl ValueTest {
    /// Recognises the special values: a text with `*`, `__missing__`, and `set_id:` with the id of a set.
    pub fn from_scalar(scalar: Scalar) -> Self {
        let Scalar::String(text) = scalar else { return Self::Equals(scalar) };
        if text.contains('*') {
            Self::Pattern(text)
        } else if text == MISSING_VALUE {
            Self::Missing
        } else if let Some(id) = text.strip_prefix(SET_PREFIX) {
            Self::Set(id.to_owned())
        } else {
            Self::Equals(Scalar::String(text))
        }
    }

    /// Returns the value as it stands in a filter.
    pub fn to_scalar(&self) -> Scalar {
        match self {
            Self::Equals(scalar) => scalar.clone(),
            Self::Pattern(pattern) => Scalar::String(pattern.clone()),
            Self::Missing => Scalar::String(MISSING_VALUE.to_owned()),
            Self::Set(id) => Scalar::String(format!("{SET_PREFIX}{id}")),
        }
    }

    /// Returns whether the value is anything but a plain one.
    pub fn is_special(&self) -> bool {
        !matches!(self, Self::Equals(_))
    }
}
