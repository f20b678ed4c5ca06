//! How the values of a field are kept in order: as numbers of 64 bits, or as bytes.
//!
//! Numbers are mapped to unsigned ones that have the same order, so that one dictionary serves integers, doubles,
//! dates and booleans; addresses are the sixteen bytes of their IPv6 form. The order is that of [`TypedValue`].

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

use cantata_mapping::{FieldKind, TypedValue};
use serde::{Deserialize, Serialize};

const SIGN: u64 = 1 << 63;

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Class {
    Bool,
    Integer,
    Unsigned,
    Double,
    Millis,
    Nanos,
    /// Strings found by their whole value.
    Exact,
    /// Strings found by their whole value and by their words.
    Words,
    Ip,
}

/// A value in the form that it is kept in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key<'a> {
    Number(u64),
    Bytes(Cow<'a, [u8]>),
}

impl Class {
    /// Returns the class of a kind of field; nothing if it has no values.
    pub(crate) fn of(kind: &FieldKind) -> Option<Self> {
        Some(match kind {
            FieldKind::Boolean => Self::Bool,
            FieldKind::UnsignedLong => Self::Unsigned,
            FieldKind::Date { .. } => Self::Millis,
            FieldKind::DateNanos { .. } => Self::Nanos,
            FieldKind::Text => Self::Words,
            FieldKind::Ip => Self::Ip,
            kind if kind.is_string() => Self::Exact,
            kind if kind.is_integer() => Self::Integer,
            kind if kind.is_numeric() => Self::Double,
            _ => return None,
        })
    }

    /// Returns whether the values are strings.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Exact | Self::Words)
    }

    /// Returns whether the values are kept as bytes.
    pub(crate) fn is_bytes(self) -> bool {
        self.is_text() || self == Self::Ip
    }

    /// Returns the value of a number of this class.
    pub(crate) fn number(self, number: u64) -> TypedValue {
        let signed = (number ^ SIGN).cast_signed();
        match self {
            Self::Bool => TypedValue::Bool(number != 0),
            Self::Unsigned => TypedValue::Unsigned(number),
            Self::Double => TypedValue::Double(to_double(number)),
            Self::Millis => TypedValue::DateMillis(signed),
            Self::Nanos => TypedValue::DateNanos(signed),
            Self::Integer | Self::Exact | Self::Words | Self::Ip => TypedValue::Integer(signed),
        }
    }

    /// Returns the value of bytes of this class.
    pub(crate) fn bytes(self, bytes: &[u8]) -> TypedValue {
        match (self, <[u8; 16]>::try_from(bytes)) {
            (Self::Ip, Ok(octets)) => TypedValue::Ip(IpAddr::V6(Ipv6Addr::from(octets)).to_canonical()),
            _ => TypedValue::Text(String::from_utf8_lossy(bytes).into_owned()),
        }
    }

    /// Returns the number that figures (stats, histograms, ranges) are made of; dates are milliseconds.
    pub(crate) fn figure(self, number: u64) -> f64 {
        match self.number(number) {
            TypedValue::Bool(flag) => f64::from(u8::from(flag)),
            TypedValue::Integer(number) | TypedValue::DateMillis(number) => number as f64,
            TypedValue::DateNanos(number) => number as f64 / 1e6,
            TypedValue::Unsigned(number) => number as f64,
            TypedValue::Double(number) => number,
            TypedValue::Text(_) | TypedValue::Ip(_) => 0.0,
        }
    }
}

/// Returns the form that a value is kept in.
pub(crate) fn key_of(value: &TypedValue) -> Key<'_> {
    match value {
        TypedValue::Bool(flag) => Key::Number(u64::from(*flag)),
        TypedValue::Integer(number) | TypedValue::DateMillis(number) | TypedValue::DateNanos(number) => {
            Key::Number(number.cast_unsigned() ^ SIGN)
        }
        TypedValue::Unsigned(number) => Key::Number(*number),
        TypedValue::Double(number) => Key::Number(from_double(*number)),
        TypedValue::Text(text) => Key::Bytes(Cow::Borrowed(text.as_bytes())),
        TypedValue::Ip(IpAddr::V4(address)) => Key::Bytes(Cow::Owned(address.to_ipv6_mapped().octets().to_vec())),
        TypedValue::Ip(IpAddr::V6(address)) => Key::Bytes(Cow::Owned(address.octets().to_vec())),
    }
}

/// Returns the number of 64 bits that has the place of a double in the order of all doubles.
pub(crate) fn from_double(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn to_double(number: u64) -> f64 {
    f64::from_bits(if number & SIGN == 0 { !number } else { number ^ SIGN })
}
