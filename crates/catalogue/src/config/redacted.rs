//! Redaction of a configuration: removes the names of hidden fields, and the search options of masked ones.

use std::collections::HashSet;

use cantata_mapping::{IndexMapping, RedactedFields};
use serde_json::{Map, Value};

use super::{CatalogueConfig, ColumnEntry, ExtendedEntry};
use crate::field_tree::FlatNames;
use crate::names;

/// The row id where the configured field is hidden.
const FALLBACK_ROW_ID: &str = "id";

impl CatalogueConfig {
    /// Returns the configuration without the hidden fields of a mapping.
    pub(crate) fn redacted(&self, hidden_fields: &RedactedFields, mapping: &IndexMapping) -> Self {
        let mut redacted = self.clone();
        if hidden_fields.is_empty() {
            return redacted;
        }
        let names = RestrictedNames::new(hidden_fields, mapping);
        redacted.extended.retain(|entry| !names.are_hidden(&entry.field_name));
        redacted.extended.iter_mut().filter(|entry| names.are_masked(&entry.field_name)).for_each(mask_entry);
        redacted.facets.iter_mut().for_each(|facets| facets.retain(|facet| !names.are_restricted(&facet.field_name)));
        if let Some(columns) = &mut redacted.table.columns {
            columns.retain(|column| !names.are_hidden(&column.field_name) && !names.appear_in_column(column));
            for column in columns.iter_mut().filter(|column| names.are_masked(&column.field_name)) {
                *column = masked_column(column);
            }
        }
        let sorting = redacted.table.default_sorting.iter_mut();
        sorting.for_each(|sorting| sorting.retain(|key| !names.are_restricted(&key.field_name)));
        redacted.matchbox.retain(|entry| {
            !names.are_restricted(&entry.field_name)
                && !entry.key_field_name.iter().any(|name| names.are_restricted(name))
        });
        for entry in &mut redacted.matchbox {
            entry.search_field_names.retain(|name| !names.are_restricted(name));
        }
        if names.are_restricted(&redacted.row_id_field_name) {
            FALLBACK_ROW_ID.clone_into(&mut redacted.row_id_field_name);
        }
        redacted.charts = redacted.charts.filter(|charts| !names.appear_in_object(charts));
        redacted
    }
}

/// Keeps only the display name of a masked field.
fn mask_entry(entry: &mut ExtendedEntry) {
    entry.description = None;
    entry.display_type = None;
    entry.display_values = Map::new();
    entry.is_active = false;
    entry.is_array = Some(false);
    entry.primary_key = false;
    entry.quick_search_enabled = false;
    entry.range_step = 0.into();
    entry.unit = None;
}

fn masked_column(column: &ColumnEntry) -> ColumnEntry {
    ColumnEntry {
        display_format: None,
        display_type: None,
        display_values: None,
        sortable: column.sortable.map(|_| false),
        ..column.clone()
    }
}

/// The names of hidden and masked fields.
struct RestrictedNames<'c> {
    fields: &'c RedactedFields,
    /// The names of hidden fields in selections, alone and as flat names.
    hidden_names: HashSet<String>,
}

impl<'c> RestrictedNames<'c> {
    fn new(restricted: &'c RedactedFields, mapping: &IndexMapping) -> Self {
        let fields = mapping.fields().chain(mapping.multi_fields()).filter(|field| restricted.hides(&field.path));
        let flat_names = FlatNames::below("", mapping);
        let hidden = fields.flat_map(|field| {
            let unique = flat_names.name_of(&field.path);
            [names::graphql_name(&field.name), names::flat_name(&field.path), unique]
        });
        Self { fields: restricted, hidden_names: hidden.collect() }
    }

    /// Returns whether a dotted or flat name is that of a hidden field.
    fn are_hidden(&self, name: &str) -> bool {
        [name, &name.replace("__", ".")].into_iter().any(|path| self.fields.hides(path))
            || self.hidden_names.contains(name)
    }

    fn are_masked(&self, name: &str) -> bool {
        [name, &name.replace("__", ".")].into_iter().any(|path| self.fields.mask_of(path).is_some())
    }

    fn are_restricted(&self, name: &str) -> bool {
        self.are_hidden(name) || self.are_masked(name)
    }

    /// Returns whether a text, such as a selection, contains the name of a hidden field. A visible field of the same
    /// name is left out too then.
    fn appear_in(&self, text: &str) -> bool {
        text.split(|next: char| !next.is_alphanumeric() && next != '_').any(|word| self.hidden_names.contains(word))
    }

    fn appear_in_column(&self, column: &ColumnEntry) -> bool {
        [&column.query, &column.accessor, &column.json_path].into_iter().flatten().any(|text| self.appear_in(text))
    }

    fn appear_in_object(&self, object: &Map<String, Value>) -> bool {
        object.iter().any(|(name, value)| self.appear_in(name) || self.appear_in_value(value))
    }

    fn appear_in_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.appear_in(text),
            Value::Array(elements) => elements.iter().any(|element| self.appear_in_value(element)),
            Value::Object(object) => self.appear_in_object(object),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}
