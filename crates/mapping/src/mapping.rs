//! The mapping of an index: its fields by path and in order.
//!
//! The properties object is kept as it was given and is the one truth; the list of fields is derived from it whenever
//! it changes. Invariants: the list has the containers and their fields depth first in mapping order, then all
//! multi-fields; every path occurs once; an alias leads to a field that is there and is neither a container nor an
//! alias.

use serde_json::{Map, Value};

use crate::field::Dynamic;
use crate::parse::{Layout, parse_any, parse_properties};
use crate::{Field, FieldKind, MappingError};

/// What an index mapping says.
#[derive(Debug, Clone)]
pub struct IndexMapping {
    pub(crate) raw: Map<String, Value>,
    pub(crate) settings: Settings,
    layout: Layout,
}

/// What a mapping says beside its properties.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Settings {
    /// What happens to unknown names, where the mapping says so.
    pub(crate) dynamic: Option<Dynamic>,
    /// Whether strings that look like dates become dates, where the mapping says so.
    pub(crate) date_detection: Option<bool>,
    /// What whoever made the mapping keeps with it (`_meta`); it says nothing of fields.
    pub(crate) meta: Map<String, Value>,
    /// The envelope that was taken off; the paths that aliases and `copy_to` name still carry it.
    pub(crate) envelope: String,
}

impl IndexMapping {
    /// Returns a mapping without fields, which documents may extend.
    pub fn empty() -> Self {
        Self { raw: Map::new(), settings: Settings::default(), layout: Layout::default() }
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
    pub(crate) fn build(raw: Map<String, Value>, settings: Settings) -> Result<Self, Vec<MappingError>> {
        let layout = parse_properties(&raw, &settings)?;
        Ok(Self { raw, settings, layout })
    }

    /// Returns the properties object as it was given, fields that documents brought included.
    pub fn raw(&self) -> &Map<String, Value> {
        &self.raw
    }

    /// Returns what whoever made the mapping keeps with it (`_meta`).
    pub fn meta(&self) -> &Map<String, Value> {
        &self.settings.meta
    }

    /// Returns the containers and fields depth first in mapping order, without multi-fields.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.layout.fields[..self.layout.listed].iter()
    }

    /// Returns the multi-fields in the order of the fields that they belong to.
    pub fn multi_fields(&self) -> impl Iterator<Item = &Field> {
        self.layout.fields[self.layout.listed..].iter()
    }

    /// Returns the fields directly in a container, in mapping order; the root has the empty path.
    pub fn children(&self, container: &str) -> impl Iterator<Item = &Field> {
        self.fields().filter(move |field| field.parent_path() == container)
    }

    /// Returns the field of a dotted path, multi-fields included; for an alias the field that it leads to.
    pub fn field(&self, path: &str) -> Option<&Field> {
        let entry = self.entry(path)?;
        match entry.leads_to {
            Some(place) => self.layout.fields.get(place),
            None => Some(entry),
        }
    }

    /// Returns what stands at a dotted path, multi-fields included; for an alias the alias itself.
    pub fn entry(&self, path: &str) -> Option<&Field> {
        self.layout.places.get(path).map(|&place| &self.layout.fields[place])
    }

    /// Returns the flattened field that a path leads into, and the rest of the path, which is the key in it.
    pub fn flattened_key<'p>(&self, path: &'p str) -> Option<(&Field, &'p str)> {
        // Whoever asks may give a path of any length.
        let mut dots = path.match_indices('.').take_while(|(dot, _)| *dot <= self.layout.longest_path);
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
        self.layout.fields.is_empty()
    }
}
