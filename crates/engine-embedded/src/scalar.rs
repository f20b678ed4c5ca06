//! The JSON scalars of documents, as segments store them.

use cantata_engine::ValueRef;
use serde_json::Value;

/// A JSON scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    /// An integer above the range of `Integer`.
    Unsigned(u64),
    Double(f64),
    String(&'a str),
}

/// The kinds of scalars in segment files.
const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INTEGER: u8 = 3;
const UNSIGNED: u8 = 4;
const DOUBLE: u8 = 5;
const STRING: u8 = 6;

impl<'a> Scalar<'a> {
    /// Returns the JSON value.
    pub(crate) fn to_json(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(flag),
            Self::Integer(number) => Value::from(number),
            Self::Unsigned(number) => Value::from(number),
            Self::Double(number) => Value::from(number),
            Self::String(text) => Value::from(text),
        }
    }

    /// Returns the scalar as a node of a document.
    pub(crate) fn to_node(self) -> ValueRef<'a> {
        match self {
            Self::Null => ValueRef::Null,
            Self::Bool(flag) => ValueRef::Bool(flag),
            Self::Integer(number) => ValueRef::Integer(number),
            Self::Unsigned(number) => ValueRef::Unsigned(number),
            Self::Double(number) => ValueRef::Double(number),
            Self::String(text) => ValueRef::String(text),
        }
    }

    /// Returns the kind, the bits of a number and the text of a string: equal for equal scalars only.
    pub(crate) fn parts(self) -> (u8, u64, &'a str) {
        match self {
            Self::Null => (NULL, 0, ""),
            Self::Bool(flag) => (if flag { TRUE } else { FALSE }, 0, ""),
            Self::Integer(number) => (INTEGER, number.cast_unsigned(), ""),
            Self::Unsigned(number) => (UNSIGNED, number, ""),
            Self::Double(number) => (DOUBLE, number.to_bits(), ""),
            Self::String(text) => (STRING, 0, text),
        }
    }

    /// Appends the scalar to a table.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let (kind, bits, text) = self.parts();
        out.push(kind);
        match kind {
            INTEGER | UNSIGNED | DOUBLE => out.extend_from_slice(&bits.to_le_bytes()),
            STRING => out.extend_from_slice(text.as_bytes()),
            _ => {}
        }
    }

    /// Reads an entry of a table; an invalid one reads as null.
    pub(crate) fn read(bytes: &'a [u8]) -> Self {
        let Some((&kind, rest)) = bytes.split_first() else { return Self::Null };
        let bits = || <[u8; 8]>::try_from(rest).map(u64::from_le_bytes).unwrap_or_default();
        match kind {
            FALSE => Self::Bool(false),
            TRUE => Self::Bool(true),
            INTEGER => Self::Integer(bits().cast_signed()),
            UNSIGNED => Self::Unsigned(bits()),
            DOUBLE => Self::Double(f64::from_bits(bits())),
            STRING => std::str::from_utf8(rest).map_or(Self::Null, Self::String),
            _ => Self::Null,
        }
    }
}
