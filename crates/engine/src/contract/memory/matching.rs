//! Evaluating a filter of a plan on one row.

use cantata_mapping::{FieldKind, IndexMapping, TypedValue};

use super::super::model::{Row, forms, fuzzy, like};
use crate::{Filter, ValueRange};

/// Returns whether a row passes a filter that is read at the level of the row.
pub(super) fn passes(mapping: &IndexMapping, filter: &Filter, row: &Row) -> bool {
    let some_text = |field: &str, test: &dyn Fn(&str) -> bool| {
        let has_words = mapping.field(field).is_some_and(|field| field.kind == FieldKind::Text);
        row.values(field).iter().any(|value| match value {
            TypedValue::Text(text) => forms(text, has_words).iter().any(|form| test(form)),
            _ => false,
        })
    };
    match filter {
        Filter::All => true,
        Filter::None => false,
        Filter::And(parts) => parts.iter().all(|part| passes(mapping, part, row)),
        Filter::Or(parts) => parts.iter().any(|part| passes(mapping, part, row)),
        Filter::Not(part) => !passes(mapping, part, row),
        Filter::Nested { path, inner } => {
            row.elements_below(path).into_iter().any(|element| passes(mapping, inner, element))
        }
        Filter::Terms { field, values } => {
            row.values(field).iter().any(|value| values.contains(value))
                || some_text(field, &|form| values.contains(&TypedValue::Text(form.to_owned())))
        }
        Filter::Range { field, range } => row.values(field).iter().any(|value| lies_within(value, range)),
        Filter::Exists { field } => !row.values(field).is_empty(),
        Filter::Pattern { field, pattern } => some_text(field, &|form| like(pattern, form, false)),
        Filter::Wildcard { field, pattern } => some_text(field, &|form| like(pattern, form, true)),
        Filter::Fuzzy { field, text, distance } => some_text(field, &|form| fuzzy(text, form, *distance)),
    }
}

fn lies_within(value: &TypedValue, range: &ValueRange) -> bool {
    let from = range.from.as_ref().is_none_or(|(from, included)| value > from || (*included && value == from));
    let to = range.to.as_ref().is_none_or(|(to, included)| value < to || (*included && value == to));
    from && to
}
