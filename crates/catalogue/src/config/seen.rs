//! The configuration as somebody sees it who may not see every field: nothing in it names what is hidden, and nothing
//! offers to search what is masked.

use std::collections::HashSet;

use cantata_mapping::{Covers, IndexMapping};
use serde_json::{Map, Value};

use super::{CatalogueConfig, ColumnEntry, ExtendedEntry};
use crate::names;

/// The field that names a row where the configured one is hidden.
const ROW_ID: &str = "id";

impl CatalogueConfig {
    /// Returns the configuration for these covers of the fields of a mapping.
    pub(crate) fn seen(&self, covers: &Covers, mapping: &IndexMapping) -> Self {
        let mut seen = self.clone();
        if covers.is_empty() {
            return seen;
        }
        let names = Names::new(covers, mapping);
        seen.extended.retain(|entry| !names.are_hidden(&entry.field_name));
        seen.extended.iter_mut().filter(|entry| names.are_masked(&entry.field_name)).for_each(mask_entry);
        seen.facets.iter_mut().for_each(|facets| facets.retain(|facet| !names.are_covered(&facet.field_name)));
        if let Some(columns) = &mut seen.table.columns {
            columns.retain(|column| !names.are_hidden(&column.field_name) && !names.appear_in_column(column));
            for column in columns.iter_mut().filter(|column| names.are_masked(&column.field_name)) {
                *column = masked_column(column);
            }
        }
        let sorting = seen.table.default_sorting.iter_mut();
        sorting.for_each(|sorting| sorting.retain(|key| !names.are_covered(&key.field_name)));
        seen.matchbox.retain(|entry| {
            !names.are_covered(&entry.field_name) && !entry.key_field_name.iter().any(|name| names.are_covered(name))
        });
        for entry in &mut seen.matchbox {
            entry.search_field_names.retain(|name| !names.are_covered(name));
        }
        if names.are_covered(&seen.row_id_field_name) {
            ROW_ID.clone_into(&mut seen.row_id_field_name);
        }
        seen.charts = seen.charts.filter(|charts| !names.appear_in_object(charts));
        seen
    }
}

/// Keeps what people read of a masked field, and that alone.
fn mask_entry(entry: &mut ExtendedEntry) {
    entry.display_type = None;
    entry.display_values = Map::new();
    entry.is_active = false;
    entry.is_array = false;
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

/// The names of what is covered.
struct Names<'c> {
    covers: &'c Covers,
    /// What hidden fields are called in selections, alone and from the record on.
    hidden: HashSet<String>,
}

impl<'c> Names<'c> {
    fn new(covers: &'c Covers, mapping: &IndexMapping) -> Self {
        let fields = mapping.fields().chain(mapping.multi_fields()).filter(|field| covers.hides(&field.path));
        let hidden = fields.flat_map(|field| [names::graphql_name(&field.name), names::flat_name(&field.path)]);
        Self { covers, hidden: hidden.collect() }
    }

    /// Returns whether a name, dotted or in the older flat form, is that of something hidden.
    fn are_hidden(&self, name: &str) -> bool {
        [name, &name.replace("__", ".")].into_iter().any(|path| self.covers.hides(path)) || self.hidden.contains(name)
    }

    fn are_masked(&self, name: &str) -> bool {
        [name, &name.replace("__", ".")].into_iter().any(|path| self.covers.mask_of(path).is_some())
    }

    fn are_covered(&self, name: &str) -> bool {
        self.are_hidden(name) || self.are_masked(name)
    }

    /// Returns whether a text, such as a selection, has the name of something hidden in it. It may belong to another
    /// field of the same name; then that is left out too.
    fn appear_in(&self, text: &str) -> bool {
        text.split(|next: char| !next.is_alphanumeric() && next != '_').any(|word| self.hidden.contains(word))
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
