//! Typed access to the arguments of fields.

use serde_json::Value;

use super::PlanError;
use crate::request::SelectedField;

/// Returns an argument that was given and is not null.
pub(super) fn given<'f>(field: &'f SelectedField, name: &str) -> Option<&'f Value> {
    field.arguments.get(name).filter(|value| !value.is_null())
}

pub(super) fn text<'f>(field: &'f SelectedField, name: &str) -> Option<&'f str> {
    given(field, name)?.as_str()
}

pub(super) fn flag(field: &SelectedField, name: &str, default: bool) -> bool {
    given(field, name).and_then(Value::as_bool).unwrap_or(default)
}

/// Returns an argument that is a count.
pub(super) fn count(field: &SelectedField, name: &str) -> Result<Option<usize>, PlanError> {
    let Some(value) = given(field, name) else { return Ok(None) };
    let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
    count.map(Some).ok_or_else(|| format!("{name}: found {value}; expected 0 or a greater number").into())
}

/// Returns the elements of a list without nulls; a single value is a list of one.
pub(super) fn list<'f>(field: &'f SelectedField, name: &str) -> Option<Vec<&'f Value>> {
    let elements = match given(field, name)? {
        Value::Array(elements) => elements.iter().collect(),
        single => vec![single],
    };
    Some(elements.into_iter().filter(|element: &&Value| !element.is_null()).collect())
}
