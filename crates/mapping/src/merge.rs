//! Merging mappings.
//!
//! A path keeps its kind for ever, since its values are indexed that way; only new fields, new multi-fields and
//! attributes that do not change the kind are taken over. `_meta` is replaced as a whole, as the engines do. Either
//! everything is taken over or nothing.

use serde_json::{Map, Value};

use crate::error::quote;
use crate::{Field, FieldKind, IndexMapping, MappingError, properties};

impl IndexMapping {
    /// Takes over the fields of another mapping; what both have stays where it is.
    ///
    /// # Errors
    ///
    /// Every path that has two different kinds. The mapping is then as before.
    pub fn merge(&mut self, other: &IndexMapping) -> Result<(), Vec<MappingError>> {
        let conflicts: Vec<MappingError> =
            other.fields().chain(other.multi_fields()).filter_map(|field| self.conflict(field)).collect();
        if !conflicts.is_empty() {
            return Err(conflicts);
        }
        let mut properties = self.raw.clone();
        for field in other.fields() {
            let definition = own_attributes(&other.raw, field);
            if definition.is_empty() {
                // Only the dots in a name imply this container; the field of that name will bring it.
                continue;
            }
            match properties::find_mut(&mut properties, &field.path) {
                Some(Value::Object(present)) => overlay(present, definition),
                _ => properties::insert(&mut properties, &field.path, Value::Object(definition)),
            }
        }
        let mut settings = self.settings.clone();
        settings.dynamic = settings.dynamic.or(other.settings.dynamic);
        settings.date_detection = settings.date_detection.or(other.settings.date_detection);
        if !other.settings.meta.is_empty() {
            settings.meta.clone_from(&other.settings.meta);
        }
        *self = IndexMapping::build(properties, settings)?;
        Ok(())
    }

    /// Returns why a field cannot be taken over.
    fn conflict(&self, field: &Field) -> Option<MappingError> {
        let present = self.entry(&field.path)?;
        if present.multi_field_of.is_some() != field.multi_field_of.is_some() {
            return Some(MappingError::new(&field.path, "a field and a multi-field of the same path", "one of them"));
        }
        if same_kind(&present.kind, &field.kind) {
            return None;
        }
        let found = format!("{} where the mapping has {}", wording(field), wording(present));
        Some(MappingError::new(&field.path, found, "the same type and format; another path for other values"))
    }
}

/// A constant keyword without a value takes any.
fn same_kind(present: &FieldKind, new: &FieldKind) -> bool {
    match (present, new) {
        (FieldKind::ConstantKeyword { value: Some(present) }, FieldKind::ConstantKeyword { value: Some(new) }) => {
            present == new
        }
        (FieldKind::ConstantKeyword { .. }, FieldKind::ConstantKeyword { .. }) => true,
        _ => present == new,
    }
}

fn wording(field: &Field) -> String {
    match &field.kind {
        FieldKind::Date { format } | FieldKind::DateNanos { format } => {
            format!("{} (format {})", field.type_name, quote(format.as_str()))
        }
        FieldKind::ScaledFloat { scaling_factor } => format!("scaled_float (factor {scaling_factor})"),
        FieldKind::Alias { target } => format!("alias of {}", quote(target)),
        FieldKind::ConstantKeyword { value: Some(value) } => format!("constant_keyword {}", quote(value)),
        _ => field.type_name.clone(),
    }
}

/// Returns the definition of a field without the fields in it.
fn own_attributes(properties: &Map<String, Value>, field: &Field) -> Map<String, Value> {
    let mut own = properties::find(properties, &field.path).and_then(Value::as_object).cloned().unwrap_or_default();
    if own.shift_remove("properties").is_some() && own.is_empty() {
        own.insert("properties".to_owned(), Value::Object(Map::new()));
    }
    own
}

/// Lays attributes over a definition; the fields and multi-fields that are there stay.
fn overlay(present: &mut Map<String, Value>, attributes: Map<String, Value>) {
    for (key, value) in attributes {
        match (present.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(new)) if key == "fields" => {
                for (name, definition) in new {
                    match (inner.get_mut(&name), definition) {
                        (Some(Value::Object(old)), Value::Object(definition)) => overlay(old, definition),
                        (_, definition) => {
                            inner.insert(name, definition);
                        }
                    }
                }
            }
            (Some(Value::Object(_)), _) if key == "properties" => {}
            (_, value) => {
                present.insert(key, value);
            }
        }
    }
}
