//! Reading one JSON scalar as the value of a field.
//!
//! The leniency is that of the engines: numbers may be written as strings, strings may be given as numbers or
//! booleans, fractions are cut off where an integer is asked for. Numbers are rounded to what the field can hold, so
//! that a value of a document and the same value in a filter are always equal. Lists are not read here: each of their
//! elements is a value.

mod number;

pub use number::{HALF_MAX, half_precision_step};

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::net::IpAddr;

use serde_json::Value;

use crate::error::describe;
use crate::{DateFormat, Field, FieldKind, UtcDateTime, ValueError};

/// A value of a field. Never a number that is not finite, and never a negative zero.
#[derive(Debug, Clone)]
pub enum TypedValue {
    /// Of a boolean field.
    Bool(bool),
    /// Of a byte, short, integer or long field.
    Integer(i64),
    /// Of an unsigned_long field.
    Unsigned(u64),
    /// Of any other numeric field.
    Double(f64),
    /// Of a field of strings.
    Text(String),
    /// Of a date field: milliseconds since 1970.
    DateMillis(i64),
    /// Of a date_nanos field: nanoseconds since 1970, never before.
    DateNanos(i64),
    /// Of an ip field; an IPv4 address is never given in the form of IPv6.
    Ip(IpAddr),
}

impl Field {
    /// Reads a value; nothing if there is none to index, because it is null, too long (`ignore_above`) or of an
    /// unsupported type.
    ///
    /// # Errors
    ///
    /// If the field cannot take the value.
    pub fn read(&self, value: &Value) -> Result<Option<TypedValue>, ValueError> {
        match self.read_strictly(value) {
            Err(_) if self.ignore_malformed && !self.kind.is_container() => Ok(None),
            read => read,
        }
    }

    /// Reads a value, whatever the field says about malformed ones.
    pub(crate) fn read_strictly(&self, value: &Value) -> Result<Option<TypedValue>, ValueError> {
        let is_nothing = match value {
            Value::Null => true,
            // The engines take an empty string for no number at all.
            Value::String(text) => text.is_empty() && self.kind.is_numeric(),
            _ => false,
        };
        if is_nothing {
            return Ok(self.null_value.clone());
        }
        let read = match &self.kind {
            FieldKind::Unsupported(_) => return Ok(None),
            kind if kind.is_string() => match read_text(value) {
                Some(text) if self.is_too_long(&text) => return Ok(None),
                Some(text) if self.is_other_constant(&text) => None,
                text => text.map(TypedValue::Text),
            },
            FieldKind::Boolean => read_bool(value).map(TypedValue::Bool),
            FieldKind::Date { format } => read_date(value, format).map(|date| TypedValue::DateMillis(date.millis())),
            FieldKind::DateNanos { format } => {
                let nanos = read_date(value, format).and_then(|date| i64::try_from(date.nanos()).ok());
                nanos.filter(|nanos| *nanos >= 0).map(TypedValue::DateNanos)
            }
            FieldKind::Ip => read_ip(value).map(TypedValue::Ip),
            kind => number::read(kind, value),
        };
        read.map(Some).ok_or_else(|| self.value_error(value))
    }

    fn is_too_long(&self, text: &str) -> bool {
        let limit = self.ignore_above.filter(|_| self.kind != FieldKind::Text).unwrap_or(u64::MAX);
        text.len() as u64 > limit && text.encode_utf16().count() as u64 > limit
    }

    fn is_other_constant(&self, text: &str) -> bool {
        matches!(&self.kind, FieldKind::ConstantKeyword { value: Some(constant) } if constant != text)
    }

    fn value_error(&self, value: &Value) -> ValueError {
        let expected = match &self.kind {
            FieldKind::Boolean => "true or false".to_owned(),
            FieldKind::Date { format } => format!("a date in the format {:?}", format.as_str()),
            FieldKind::DateNanos { format } => {
                format!("a date in the format {:?} between 1970-01-01 and 2262-04-11", format.as_str())
            }
            FieldKind::Ip => "an IP address".to_owned(),
            FieldKind::ConstantKeyword { value: Some(constant) } => format!("the constant {constant:?}"),
            FieldKind::Alias { target } => format!("no value, as the field is an alias; `{target}` takes it"),
            FieldKind::Object | FieldKind::Nested => "an object or a list of objects".to_owned(),
            kind => number::range(kind).unwrap_or("a string, a number or a boolean").to_owned(),
        };
        ValueError { path: self.path.clone(), found: describe(value), expected }
    }
}

fn read_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

fn read_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => match text.as_str() {
            "true" => Some(true),
            "false" | "" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Reads a date; a number is read as the text that it is written as, so that 2024 may be a year.
fn read_date(value: &Value, format: &DateFormat) -> Option<UtcDateTime> {
    match value {
        Value::String(text) => format.read(text),
        Value::Number(number) => format.read(&number.to_string()),
        _ => None,
    }
}

fn read_ip(value: &Value) -> Option<IpAddr> {
    let address: IpAddr = value.as_str()?.parse().ok()?;
    Some(address.to_canonical())
}

/// Dates become numbers, and addresses texts.
impl From<&TypedValue> for Value {
    fn from(value: &TypedValue) -> Self {
        match value {
            TypedValue::Bool(flag) => Self::from(*flag),
            TypedValue::Integer(number) | TypedValue::DateMillis(number) | TypedValue::DateNanos(number) => {
                Self::from(*number)
            }
            TypedValue::Unsigned(number) => Self::from(*number),
            TypedValue::Double(number) => Self::from(*number),
            TypedValue::Text(text) => Self::from(text.as_str()),
            TypedValue::Ip(address) => Self::from(address.to_string()),
        }
    }
}

impl TypedValue {
    /// Returns the number that sums and statistics take; dates count in milliseconds.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) | Self::DateMillis(number) => Some(*number as f64),
            Self::Unsigned(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            Self::DateNanos(number) => Some(number.div_euclid(1_000_000) as f64),
            Self::Bool(_) | Self::Text(_) | Self::Ip(_) => None,
        }
    }

    /// Returns the position of the kind of value in the order of all values.
    fn rank(&self) -> u8 {
        match self {
            Self::Bool(_) => 0,
            Self::Integer(_) => 1,
            Self::Unsigned(_) => 2,
            Self::Double(_) => 3,
            Self::Text(_) => 4,
            Self::DateMillis(_) => 5,
            Self::DateNanos(_) => 6,
            Self::Ip(_) => 7,
        }
    }
}

/// Orders the values of one field as the engines do: strings by their bytes, addresses in the form of IPv6.
impl Ord for TypedValue {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(one), Self::Bool(two)) => one.cmp(two),
            (Self::Integer(one), Self::Integer(two)) => one.cmp(two),
            (Self::Unsigned(one), Self::Unsigned(two)) => one.cmp(two),
            (Self::Double(one), Self::Double(two)) => one.total_cmp(two),
            (Self::Text(one), Self::Text(two)) => one.cmp(two),
            (Self::DateMillis(one), Self::DateMillis(two)) => one.cmp(two),
            (Self::DateNanos(one), Self::DateNanos(two)) => one.cmp(two),
            (Self::Ip(one), Self::Ip(two)) => as_v6(*one).cmp(&as_v6(*two)),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

fn as_v6(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}

impl PartialOrd for TypedValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for TypedValue {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for TypedValue {}

impl Hash for TypedValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Self::Bool(flag) => flag.hash(state),
            Self::Integer(number) | Self::DateMillis(number) | Self::DateNanos(number) => number.hash(state),
            Self::Unsigned(number) => number.hash(state),
            Self::Double(number) => number.to_bits().hash(state),
            Self::Text(text) => text.hash(state),
            Self::Ip(address) => as_v6(*address).hash(state),
        }
    }
}
