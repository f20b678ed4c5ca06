//! The fields in which a list of names is looked up.

use serde::Serialize;

use super::Source;

/// One kind of thing that can be looked up.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Matchbox {
    /// What people read.
    pub display_name: Option<String>,
    /// The dotted path of the container; empty for the record.
    pub field_name: String,
    /// Whether it is offered.
    pub is_active: bool,
    /// The path of the field that identifies what was found.
    pub key_field_name: Option<String>,
    /// The paths of the fields that are searched.
    pub search_field_names: Vec<String>,
}

pub(super) fn build(source: &mut Source<'_>) -> Vec<Matchbox> {
    let config = source.config;
    let mut entries = Vec::new();
    for entry in &config.matchbox {
        let mut searched = Vec::new();
        for name in &entry.search_field_names {
            searched.extend(source.resolve(&format!("{}.searchFields", entry.key), name));
        }
        entries.push(Matchbox {
            display_name: entry.display_name.clone(),
            field_name: entry.field_name.clone(),
            is_active: entry.is_active,
            key_field_name: entry.key_field_name.clone(),
            search_field_names: searched,
        });
    }
    entries
}
