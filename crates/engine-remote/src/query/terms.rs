//! Values of which a field must have one.

use cantata_engine::ValueRange;
use cantata_mapping::{FieldKind, IndexMapping, TypedValue};
use serde_json::{Value, json};

use super::{QueryField, any, range, text};

/// The default of `index.max_terms_count`.
const MAX_TERMS_COUNT: usize = 65_536;

pub(super) fn query(tested: &QueryField<'_>, values: &[TypedValue], mapping: &IndexMapping) -> Value {
    match tested.field.map(|field| &field.kind) {
        Some(FieldKind::Text) => text::one_of(tested, values, mapping),
        // Clusters parse the values of a `terms` query in the format of the field, which may lack milliseconds.
        Some(kind) if kind.is_date() => {
            let moment = |value: &TypedValue| {
                let edge = Some((value.clone(), true));
                range::query(tested, &ValueRange { from: edge.clone(), to: edge })
            };
            any(values.iter().map(moment).collect())
        }
        Some(FieldKind::Wildcard) if values.contains(&TypedValue::Text(String::new())) => {
            any(vec![text::regexp(tested.path, ""), one_of(tested.path, values.iter().map(Value::from))])
        }
        _ => one_of(tested.path, values.iter().map(Value::from)),
    }
}

/// Returns the query for exact values.
pub(super) fn one_of(path: &str, values: impl Iterator<Item = Value>) -> Value {
    let values: Vec<Value> = values.collect();
    any(values.chunks(MAX_TERMS_COUNT).map(|values| json!({"terms": {path: values}})).collect())
}
