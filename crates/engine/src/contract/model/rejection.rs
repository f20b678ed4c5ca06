//! Which documents an index rejects.

use cantata_mapping::{FieldKind, IndexMapping, ValueError, join_path};
use serde_json::Value;
use thiserror::Error;

use super::json::leaves;

/// Why an index rejects a document.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// It is not JSON.
    #[error("the document is not JSON")]
    NotJson(#[from] serde_json::Error),
    /// It is no object.
    #[error("the document is no object")]
    NotAnObject,
    /// It has a field that a strict mapping lacks.
    #[error("field `{0}` is not allowed")]
    ForbiddenField(String),
    /// A field without fields has an object.
    #[error("field `{0}` takes no object")]
    UnexpectedObject(String),
    /// A field cannot take a value.
    #[error(transparent)]
    InvalidValue(#[from] ValueError),
}

/// Rejects what is no object, and names that the mapping forbids.
pub(super) fn check_names(mapping: &IndexMapping, document: &Value) -> Result<(), DocumentError> {
    if !document.is_object() {
        return Err(DocumentError::NotAnObject);
    }
    match mapping.forbidden_fields(document).first() {
        Some(path) => Err(DocumentError::ForbiddenField(path.clone())),
        None => Ok(()),
    }
}

/// Rejects values that their fields cannot take.
pub(super) fn check_values(mapping: &IndexMapping, document: &Value) -> Result<(), DocumentError> {
    check(mapping, "", document)
}

fn check(mapping: &IndexMapping, path: &str, value: &Value) -> Result<(), DocumentError> {
    if let Value::Array(items) = value {
        return items.iter().try_for_each(|item| check(mapping, path, item));
    }
    let members = match (mapping.entry(path), value) {
        (Some(field), _) if !field.enabled => return Ok(()),
        (Some(field), Value::Object(members)) if field.kind.is_container() => members,
        (None, Value::Object(members)) => members,
        (None, _) => return Ok(()),
        (Some(field), value) if field.kind == FieldKind::Flattened => {
            return leaves(value).into_iter().try_for_each(|(_, leaf)| take(mapping, &field.path, leaf));
        }
        // Values that are malformed may be passed over, but an object is no value at all.
        (Some(field), Value::Object(_)) if !matches!(field.kind, FieldKind::Unsupported(_)) => {
            return Err(DocumentError::UnexpectedObject(path.to_owned()));
        }
        (Some(_), value) => return take(mapping, path, value),
    };
    members.iter().try_for_each(|(name, inner)| check(mapping, &join_path(path, name), inner))
}

/// Gives a value to a field, to its multi-fields and to the fields that it is copied to.
fn take(mapping: &IndexMapping, path: &str, value: &Value) -> Result<(), DocumentError> {
    let Some(field) = mapping.entry(path) else { return Ok(()) };
    let copies = field.copy_to.iter().filter(|_| !value.is_null());
    for path in field.multi_fields.iter().chain(copies) {
        take(mapping, path, value)?;
    }
    Ok(field.read(value).map(|_| ())?)
}
