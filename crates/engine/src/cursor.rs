//! The position of a record in a sort order, as a client keeps it: a JSON list of the record's sort values and its id.
//!
//! A cursor can be used with the sort that it came from, at any time and on any engine; the record itself need not
//! exist any more. In an order by relevance it keeps the score, which other records gain or lose as documents change. Clients
//! may also make one themselves, of one value for each key of the sort: it stands after all records with these values.

use cantata_mapping::{FieldKind, IndexMapping, TypedValue, describe_type};
use serde_json::Value;
use thiserror::Error;

use crate::{SortKey, SortMode};

/// The greatest integer up to which JavaScript keeps all of them apart, 2⁵³ - 1.
const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// The value of a record for one sort key; nothing if it has none.
pub type SortValue = Option<TypedValue>;

/// A position in a sort order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// One value for each key of the sort.
    pub values: Vec<SortValue>,
    /// The id of the record.
    pub id: String,
}

/// A cursor that does not fit the sort of its request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{path}: {found}; expected the `searchAfter` of an edge of a request with the same sort: a list of {length} values"
)]
pub struct CursorError {
    /// Where in the request.
    pub path: String,
    /// What is wrong there.
    pub found: String,
    /// How many values a cursor of the sort has.
    pub length: usize,
}

impl Cursor {
    /// The id of a cursor that stands after all records with its values. It comes after all ids: none begins with it,
    /// since it is no character.
    pub const LAST_ID: &'static str = "\u{10ffff}";

    /// Returns the JSON list. Integers that JavaScript would round are texts in it.
    pub fn to_json(&self) -> Value {
        let values = self.values.iter().map(|value| value.as_ref().map_or(Value::Null, exact));
        values.chain([Value::String(self.id.clone())]).collect()
    }

    /// Reads a cursor for an order.
    ///
    /// # Errors
    ///
    /// If it does not fit the order.
    pub fn parse(value: &Value, sort: &[SortKey], mapping: &IndexMapping) -> Result<Self, CursorError> {
        let error = |path: String, found: String| CursorError { path, found, length: sort.len() + 1 };
        let whole = |found: String| error("searchAfter".to_owned(), found);
        let list = value.as_array().ok_or_else(|| whole(format!("found {}", describe_type(value))))?;
        let id = match list.last() {
            Some(Value::String(id)) if list.len() == sort.len() + 1 => id.as_str(),
            Some(_) if list.len() == sort.len() + 1 => {
                return Err(whole("the last value is not the id of a record".to_owned()));
            }
            Some(_) if list.len() == sort.len() => {
                let of_id = sort.iter().position(|key| key.field.is_none());
                of_id.and_then(|index| list[index].as_str()).unwrap_or(Self::LAST_ID)
            }
            _ => return Err(whole(format!("found a list of {} values", list.len()))),
        };
        let values = list.iter().zip(sort).enumerate().map(|(index, (value, key))| {
            read(value, key, mapping).ok_or_else(|| {
                error(format!("searchAfter[{index}]"), format!("found {value}, which cannot stand there"))
            })
        });
        Ok(Self { values: values.collect::<Result<_, _>>()?, id: id.to_owned() })
    }
}

/// Returns the JSON of a value, which every client reads back as the same value.
fn exact(value: &TypedValue) -> Value {
    match value {
        TypedValue::Integer(number) | TypedValue::DateMillis(number) | TypedValue::DateNanos(number)
            if number.unsigned_abs() > MAX_SAFE_INTEGER =>
        {
            Value::String(number.to_string())
        }
        TypedValue::Unsigned(number) if *number > MAX_SAFE_INTEGER => Value::String(number.to_string()),
        value => Value::from(value),
    }
}

/// Reads an integer, or the text of one.
fn integer(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

fn read(value: &Value, key: &SortKey, mapping: &IndexMapping) -> Option<SortValue> {
    if key.is_score() {
        // Scores have single precision, so nothing is lost where JSON is not read to the last bit.
        let score = value.as_f64()? as f32;
        return score.is_finite().then(|| Some(TypedValue::Double(f64::from(score))));
    }
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
        FieldKind::Date { .. } => TypedValue::DateMillis(integer(value)?),
        FieldKind::DateNanos { .. } => TypedValue::DateNanos(integer(value)?),
        FieldKind::UnsignedLong => TypedValue::Unsigned(value.as_u64().or_else(|| value.as_str()?.parse().ok())?),
        FieldKind::Ip => TypedValue::Ip(value.as_str()?.parse().ok()?),
        kind if kind.is_integer() => TypedValue::Integer(integer(value)?),
        kind if kind.is_numeric() => TypedValue::Double(value.as_f64()?),
        kind if kind.is_string() => TypedValue::Text(value.as_str()?.to_owned()),
        _ => return None,
    };
    Some(Some(typed))
}
