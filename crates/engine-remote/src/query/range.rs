//! Values that must lie within a range.

use cantata_engine::ValueRange;
use cantata_mapping::{FieldKind, TypedValue, UtcDateTime};
use serde_json::{Map, Value, json};

use super::{QueryField, any, script};

/// The fraction of a step by which a bound of a scaled float is moved off the step, so that rounding cannot cross it.
const STEP_MARGIN: f64 = 0.25;

/// The date format of queries; not all clusters read milliseconds before 1970.
const DATE_FORMAT: &str = "strict_date_optional_time_nanos";

/// The beginning of the year 0 in milliseconds; before it there are no years of four digits.
const YEAR_ZERO_MILLIS: i64 = -62_167_219_200_000;

/// A string after all others, for clusters that require both bounds of a range of keys.
const LAST_TEXT: &str = "\u{10FFFF}\u{10FFFF}";

pub(super) fn query(tested: &QueryField<'_>, range: &ValueRange) -> Value {
    match tested.field.map(|field| &field.kind) {
        Some(FieldKind::Boolean) => booleans(tested, range),
        Some(FieldKind::ScaledFloat { scaling_factor }) => scaled(tested, range, *scaling_factor),
        Some(kind) if kind.is_date() => moments(tested, range),
        Some(FieldKind::Wildcard) => script::range(tested.path, range),
        _ => {
            let mut bounds = Map::new();
            if let Some((from, is_in)) = &range.from {
                bounds.insert(if *is_in { "gte" } else { "gt" }.to_owned(), Value::from(from));
            }
            if let Some((to, is_in)) = &range.to {
                bounds.insert(if *is_in { "lte" } else { "lt" }.to_owned(), Value::from(to));
            }
            if tested.is_key && range.from.is_none() {
                bounds.insert("gte".to_owned(), json!(""));
            }
            if tested.is_key && range.to.is_none() {
                bounds.insert("lte".to_owned(), json!(LAST_TEXT));
            }
            json!({"range": {tested.path: bounds}})
        }
    }
}

/// Not all clusters have ranges of booleans, so the values are listed.
fn booleans(tested: &QueryField<'_>, range: &ValueRange) -> Value {
    let passes = |flag: &bool| {
        let flag = TypedValue::Bool(*flag);
        range.from.as_ref().is_none_or(|(from, is_in)| flag > *from || (*is_in && flag == *from))
            && range.to.as_ref().is_none_or(|(to, is_in)| flag < *to || (*is_in && flag == *to))
    };
    let passing: Vec<bool> = [false, true].into_iter().filter(passes).collect();
    match passing.is_empty() {
        true => any(Vec::new()),
        false => json!({"terms": {tested.path: passing}}),
    }
}

/// The format is given, since that of the field may have no time of day. Both bounds are inclusive: clusters round
/// exclusive ones in different ways. A bound that the field cannot have leaves out nothing, or everything: clusters reject
/// nanoseconds before 1970 and after 2262, and years before 0.
fn moments(tested: &QueryField<'_>, range: &ValueRange) -> Value {
    let at = |(value, is_in): &(TypedValue, bool), step: i64| {
        let step = if *is_in { 0 } else { step };
        match value {
            TypedValue::DateMillis(millis) => UtcDateTime::from_millis(millis.saturating_add(step)),
            TypedValue::DateNanos(nanos) => UtcDateTime::from_nanos(i128::from(nanos.checked_add(step)?)),
            _ => None,
        }
    };
    let is_nanos = tested.field.is_some_and(|field| matches!(field.kind, FieldKind::DateNanos { .. }));
    let first_millis = if is_nanos { 0 } else { YEAR_ZERO_MILLIS };
    let is_written = |moment: &UtcDateTime| moment.millis() >= first_millis;
    let mut bounds = Map::from_iter([("format".to_owned(), json!(DATE_FORMAT))]);
    if let Some(from) = &range.from {
        let Some(from) = at(from, 1) else { return any(Vec::new()) };
        if is_written(&from) {
            bounds.insert("gte".to_owned(), json!(from.to_string()));
        }
    }
    if let Some(to) = range.to.as_ref().map(|to| at(to, -1).unwrap_or(UtcDateTime::MIN)) {
        if !is_written(&to) {
            return any(Vec::new());
        }
        bounds.insert("lte".to_owned(), json!(to.to_string()));
    }
    json!({"range": {tested.path: bounds}})
}

/// A bound between two steps becomes the step within the range.
fn scaled(tested: &QueryField<'_>, range: &ValueRange, factor: f64) -> Value {
    let number = |value: &TypedValue| match value {
        TypedValue::Double(number) => *number,
        _ => 0.0,
    };
    // Steps are compared by their values, as the product may be off by a rounding.
    let is_from = |step: f64, bound: f64, is_in: bool| step / factor > bound || (is_in && step / factor == bound);
    let is_to = |step: f64, bound: f64, is_in: bool| step / factor < bound || (is_in && step / factor == bound);
    let mut bounds = Map::new();
    if let Some((from, is_in)) = &range.from {
        let bound = number(from);
        let near = (bound * factor).floor();
        let step = [near - 1.0, near, near + 1.0].into_iter().find(|step| is_from(*step, bound, *is_in));
        let step = step.unwrap_or(near + 2.0);
        bounds.insert("gte".to_owned(), json!((step - STEP_MARGIN) / factor));
    }
    if let Some((to, is_in)) = &range.to {
        let bound = number(to);
        let near = (bound * factor).ceil();
        let step = [near + 1.0, near, near - 1.0].into_iter().find(|step| is_to(*step, bound, *is_in));
        let step = step.unwrap_or(near - 2.0);
        bounds.insert("lte".to_owned(), json!((step + STEP_MARGIN) / factor));
    }
    json!({"range": {tested.path: bounds}})
}
