//! Whether fields have lists, as the index has it, for what neither the files nor the mapping say (`isArray`).
//!
//! An engine that knows its documents tells which fields have several values in one of them. These become lists. An
//! explicit `isArray` stays, whatever the documents have.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use cantata_mapping::{Field, FieldKind, IndexMapping, join_path};

use super::CatalogueConfig;
use super::extended::ExtendedEntry;

impl CatalogueConfig {
    /// Returns the configuration together with the fields that have several values in a document, by their paths in the
    /// index.
    #[must_use]
    pub fn with_list_fields(&self, list_fields: Arc<BTreeSet<String>>) -> Self {
        Self { list_fields, ..self.clone() }
    }

    /// Returns the fields of an index that have lists, for which neither the files nor the mapping say so or otherwise.
    pub fn unmarked_list_fields(&self, mapping: &IndexMapping) -> Vec<String> {
        let records = match &self.nesting_prefix {
            None => Ok(mapping.clone()),
            Some(prefix) => mapping.without_prefix(prefix),
        };
        // A mapping that does not fit is reported where the catalogue is built.
        records.map(|records| self.with_mapping_meta(&records).0.unmarked(&records)).unwrap_or_default()
    }

    /// Marks the fields that have lists in the index.
    pub(crate) fn mark_list_fields(mut self, mapping: &IndexMapping) -> Self {
        for path in self.unmarked(mapping) {
            match self.extended.iter_mut().find(|entry| entry.field_name == path) {
                Some(entry) => entry.is_array = Some(true),
                None => self.extended.push(ExtendedEntry { is_array: Some(true), ..ExtendedEntry::bare(path) }),
            }
        }
        self
    }

    /// Returns the fields that have lists and are not marked; the paths of the mapping begin below the nesting prefix.
    fn unmarked(&self, mapping: &IndexMapping) -> Vec<String> {
        if self.list_fields.is_empty() {
            return Vec::new();
        }
        let entries = self.extended.iter().filter(|entry| entry.is_array.is_some());
        let marked: HashSet<&str> = entries.map(|entry| entry.field_name.as_str()).collect();
        let has_lists = |field: &&Field| {
            let target = mapping.field(&field.path).unwrap_or(field);
            let path = join_path(self.nesting_prefix.as_deref().unwrap_or_default(), &target.path);
            // Other kinds are shown as they are in documents.
            let is_scalar = target.kind.has_values() && target.kind != FieldKind::Flattened;
            is_scalar && self.list_fields.contains(&path)
        };
        let unmarked = mapping.fields().filter(|field| !marked.contains(field.path.as_str())).filter(has_lists);
        unmarked.map(|field| field.path.clone()).collect()
    }
}
