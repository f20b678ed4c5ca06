//! The place of a record in an order, as a client keeps it: a JSON list of the record's sort values and its id.
//!
//! A cursor can be used with the sort that it came from, by anyone, at any time, on any engine; the record itself need
//! not be there any more.

use cantata_mapping::{FieldKind, IndexMapping, TypedValue};
use serde_json::Value;

use crate::{SortKey, SortMode};

/// What a record is ordered by in one key; nothing if it has no value.
pub type SortValue = Option<TypedValue>;

/// A place in an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// One value for each key of the sort.
    pub values: Vec<SortValue>,
    /// The id of the record.
    pub id: String,
}

impl Cursor {
    /// Returns the JSON list.
    pub fn to_json(&self) -> Value {
        let values = self.values.iter().map(|value| value.as_ref().map_or(Value::Null, to_json));
        values.chain([Value::String(self.id.clone())]).collect()
    }

    /// Reads a cursor for an order.
    ///
    /// # Errors
    ///
    /// If it does not fit the order: the message names the place and what is expected there.
    pub fn parse(value: &Value, sort: &[SortKey], mapping: &IndexMapping) -> Result<Self, String> {
        let expected = || {
            format!(
                "expected the `searchAfter` of an edge of a request with the same sort: a list of {} values",
                sort.len() + 1
            )
        };
        let list = value.as_array().ok_or_else(|| format!("searchAfter: found {}; {}", kind_of(value), expected()))?;
        if list.len() != sort.len() + 1 {
            return Err(format!("searchAfter: found a list of {} values; {}", list.len(), expected()));
        }
        let Some((Value::String(id), values)) = list.split_last() else {
            return Err(format!("searchAfter: the last value is not the id of a record; {}", expected()));
        };
        let values = values.iter().zip(sort).enumerate().map(|(place, (value, key))| {
            read(value, key, mapping)
                .ok_or_else(|| format!("searchAfter[{place}]: found {value}, which cannot stand there; {}", expected()))
        });
        Ok(Self { values: values.collect::<Result<_, _>>()?, id: id.clone() })
    }
}

fn read(value: &Value, key: &SortKey, mapping: &IndexMapping) -> Option<SortValue> {
    if value.is_null() {
        return Some(None);
    }
    let Some(path) = &key.field else { return Some(Some(TypedValue::Text(value.as_str()?.to_owned()))) };
    if matches!(key.mode, SortMode::Sum | SortMode::Avg) {
        return Some(Some(TypedValue::Double(value.as_f64()?)));
    }
    let kind = match (mapping.field(path), mapping.flattened_key(path)) {
        (Some(field), _) | (None, Some((field, _))) => &field.kind,
        (None, None) => return None,
    };
    let typed = match kind {
        FieldKind::Boolean => TypedValue::Bool(value.as_bool()?),
        FieldKind::Date { .. } => TypedValue::DateMillis(value.as_i64()?),
        FieldKind::DateNanos { .. } => TypedValue::DateNanos(value.as_i64()?),
        FieldKind::UnsignedLong => TypedValue::Unsigned(value.as_u64()?),
        FieldKind::Ip => TypedValue::Ip(value.as_str()?.parse().ok()?),
        kind if kind.is_integer() => TypedValue::Integer(value.as_i64()?),
        kind if kind.is_numeric() => TypedValue::Double(value.as_f64()?),
        kind if kind.is_string() => TypedValue::Text(value.as_str()?.to_owned()),
        _ => return None,
    };
    Some(Some(typed))
}

fn to_json(value: &TypedValue) -> Value {
    match value {
        TypedValue::Bool(flag) => Value::Bool(*flag),
        TypedValue::Integer(number) | TypedValue::DateMillis(number) | TypedValue::DateNanos(number) => {
            Value::from(*number)
        }
        TypedValue::Unsigned(number) => Value::from(*number),
        TypedValue::Double(number) => Value::from(*number),
        TypedValue::Text(text) => Value::from(text.as_str()),
        TypedValue::Ip(address) => Value::from(address.to_string()),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
