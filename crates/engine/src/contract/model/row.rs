//! A document as rows of values: one for the record, one for each element of a nested container.

use std::collections::BTreeMap;

use cantata_mapping::{Field, FieldKind, IndexMapping, RECORD_ID, TypedValue};
use serde_json::Value;

use super::json::{below, find, leaves};

/// The record, or an element of a nested container.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The values of each field at this level, also those of keys of flattened fields.
    values: BTreeMap<String, Vec<TypedValue>>,
    /// The elements of the nested containers directly at this level.
    elements: BTreeMap<String, Vec<Row>>,
}

impl Row {
    /// Reads an object of a document that stands at a level; the record stands at the empty one.
    pub fn read(mapping: &IndexMapping, level: &str, object: &Value) -> Self {
        let mut row = Self::default();
        for field in mapping.fields().chain(mapping.multi_fields()) {
            if !field.enabled || field.row_path() != level {
                continue;
            }
            if field.kind == FieldKind::Nested {
                let elements = find(object, below(&field.path, level).unwrap_or_default());
                let elements = elements.into_iter().filter(|element| element.is_object());
                let rows = elements.map(|element| Self::read(mapping, &field.path, element)).collect();
                row.elements.insert(field.path.clone(), rows);
            } else if field.kind.has_values() {
                for (key, scalar) in given(mapping, field, level, object) {
                    // What cannot be read was rejected or is ignored.
                    if let Ok(Some(value)) = field.read(scalar) {
                        if !key.is_empty() {
                            row.values.entry(format!("{}.{key}", field.path)).or_default().push(value.clone());
                        }
                        row.values.entry(field.path.clone()).or_default().push(value);
                    }
                }
            }
        }
        row
    }

    /// Reads a record, whose id is a value of it too.
    pub fn of_record(mapping: &IndexMapping, id: &str, source: &Value) -> Self {
        let mut row = Self::read(mapping, "", source);
        row.values.insert(RECORD_ID.to_owned(), vec![TypedValue::Text(id.to_owned())]);
        row
    }

    /// Returns the values of a field at this level.
    pub fn values(&self, path: &str) -> &[TypedValue] {
        self.values.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns whether there is a value of a field, or an element of a nested container, directly at this level.
    pub fn has(&self, path: &str) -> bool {
        !self.values(path).is_empty() || self.elements.get(path).is_some_and(|rows| !rows.is_empty())
    }

    /// Returns all elements at a level at or below this one; at this one it is the row itself.
    pub fn elements_at(&self, level: &str) -> Vec<&Row> {
        if level.is_empty() {
            return vec![self];
        }
        self.elements_below(level)
    }

    /// Returns all elements at a level, each after those that it lies in, outermost first, with the paths of their
    /// containers. At the root it is the row itself.
    pub fn lineages(&self, level: &str) -> Vec<Vec<(&str, &Row)>> {
        if level.is_empty() {
            return vec![vec![("", self)]];
        }
        let mut lineages = Vec::new();
        for (path, rows) in &self.elements {
            for row in rows {
                if path == level {
                    lineages.push(vec![(path.as_str(), row)]);
                } else if below(level, path).is_some() {
                    for mut inner in row.lineages(level) {
                        inner.insert(0, (path.as_str(), row));
                        lineages.push(inner);
                    }
                }
            }
        }
        lineages
    }

    /// Returns all elements at a level below this one.
    pub fn elements_below(&self, level: &str) -> Vec<&Row> {
        if let Some(rows) = self.elements.get(level) {
            return rows.iter().collect();
        }
        let inside = self.elements.iter().filter(|(path, _)| below(level, path).is_some());
        inside.flat_map(|(_, rows)| rows).flat_map(|row| row.elements_below(level)).collect()
    }
}

/// Returns the scalars that a document gives to a field, each with its key in a flattened one.
fn given<'v>(mapping: &IndexMapping, field: &Field, level: &str, object: &'v Value) -> Vec<(String, &'v Value)> {
    let owner = field.multi_field_of.as_ref().unwrap_or(&field.path);
    let at = |path: &str| below(path, level).map(|path| find(object, path)).unwrap_or_default();
    let own = at(owner).into_iter().flat_map(leaves);
    let sources = mapping.fields().filter(|source| source.enabled && source.copy_to.contains(owner));
    let copies = sources.flat_map(|source| at(&source.path)).filter(|value| !value.is_null());
    own.chain(copies.map(|value| (String::new(), value))).collect()
}
