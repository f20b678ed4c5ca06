//! What `matchbox.json` says: the fields in which a list of names is looked up.

use super::reader::{Reader, Section};
use super::{FIELD_NAME, FIELD_PATH};

const KEYS: [&str; 6] = [FIELD_NAME, "displayName", "isActive", "keyFieldName", "searchFields", "searchFieldNames"];

/// One kind of thing that can be looked up.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchboxEntry {
    /// The dotted path of the container.
    pub field_name: String,
    /// What people read.
    pub display_name: Option<String>,
    /// Whether it is offered.
    pub is_active: bool,
    /// The path of the field that identifies what was found.
    pub key_field_name: Option<String>,
    /// The paths of the fields that are searched (`searchFields` or `searchFieldNames`).
    pub search_field_names: Vec<String>,
    pub(crate) key: String,
}

pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>) -> Vec<MatchboxEntry> {
    let sections = reader.entries(whole, "matchbox").unwrap_or_default();
    sections.iter().filter_map(|section| read_entry(reader, section)).collect()
}

fn read_entry(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<MatchboxEntry> {
    reader.refuse_unknown(section, &KEYS);
    // The entry for the record itself has an empty name.
    let field_name = match section.object.contains_key(FIELD_NAME) {
        true => reader.text(section, FIELD_NAME),
        false => reader.required_text(section, FIELD_NAME, FIELD_PATH),
    };
    let names = reader.texts(section, "searchFieldNames");
    let entry = MatchboxEntry {
        field_name: String::new(),
        display_name: reader.text(section, "displayName"),
        is_active: reader.flag(section, "isActive").unwrap_or(false),
        key_field_name: reader.text(section, "keyFieldName"),
        search_field_names: names.or_else(|| reader.texts(section, "searchFields")).unwrap_or_default(),
        key: section.key.clone(),
    };
    field_name.map(|field_name| MatchboxEntry { field_name, ..entry })
}
