//! Reading numbers: whole ones exactly, others rounded to the precision of the field.

use serde_json::Value;

use crate::{FieldKind, TypedValue};

/// The largest number of half precision.
pub const HALF_MAX: f64 = 65504.0;

/// The exponent of the smallest number of half precision that has all its bits.
const HALF_MIN_EXPONENT: i32 = -14;

/// The bits of a half precision number after the first one.
const HALF_BITS: i32 = 10;

/// Reads the value of a numeric field; nothing if it is no number or out of range.
pub(super) fn read(kind: &FieldKind, value: &Value) -> Option<TypedValue> {
    let between = |least: i64, most: i64| {
        let whole = read_whole(value)?;
        let whole = i64::try_from(whole).ok()?;
        (least..=most).contains(&whole).then_some(TypedValue::Integer(whole))
    };
    match kind {
        FieldKind::Byte => between(i64::from(i8::MIN), i64::from(i8::MAX)),
        FieldKind::Short => between(i64::from(i16::MIN), i64::from(i16::MAX)),
        FieldKind::Integer => between(i64::from(i32::MIN), i64::from(i32::MAX)),
        FieldKind::Long => between(i64::MIN, i64::MAX),
        FieldKind::UnsignedLong => u64::try_from(read_whole(value)?).ok().map(TypedValue::Unsigned),
        FieldKind::HalfFloat => read_double(value).map(round_to_half).filter(|n| n.abs() <= HALF_MAX).map(double),
        FieldKind::Float => read_double(value).map(|n| f64::from(n as f32)).filter(|n| n.is_finite()).map(double),
        FieldKind::Double => read_double(value).map(double),
        FieldKind::ScaledFloat { scaling_factor } => {
            let steps = read_double(value)? * scaling_factor;
            // Halves are rounded up, also below zero.
            let below = steps.floor();
            let nearest = if steps - below >= 0.5 { below + 1.0 } else { below };
            let scaled = nearest / scaling_factor;
            scaled.is_finite().then(|| double(scaled))
        }
        _ => None,
    }
}

/// Returns what a numeric field takes, in words; nothing for other fields.
pub(super) fn range(kind: &FieldKind) -> Option<&'static str> {
    let range = match kind {
        FieldKind::Byte => "a number between -128 and 127",
        FieldKind::Short => "a number between -32768 and 32767",
        FieldKind::Integer => "a number between -2147483648 and 2147483647",
        FieldKind::Long => "a number between -9223372036854775808 and 9223372036854775807",
        FieldKind::UnsignedLong => "a number between 0 and 18446744073709551615",
        FieldKind::HalfFloat => "a number between -65504 and 65504",
        FieldKind::Float => "a number of single precision",
        FieldKind::Double | FieldKind::ScaledFloat { .. } => "a number",
        _ => return None,
    };
    Some(range)
}

/// Makes a value of a number; a negative zero becomes zero.
fn double(number: f64) -> TypedValue {
    TypedValue::Double(number + 0.0)
}

/// Returns the part of a number before the point.
fn read_whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Some(i128::from(whole)),
            (None, Some(whole)) => Some(i128::from(whole)),
            (None, None) => truncate(number.as_f64()?),
        },
        Value::String(text) => read_whole_text(text),
        _ => None,
    }
}

/// Reads a decimal number exactly, where a double would lose digits of a large one.
fn read_whole_text(text: &str) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(whole) = whole.parse()
    {
        return Some(whole);
    }
    truncate(text.parse().ok()?)
}

/// Returns the whole part of a number that no 64-bit integer is too small for.
fn truncate(number: f64) -> Option<i128> {
    const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;
    (number.abs() < TWO_POW_64).then_some(number.trunc() as i128)
}

fn read_double(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// Rounds to the nearest number of half precision, to the even one if two are equally near.
fn round_to_half(number: f64) -> f64 {
    if number == 0.0 {
        return number;
    }
    let step = half_precision_step(number);
    (number / step).round_ties_even() * step
}

/// Returns the distance between two numbers of half precision next to a number, which must not be zero.
pub fn half_precision_step(number: f64) -> f64 {
    let exponent = (number.abs().log2().floor() as i32).max(HALF_MIN_EXPONENT);
    2_f64.powi(exponent - HALF_BITS)
}
