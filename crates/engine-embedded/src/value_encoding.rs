//! Order-preserving encoding of the values of a field, as unsigned numbers of 64 bits or as bytes.
//!
//! One form of dictionary then serves integers, doubles, dates and booleans; addresses are the sixteen bytes of their IPv6
//! form. The order is that of [`TypedValue`].

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

use cantata_mapping::{FieldKind, TypedValue};
use serde::{Deserialize, Serialize};

const SIGN_BIT: u64 = 1 << 63;

/// The type of the values of a field. The serialised names are part of the segment format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ValueClass {
    Bool,
    Integer,
    Unsigned,
    Double,
    #[serde(rename = "Millis")]
    DateMillis,
    #[serde(rename = "Nanos")]
    DateNanos,
    /// Strings that match by their whole value.
    #[serde(rename = "Exact")]
    Keyword,
    /// Strings that match by their whole value and by their words.
    #[serde(rename = "Words")]
    Text,
    Ip,
}

/// A value in its stored form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EncodedValue<'a> {
    Number(u64),
    Bytes(Cow<'a, [u8]>),
}

impl ValueClass {
    /// Returns the class of a kind of field; nothing if it has no values.
    pub(crate) fn of(kind: &FieldKind) -> Option<Self> {
        Some(match kind {
            FieldKind::Boolean => Self::Bool,
            FieldKind::UnsignedLong => Self::Unsigned,
            FieldKind::Date { .. } => Self::DateMillis,
            FieldKind::DateNanos { .. } => Self::DateNanos,
            FieldKind::Text => Self::Text,
            FieldKind::Ip => Self::Ip,
            kind if kind.is_string() => Self::Keyword,
            kind if kind.is_integer() => Self::Integer,
            kind if kind.is_numeric() => Self::Double,
            _ => return None,
        })
    }

    /// Returns whether the values are strings.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Keyword | Self::Text)
    }

    /// Returns whether the values are stored as bytes.
    pub(crate) fn is_bytes(self) -> bool {
        self.is_text() || self == Self::Ip
    }

    /// Decodes a number.
    pub(crate) fn decode_number(self, number: u64) -> TypedValue {
        let signed = (number ^ SIGN_BIT).cast_signed();
        match self {
            Self::Bool => TypedValue::Bool(number != 0),
            Self::Unsigned => TypedValue::Unsigned(number),
            Self::Double => TypedValue::Double(decode_double(number)),
            Self::DateMillis => TypedValue::DateMillis(signed),
            Self::DateNanos => TypedValue::DateNanos(signed),
            Self::Integer | Self::Keyword | Self::Text | Self::Ip => TypedValue::Integer(signed),
        }
    }

    /// Decodes bytes.
    pub(crate) fn decode_bytes(self, bytes: &[u8]) -> TypedValue {
        match (self, <[u8; 16]>::try_from(bytes)) {
            (Self::Ip, Ok(octets)) => TypedValue::Ip(IpAddr::V6(Ipv6Addr::from(octets)).to_canonical()),
            _ => TypedValue::Text(String::from_utf8_lossy(bytes).into_owned()),
        }
    }

    /// Decodes a number for stats, histograms and ranges; dates are milliseconds.
    pub(crate) fn as_f64(self, number: u64) -> f64 {
        match self.decode_number(number) {
            TypedValue::Bool(flag) => f64::from(u8::from(flag)),
            TypedValue::Integer(number) | TypedValue::DateMillis(number) => number as f64,
            TypedValue::DateNanos(number) => number as f64 / 1e6,
            TypedValue::Unsigned(number) => number as f64,
            TypedValue::Double(number) => number,
            TypedValue::Text(_) | TypedValue::Ip(_) => 0.0,
        }
    }
}

/// Encodes a value.
pub(crate) fn encode(value: &TypedValue) -> EncodedValue<'_> {
    match value {
        TypedValue::Bool(flag) => EncodedValue::Number(u64::from(*flag)),
        TypedValue::Integer(number) | TypedValue::DateMillis(number) | TypedValue::DateNanos(number) => {
            EncodedValue::Number(number.cast_unsigned() ^ SIGN_BIT)
        }
        TypedValue::Unsigned(number) => EncodedValue::Number(*number),
        TypedValue::Double(number) => EncodedValue::Number(encode_double(*number)),
        TypedValue::Text(text) => EncodedValue::Bytes(Cow::Borrowed(text.as_bytes())),
        TypedValue::Ip(IpAddr::V4(address)) => {
            EncodedValue::Bytes(Cow::Owned(address.to_ipv6_mapped().octets().to_vec()))
        }
        TypedValue::Ip(IpAddr::V6(address)) => EncodedValue::Bytes(Cow::Owned(address.octets().to_vec())),
    }
}

/// Encodes a double so that the order of the numbers is that of the doubles.
pub(crate) fn encode_double(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits & SIGN_BIT == 0 { bits | SIGN_BIT } else { !bits }
}

fn decode_double(number: u64) -> f64 {
    f64::from_bits(if number & SIGN_BIT == 0 { !number } else { number ^ SIGN_BIT })
}
