//! Removing a nesting prefix: documents that hold everything in one object are searched as if it were not there.

use crate::error::quote;
use crate::mapping::MappingSettings;
use crate::{FieldKind, IndexMapping, MappingError, properties};

impl IndexMapping {
    /// Returns the mapping below an object, such as `data`, with paths that start there.
    ///
    /// Aliases and `copy_to` keep working inside of the object; an alias that leads out of it becomes an unsupported
    /// field, and a `copy_to` that does is left out.
    ///
    /// # Errors
    ///
    /// If the mapping has no such object.
    pub fn without_prefix(&self, prefix: &str) -> Result<IndexMapping, Vec<MappingError>> {
        let found = match self.entry(prefix) {
            None => format!("no field {}", quote(prefix)),
            Some(field) if field.kind != FieldKind::Object => format!("type {}", field.type_name),
            Some(field) if !field.nested.is_empty() => format!("an object inside of nested `{}`", field.row_path()),
            Some(field) if !field.enabled => "an object that is not enabled".to_owned(),
            Some(field) => {
                let settings = MappingSettings {
                    dynamic: self.dynamic_at(&field.path),
                    date_detection: self.settings.date_detection,
                    meta: self.settings.meta.clone(),
                    prefix: crate::field::join_path(&self.settings.prefix, prefix),
                };
                return IndexMapping::build(properties::below(&self.raw, prefix), settings);
            }
        };
        Err(vec![MappingError::new(prefix, found, "an object that holds all fields (the nesting prefix)")])
    }
}
