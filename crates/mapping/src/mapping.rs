//! The mapping of an index: its fields by path and in order.
//!
//! The properties object is kept as it was given and is the one truth; the list of fields is derived from it whenever
//! it changes. Invariants: the list has the containers and their fields depth first in mapping order, then all
//! multi-fields; every path occurs once; an alias leads to a field that is there and is neither a container nor an
//! alias.

use serde_json::{Map, Value};

use crate::field::DynamicMapping;
use crate::parse::{FieldTable, parse_any, parse_properties};
use crate::{Field, FieldKind, MappingError};

/// The mapping of an index.
#[derive(Debug, Clone)]
pub struct IndexMapping {
    pub(crate) raw: Map<String, Value>,
    pub(crate) settings: MappingSettings,
    table: FieldTable,
}

/// The settings of a mapping beside its properties.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct MappingSettings {
    /// What happens to unknown names, where the mapping says so.
    pub(crate) dynamic: Option<DynamicMapping>,
    /// Whether strings that look like dates become dates, where the mapping says so.
    pub(crate) date_detection: Option<bool>,
    /// The `_meta` of the mapping; it says nothing about fields.
    pub(crate) meta: Map<String, Value>,
    /// The nesting prefix that was removed; the paths that aliases and `copy_to` name still have it.
    pub(crate) prefix: String,
}

impl IndexMapping {
    /// Returns a mapping without fields, which documents may extend.
    pub fn empty() -> Self {
        Self { raw: Map::new(), settings: MappingSettings::default(), table: FieldTable::default() }
    }

    /// Reads a mapping in any form that the engines use: `{"properties": …}`, `{"mappings": {…}}`, or the answer to
    /// `GET /<index>/_mapping`. An answer that lists several indices, as for an alias, gives all their fields.
    ///
    /// # Errors
    ///
    /// Every problem of the mapping, each with its path.
    pub fn parse(value: &Value) -> Result<Self, Vec<MappingError>> {
        parse_any(value)
    }

    /// Makes a mapping of a properties object.
    pub(crate) fn build(raw: Map<String, Value>, settings: MappingSettings) -> Result<Self, Vec<MappingError>> {
        let table = parse_properties(&raw, &settings)?;
        Ok(Self { raw, settings, table })
    }

    /// Returns the properties object as it was given, fields that documents brought included.
    pub fn raw(&self) -> &Map<String, Value> {
        &self.raw
    }

    /// Returns the `_meta` of the mapping.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.settings.meta
    }

    /// Returns the containers and fields depth first in mapping order, without multi-fields.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.table.fields[..self.table.own_count].iter()
    }

    /// Returns the multi-fields in the order of the fields that they belong to.
    pub fn multi_fields(&self) -> impl Iterator<Item = &Field> {
        self.table.fields[self.table.own_count..].iter()
    }

    /// Returns the fields directly in a container, in mapping order; the root has the empty path.
    pub fn children(&self, container: &str) -> impl Iterator<Item = &Field> {
        self.fields().filter(move |field| field.parent_path() == container)
    }

    /// Returns the field of a dotted path, multi-fields included; for an alias the field that it leads to.
    pub fn field(&self, path: &str) -> Option<&Field> {
        let entry = self.entry(path)?;
        match entry.alias_target {
            Some(index) => self.table.fields.get(index),
            None => Some(entry),
        }
    }

    /// Returns what stands at a dotted path, multi-fields included; for an alias the alias itself.
    pub fn entry(&self, path: &str) -> Option<&Field> {
        self.table.index_by_path.get(path).map(|&index| &self.table.fields[index])
    }

    /// Returns the flattened field that a path leads into, and the rest of the path, which is the key in it.
    pub fn flattened_key<'p>(&self, path: &'p str) -> Option<(&Field, &'p str)> {
        // The path comes from a client and may have any length.
        let mut dots = path.match_indices('.').take_while(|(dot, _)| *dot <= self.table.max_path_bytes);
        dots.find_map(|(dot, _)| {
            let field = self.field(&path[..dot]).filter(|field| field.kind == FieldKind::Flattened)?;
            Some((field, &path[dot + 1..]))
        })
    }

    /// Returns the paths of all nested containers, in mapping order; a container comes before those in it.
    pub fn nested_paths(&self) -> impl Iterator<Item = &str> {
        self.fields().filter(|field| field.kind == FieldKind::Nested).map(|field| field.path.as_str())
    }

    /// Returns whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.table.fields.is_empty()
    }
}
