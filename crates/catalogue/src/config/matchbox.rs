//! The section `matchbox`: the fields in which lists of ids are looked up.

use serde::Serialize;

use super::reader::{ConfigReader, ConfigSection};
use super::{FIELD_NAME, FIELD_PATH};

const KEYS: [&str; 6] = [FIELD_NAME, "displayName", "isActive", "keyFieldName", "searchFields", "searchFieldNames"];

/// One kind of entity that can be looked up.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchboxEntry {
    /// The display name.
    pub display_name: Option<String>,
    /// The dotted path of the container; empty for the record.
    pub field_name: String,
    /// Whether it is offered.
    pub is_active: bool,
    /// The path of the field that identifies a match.
    pub key_field_name: Option<String>,
    /// The paths of the fields that are searched (`searchFields` or `searchFieldNames`).
    pub search_field_names: Vec<String>,
    #[serde(skip)]
    pub(crate) key: String,
}

pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>) -> Vec<MatchboxEntry> {
    reader.entries(root, "matchbox", read_entry).unwrap_or_default()
}

fn read_entry(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<MatchboxEntry> {
    reader.warn_unknown(section, &KEYS);
    // The entry for the record itself has an empty name.
    let field_name = match section.object.contains_key(FIELD_NAME) {
        true => reader.text(section, FIELD_NAME),
        false => reader.required_text(section, FIELD_NAME, FIELD_PATH),
    };
    let names = reader.texts(section, "searchFieldNames");
    Some(MatchboxEntry {
        display_name: reader.text(section, "displayName"),
        is_active: reader.flag(section, "isActive").unwrap_or(false),
        key_field_name: reader.text(section, "keyFieldName"),
        search_field_names: names.or_else(|| reader.texts(section, "searchFields")).unwrap_or_default(),
        key: section.key.clone(),
        field_name: field_name?,
    })
}
