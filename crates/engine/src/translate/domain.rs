//! What the values of a field are, and where a value of a filter lies among them.
//!
//! A value of a filter need not be one that the field can have: `5.5` lies between two whole numbers, `300` beyond
//! those of a byte, `2024-05` is a month of moments. [`ValueReading`] keeps that, so that equality and all comparisons
//! follow from one place.

use std::net::{IpAddr, Ipv6Addr};

use cantata_mapping::{DateExpression, DateFormat, Field, FieldKind, TypedValue, UtcDateTime};
use cantata_sqon::Scalar;
use serde_json::{Number, Value};

use super::error::UnreadableValue;

/// The length of the prefix of IPv4-mapped IPv6 addresses.
const IPV4_MAPPED_BITS: u32 = 96;

/// The values that a field can have.
pub(super) enum ValueDomain<'m> {
    /// Strings.
    Text,
    /// True and false.
    Boolean,
    /// Whole numbers from the least to the most.
    Integer { least: i128, most: i128, make: fn(i128) -> TypedValue },
    /// Numbers of the field's precision.
    Float(&'m Field),
    /// Multiples of a step.
    Scaled(&'m Field),
    /// Milliseconds.
    Date(&'m DateFormat),
    /// Nanoseconds.
    DateNanos(&'m DateFormat),
    /// Addresses.
    Ip,
}

/// The position of a value of a filter among the values of a field.
#[derive(Debug, PartialEq)]
pub(super) enum ValueReading {
    /// It denotes the values from the first to the last of these.
    Span(TypedValue, TypedValue),
    /// It lies between these two, which are neighbours.
    Gap(TypedValue, TypedValue),
    /// It lies before all of them.
    Under,
    /// It lies after all of them.
    Over,
}

impl ValueReading {
    fn exactly(value: TypedValue) -> Self {
        Self::Span(value.clone(), value)
    }

    /// Places a number that the field cannot come near to.
    fn beyond(number: &Number) -> Self {
        if number.as_f64().is_some_and(|number| number < 0.0) { Self::Under } else { Self::Over }
    }
}

impl<'m> ValueDomain<'m> {
    /// Returns the domain of a field; nothing if it has no values to search for.
    pub(super) fn of(field: &'m Field) -> Option<Self> {
        let integers = |least: i64, most: i64| Self::Integer {
            least: i128::from(least),
            most: i128::from(most),
            make: |number| TypedValue::Integer(number as i64),
        };
        let domain = match &field.kind {
            _ if !field.enabled => return None,
            FieldKind::Keyword
            | FieldKind::Text
            | FieldKind::Flattened
            | FieldKind::Wildcard
            | FieldKind::ConstantKeyword { .. } => Self::Text,
            FieldKind::Boolean => Self::Boolean,
            FieldKind::Byte => integers(i64::from(i8::MIN), i64::from(i8::MAX)),
            FieldKind::Short => integers(i64::from(i16::MIN), i64::from(i16::MAX)),
            FieldKind::Integer => integers(i64::from(i32::MIN), i64::from(i32::MAX)),
            FieldKind::Long => integers(i64::MIN, i64::MAX),
            FieldKind::UnsignedLong => Self::Integer {
                least: 0,
                most: i128::from(u64::MAX),
                make: |number| TypedValue::Unsigned(number as u64),
            },
            FieldKind::HalfFloat | FieldKind::Float | FieldKind::Double => Self::Float(field),
            FieldKind::ScaledFloat { .. } => Self::Scaled(field),
            FieldKind::Date { format } => Self::Date(format),
            FieldKind::DateNanos { format } => Self::DateNanos(format),
            FieldKind::Ip => Self::Ip,
            FieldKind::Alias { .. } | FieldKind::Object | FieldKind::Nested | FieldKind::Unsupported(_) => return None,
        };
        Some(domain)
    }

    /// Reads a value that values of the field are to be equal to.
    pub(super) fn value(&self, scalar: &Scalar, now: UtcDateTime) -> Result<ValueReading, UnreadableValue> {
        match self {
            Self::Text => Ok(ValueReading::exactly(TypedValue::Text(scalar.to_string()))),
            Self::Boolean => {
                let flag = scalar.as_boolean().ok_or_else(|| UnreadableValue::new(scalar, "true or false"))?;
                Ok(ValueReading::exactly(TypedValue::Bool(flag)))
            }
            Self::Integer { least, most, make } => Ok(whole(&number(scalar)?, *least, *most, *make)),
            Self::Float(field) | Self::Scaled(field) => {
                let number = number(scalar)?;
                Ok(match field.read(&Value::Number(number.clone())) {
                    Ok(Some(rounded)) => ValueReading::exactly(rounded),
                    _ => ValueReading::beyond(&number),
                })
            }
            Self::Date(format) => moments(scalar, format, now, |start, end| {
                ValueReading::Span(TypedValue::DateMillis(start.millis()), TypedValue::DateMillis(end.millis()))
            }),
            Self::DateNanos(format) => moments(scalar, format, now, nanos),
            Self::Ip => match scalar {
                Scalar::String(text) => addresses(text),
                _ => None,
            }
            .ok_or_else(|| {
                UnreadableValue::new(scalar, "an address such as 192.0.2.1, or a range of them such as 192.0.2.0/24")
            }),
        }
    }

    /// Reads a value that values of the field are to be compared with.
    pub(super) fn bound(&self, scalar: &Scalar, now: UtcDateTime) -> Result<ValueReading, UnreadableValue> {
        match self {
            // Rounded to a step, a bound would take in or leave out the step next to it.
            Self::Scaled(_) => {
                let bound = number(scalar)?.as_f64().unwrap_or_default();
                Ok(ValueReading::exactly(TypedValue::Double(bound + 0.0)))
            }
            _ => self.value(scalar, now),
        }
    }
}

fn number(scalar: &Scalar) -> Result<Number, UnreadableValue> {
    scalar.as_number().ok_or_else(|| UnreadableValue::new(scalar, "a number"))
}

fn whole(number: &Number, least: i128, most: i128, make: fn(i128) -> TypedValue) -> ValueReading {
    let (below, above) = match (number.as_i64(), number.as_u64()) {
        (Some(whole), _) => (i128::from(whole), i128::from(whole)),
        (None, Some(whole)) => (i128::from(whole), i128::from(whole)),
        (None, None) => {
            let number = number.as_f64().unwrap_or_default();
            (number.floor() as i128, number.ceil() as i128)
        }
    };
    if below < least {
        ValueReading::Under
    } else if above > most {
        ValueReading::Over
    } else if below == above {
        ValueReading::exactly(make(below))
    } else {
        ValueReading::Gap(make(below), make(above))
    }
}

fn moments(
    scalar: &Scalar,
    format: &DateFormat,
    now: UtcDateTime,
    span: fn(UtcDateTime, UtcDateTime) -> ValueReading,
) -> Result<ValueReading, UnreadableValue> {
    match (DateExpression::parse(&scalar.to_string(), format), scalar) {
        (Ok(date), _) => Ok(span(date.start(now), date.end(now))),
        // Milliseconds outside of the calendar.
        (Err(_), Scalar::Number(number)) => Ok(ValueReading::beyond(number)),
        (Err(error), _) => Err(UnreadableValue { found: error.found, expected: error.expected }),
    }
}

fn nanos(start: UtcDateTime, end: UtcDateTime) -> ValueReading {
    let most = i128::from(i64::MAX);
    let (start, end) = (start.nanos(), end.nanos());
    if end < 0 {
        return ValueReading::Under;
    }
    if start > most {
        return ValueReading::Over;
    }
    ValueReading::Span(TypedValue::DateNanos(start.max(0) as i64), TypedValue::DateNanos(end.min(most) as i64))
}

/// Reads an address, or a block of them such as `10.0.0.0/8`.
fn addresses(text: &str) -> Option<ValueReading> {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let (bits, outer) = match address {
        IpAddr::V4(address) => (u128::from(address.to_ipv6_mapped()), IPV4_MAPPED_BITS),
        IpAddr::V6(address) => (u128::from(address), 0),
    };
    let length = match length {
        Some(length) => outer + u32::from(length.parse::<u8>().ok()?),
        None => u128::BITS,
    };
    if length > u128::BITS {
        return None;
    }
    let rest = u128::MAX.checked_shr(length).unwrap_or(0);
    let address = |bits: u128| TypedValue::Ip(Ipv6Addr::from(bits).to_canonical());
    Some(ValueReading::Span(address(bits & !rest), address(bits | rest)))
}
