//! From the key of a bucket to a value of the field.

use cantata_mapping::{FieldKind, TypedValue};
use serde_json::Value;

/// Reads a key; nothing if the field cannot have such a value.
pub(super) fn read(kind: &FieldKind, key: &Value) -> Option<TypedValue> {
    Some(match kind {
        FieldKind::Boolean => TypedValue::Bool(key.as_i64()? != 0),
        FieldKind::Date { .. } => TypedValue::DateMillis(key.as_i64()?),
        FieldKind::DateNanos { .. } => TypedValue::DateNanos(key.as_i64()?),
        FieldKind::UnsignedLong => TypedValue::Unsigned(key.as_u64()?),
        FieldKind::Ip => TypedValue::Ip(key.as_str()?.parse::<std::net::IpAddr>().ok()?.to_canonical()),
        // Clusters multiply by the inverse of the factor, which is not as exact.
        FieldKind::ScaledFloat { scaling_factor } => {
            TypedValue::Double((key.as_f64()? * scaling_factor).round() / scaling_factor + 0.0)
        }
        kind if kind.is_integer() => TypedValue::Integer(key.as_i64()?),
        kind if kind.is_numeric() => TypedValue::Double(key.as_f64()? + 0.0),
        _ => TypedValue::Text(key.as_str()?.to_owned()),
    })
}
