//! The section `extended`: single fields.

use serde_json::{Map, Number, Value};

use super::FIELD_NAME;
use super::reader::{ConfigReader, ConfigSection};

const KEYS: [&str; 12] = [
    FIELD_NAME,
    "description",
    "displayName",
    "displayType",
    "displayValues",
    "isActive",
    "isArray",
    "primaryKey",
    "quickSearchEnabled",
    "rangeStep",
    "type",
    "unit",
];

/// The configuration of one field; what is absent follows from the mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtendedEntry {
    /// The dotted path.
    pub field_name: String,
    /// What it means.
    pub description: Option<String>,
    /// The display name.
    pub display_name: Option<String>,
    /// How portals display it.
    pub display_type: Option<String>,
    /// Replacements of single values.
    pub display_values: Map<String, Value>,
    /// Whether it is offered for queries.
    pub is_active: bool,
    /// Whether its values are lists; `None`: as in the index.
    pub is_array: Option<bool>,
    /// Whether it identifies the record.
    pub primary_key: bool,
    /// Whether quick search looks at it.
    pub quick_search_enabled: bool,
    /// The step of a slider.
    pub range_step: Number,
    /// The unit of its values.
    pub unit: Option<String>,
    pub(crate) key: String,
}

impl ExtendedEntry {
    /// Returns an entry that says nothing of a field.
    pub(super) fn bare(field_name: String) -> Self {
        Self {
            field_name,
            description: None,
            display_name: None,
            display_type: None,
            display_values: Map::new(),
            is_active: false,
            is_array: None,
            primary_key: false,
            quick_search_enabled: false,
            range_step: 0.into(),
            unit: None,
            key: String::new(),
        }
    }
}

pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>) -> Vec<ExtendedEntry> {
    reader.entries(root, "extended", read_entry).unwrap_or_default()
}

fn read_entry(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<ExtendedEntry> {
    let field_name = reader.entry_field(section, &KEYS);
    Some(ExtendedEntry {
        description: reader.text(section, "description"),
        display_name: reader.text(section, "displayName"),
        display_type: reader.text(section, "displayType"),
        display_values: reader.object(section, "displayValues").unwrap_or_default(),
        is_active: reader.flag(section, "isActive").unwrap_or(false),
        is_array: reader.flag(section, "isArray"),
        primary_key: reader.flag(section, "primaryKey").unwrap_or(false),
        quick_search_enabled: reader.flag(section, "quickSearchEnabled").unwrap_or(false),
        range_step: reader.number(section, "rangeStep").unwrap_or_else(|| 0.into()),
        unit: reader.text(section, "unit"),
        key: section.key_of(FIELD_NAME),
        field_name: field_name?,
    })
}
