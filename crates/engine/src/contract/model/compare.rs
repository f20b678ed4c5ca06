//! Comparing a value of a document with a value of a filter.

use std::cmp::Ordering;
use std::net::IpAddr;

use cantata_mapping::{DateExpression, Field, FieldKind, TypedValue, UtcDateTime};
use cantata_sqon::Scalar;
use serde_json::{Number, Value};

use super::text::forms;

/// Returns whether a value of a field is the one that a filter names.
pub(super) fn is_equal(field: &Field, value: &TypedValue, scalar: &Scalar, now: UtcDateTime) -> bool {
    match value {
        TypedValue::Text(text) => forms(text, field.kind == FieldKind::Text).contains(&scalar.to_string()),
        TypedValue::Bool(flag) => scalar.as_boolean() == Some(*flag),
        TypedValue::Ip(address) => is_in_network(*address, &scalar.to_string()),
        TypedValue::Double(number) => scalar.as_number().and_then(|other| rounded(field, &other)) == Some(*number),
        _ => compare(field, value, scalar, now) == Some(Ordering::Equal),
    }
}

/// Compares a value of a field with one of a filter. A date of a filter is a span of time, and every moment in it is
/// equal to it. Nothing, if the two cannot be compared.
pub(super) fn compare(field: &Field, value: &TypedValue, scalar: &Scalar, now: UtcDateTime) -> Option<Ordering> {
    match value {
        TypedValue::Integer(whole) => compare_whole(i128::from(*whole), &scalar.as_number()?),
        TypedValue::Unsigned(whole) => compare_whole(i128::from(*whole), &scalar.as_number()?),
        TypedValue::Double(number) => {
            let exact = scalar.as_number()?;
            // A bound is rounded as the numbers of the field are, unless no number of the field is as large; between
            // the steps of a scaled field it stays where it is.
            let bound = match field.kind {
                FieldKind::ScaledFloat { .. } => exact.as_f64()?,
                _ => rounded(field, &exact).or_else(|| exact.as_f64())?,
            };
            number.partial_cmp(&bound)
        }
        TypedValue::Text(text) => Some(text.as_str().cmp(&scalar.to_string())),
        TypedValue::DateMillis(millis) => {
            let (start, end) = span(field, scalar, now)?;
            Some(compare_with_span(*millis, start.millis(), end.millis()))
        }
        TypedValue::DateNanos(nanos) => {
            let (start, end) = span(field, scalar, now)?;
            Some(compare_with_span(i128::from(*nanos), start.nanos(), end.nanos()))
        }
        TypedValue::Bool(_) | TypedValue::Ip(_) => None,
    }
}

fn rounded(field: &Field, number: &Number) -> Option<f64> {
    match field.read(&Value::Number(number.clone())) {
        Ok(Some(TypedValue::Double(rounded))) => Some(rounded),
        _ => None,
    }
}

fn compare_with_span<T: Ord + Copy>(value: T, start: T, end: T) -> Ordering {
    if value < start {
        Ordering::Less
    } else if value > end {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

fn span(field: &Field, scalar: &Scalar, now: UtcDateTime) -> Option<(UtcDateTime, UtcDateTime)> {
    let date = DateExpression::parse(&scalar.to_string(), field.kind.date_format()?).ok()?;
    Some((date.start(now), date.end(now)))
}

/// Compares a whole number with any number, exactly.
fn compare_whole(whole: i128, number: &Number) -> Option<Ordering> {
    if let Some(other) = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from)) {
        return Some(whole.cmp(&other));
    }
    let other = number.as_f64()?;
    let floor = other.floor();
    // The conversion stops at the ends of the type, which are beyond every number of 64 bits.
    let order = whole.cmp(&(floor as i128));
    Some(if order == Ordering::Equal && other > floor { Ordering::Less } else { order })
}

/// Returns whether an address is the one that is written, or in the network that is (`10.0.0.0/8`).
fn is_in_network(address: IpAddr, text: &str) -> bool {
    let (network, length) = text.split_once('/').map_or((text, None), |(network, length)| (network, Some(length)));
    let Ok(network) = network.parse::<IpAddr>() else { return false };
    let bits_before = if network.is_ipv4() { 96 } else { 0 };
    let length = match length.map(str::parse::<u32>) {
        None => 128,
        Some(Ok(length)) => bits_before + length,
        Some(Err(_)) => return false,
    };
    let mismatch = as_number(address) ^ as_number(network);
    length <= 128 && (length == 0 || mismatch >> (128 - length) == 0)
}

fn as_number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => address.to_bits(),
    }
}
