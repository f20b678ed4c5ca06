//! The display configuration of every field of the index.

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::{Map, Number, Value};

use super::DisplayBuilder;
use crate::config::ExtendedEntry;
use crate::field_tree::is_at_or_below;
use crate::names;

/// The name of the id of a record, which no field can have.
pub(super) const RECORD_ID: &str = "id";

/// The display configuration of one field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtendedField {
    /// What it means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The display name.
    pub display_name: String,
    /// How portals display it.
    pub display_type: String,
    /// Replacements of single values.
    pub display_values: Map<String, Value>,
    /// The dotted path.
    pub field_name: String,
    /// Whether it is offered for queries.
    pub is_active: bool,
    /// Whether its values are lists.
    pub is_array: bool,
    /// Whether it identifies the record.
    pub primary_key: bool,
    /// Whether quick search looks at it.
    pub quick_search_enabled: bool,
    /// The step of a slider.
    pub range_step: Number,
    /// The type in the mapping; for an alias, that of its target.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The unit of its values.
    pub unit: Option<String>,
    #[serde(skip)]
    pub(crate) flat_name: String,
}

impl ExtendedField {
    pub(super) fn is_container(&self) -> bool {
        ["object", "nested"].contains(&self.type_name.as_str())
    }
}

pub(super) fn build(builder: &mut DisplayBuilder<'_>) -> Vec<ExtendedField> {
    let entries = entries_by_path(builder);
    let ChosenFields { quick, key } = ChosenFields::of(builder);
    let flat_names: HashMap<&str, &str> =
        builder.root.aggregations.iter().map(|field| (field.path.as_str(), field.name.as_str())).collect();
    let fields = builder.mapping.fields().filter(|field| !is_at_or_below(&field.path, RECORD_ID));
    fields
        .map(|field| {
            let entry = entries.get(field.path.as_str()).copied();
            let target = builder.mapping.field(&field.path).unwrap_or(field);
            let is_set = |flag: fn(&ExtendedEntry) -> bool| entry.is_some_and(flag);
            // An entry that is not of a file or the mapping only says that there are lists.
            let is_free = entry.is_none_or(|entry| entry.key.is_empty());
            let number_display = || builder.knowledge.as_ref().filter(|_| is_free)?.number_display(&field.path);
            ExtendedField {
                description: entry.and_then(|entry| entry.description.clone()),
                display_name: entry
                    .and_then(|entry| entry.display_name.clone())
                    .unwrap_or_else(|| names::start_case(&field.path)),
                display_type: entry
                    .and_then(|entry| entry.display_type.clone())
                    .or_else(|| number_display().map(str::to_owned))
                    .unwrap_or_else(|| target.type_name.clone()),
                display_values: entry.map(|entry| entry.display_values.clone()).unwrap_or_default(),
                field_name: field.path.clone(),
                is_active: is_set(|entry| entry.is_active),
                is_array: is_set(|entry| entry.is_array == Some(true)),
                primary_key: is_set(|entry| entry.primary_key) || (is_free && key == Some(field.path.as_str())),
                quick_search_enabled: is_set(|entry| entry.quick_search_enabled)
                    || (is_free && quick.contains(field.path.as_str())),
                range_step: entry.map_or_else(|| 0.into(), |entry| entry.range_step.clone()),
                type_name: target.type_name.clone(),
                unit: entry.and_then(|entry| entry.unit.clone()),
                flat_name: flat_names
                    .get(field.path.as_str())
                    .map_or_else(|| names::flat_name(&field.path), |name| (*name).to_owned()),
            }
        })
        .collect()
}

/// The fields that quick search looks at and the key of records, as far as the values of the index decide.
#[derive(Default)]
struct ChosenFields<'a> {
    quick: HashSet<&'a str>,
    key: Option<&'a str>,
}

impl<'a> ChosenFields<'a> {
    /// Chooses what no entry decides. A row id that is a field is the key already; `id` is the record's own.
    fn of(builder: &DisplayBuilder<'a>) -> Self {
        let Some(knowledge) = &builder.knowledge else { return Self::default() };
        let is_decided = |flag: fn(&ExtendedEntry) -> bool| builder.config.extended.iter().any(flag);
        let row_id = builder.config.row_id_field_name.as_str();
        let has_row_id = !is_at_or_below(row_id, RECORD_ID) && builder.mapping.entry(row_id).is_some();
        let has_key = has_row_id || is_decided(|entry| entry.primary_key);
        Self {
            quick: match is_decided(|entry| entry.quick_search_enabled) {
                true => HashSet::new(),
                false => knowledge.quick_fields().into_iter().collect(),
            },
            key: knowledge.key_field().filter(|_| !has_key),
        }
    }
}

/// Returns the entries of existing fields; of two for one field the first.
fn entries_by_path<'a>(builder: &mut DisplayBuilder<'a>) -> HashMap<&'a str, &'a ExtendedEntry> {
    let config = builder.config;
    let mut entries: HashMap<&str, &ExtendedEntry> = HashMap::new();
    for entry in &config.extended {
        let name = entry.field_name.as_str();
        if builder.mapping.entry(name).is_none_or(|field| field.multi_field_of.is_some()) {
            builder.warn(&entry.key, format!("{name:?}, which is left out"), "a field of the index");
        } else if entries.contains_key(name) {
            builder.warn(&entry.key, format!("a second entry for {name:?}"), "one entry; the first counts");
        } else {
            entries.insert(name, entry);
        }
    }
    entries
}
