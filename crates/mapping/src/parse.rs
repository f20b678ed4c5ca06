//! From the JSON of the engines to the list of fields.
//!
//! The forms are told apart here; [`tree`] reads the properties into a tree, [`targets`] checks what aliases and
//! `copy_to` name, and the tree is then laid out depth first. Every problem is collected; nothing stops at the first.

mod definition;
mod kind;
mod targets;
mod tree;

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::describe;
use crate::mapping::MappingSettings;
use crate::{Field, IndexMapping, MappingError};

use definition::DefinitionReader;
use tree::DefinitionTree;

/// How deep containers may lie in one another; no engine allows more, and reading must not exhaust the stack.
pub(crate) const MAX_DEPTH: usize = 100;

const FORMS: &str = "an object `{\"properties\": …}`, `{\"mappings\": {…}}` or `{\"<index>\": {\"mappings\": {…}}}`";

/// What a mapping may say beside its properties; names with an underscore in front are the engines' own.
const SETTINGS: [&str; 8] = [
    "dynamic",
    "date_detection",
    "numeric_detection",
    "dynamic_templates",
    "dynamic_date_formats",
    "runtime",
    "derived",
    "enabled",
];

/// The fields of a mapping: containers and their fields depth first, then the multi-fields.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldTable {
    pub(crate) fields: Vec<Field>,
    /// How many of the fields, the first ones, are no multi-fields.
    pub(crate) own_count: usize,
    /// The index of each path.
    pub(crate) index_by_path: HashMap<String, usize>,
    /// How many bytes the longest path has.
    pub(crate) max_path_bytes: usize,
}

/// Reads a mapping of any form.
pub(crate) fn parse_any(value: &Value) -> Result<IndexMapping, Vec<MappingError>> {
    let wrong_form = || vec![MappingError::new("", describe(value), FORMS)];
    let object = value.as_object().ok_or_else(wrong_form)?;
    if object.contains_key("properties") {
        return parse_root(object);
    }
    if let Some(inner) = object.get("mappings") {
        return match inner {
            Value::Object(inner) => parse_root(inner),
            other => Err(vec![MappingError::new("", format!("`mappings`: {}", describe(other)), "an object")]),
        };
    }
    let of_indices: Option<Vec<&Map<String, Value>>> =
        object.values().map(|index| index.as_object()?.get("mappings")?.as_object()).collect();
    match of_indices {
        Some(mappings) if !mappings.is_empty() => {
            let mut merged = IndexMapping::empty();
            let mut errors = Vec::new();
            for mapping in mappings {
                match parse_root(mapping).and_then(|mapping| merged.merge(&mapping)) {
                    Ok(()) => {}
                    Err(more) => errors.extend(more),
                }
            }
            if errors.is_empty() { Ok(merged) } else { Err(errors) }
        }
        _ => parse_root(object),
    }
}

/// Reads what stands in `mappings`.
fn parse_root(object: &Map<String, Value>) -> Result<IndexMapping, Vec<MappingError>> {
    let mut errors = Vec::new();
    for key in object.keys() {
        if key != "properties" && !key.starts_with('_') && !SETTINGS.contains(&key.as_str()) {
            let found = format!("the key {}", crate::error::quote(key));
            errors.push(MappingError::new("", found, "fields only inside of `properties`; elsewhere settings"));
        }
    }
    let mut root = DefinitionReader::new("", object, &mut errors);
    let settings = MappingSettings {
        dynamic: root.dynamic(),
        date_detection: root.flag("date_detection"),
        meta: root.object("_meta").cloned().unwrap_or_default(),
        prefix: String::new(),
    };
    let properties = match object.get("properties") {
        None => Map::new(),
        Some(Value::Object(properties)) => properties.clone(),
        Some(other) => {
            errors.push(MappingError::new("", format!("`properties`: {}", describe(other)), "an object"));
            Map::new()
        }
    };
    match IndexMapping::build(properties, settings) {
        Ok(mapping) if errors.is_empty() => Ok(mapping),
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

/// Reads a properties object.
pub(crate) fn parse_properties(
    properties: &Map<String, Value>,
    settings: &MappingSettings,
) -> Result<FieldTable, Vec<MappingError>> {
    let mut tree = DefinitionTree::default();
    tree.read(properties);
    let (mut table, mut errors) = tree.flatten();
    targets::resolve(&mut table, &settings.prefix, &mut errors);
    if errors.is_empty() { Ok(table) } else { Err(errors) }
}
