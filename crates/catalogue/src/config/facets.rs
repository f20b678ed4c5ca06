//! What `facets.json` says: the facets in their order.

use super::reader::{Reader, Section};
use super::{FIELD_NAME, FIELD_PATH};

const KEYS: [&str; 6] = [FIELD_NAME, "displayName", "displayType", "isActive", "show", "type"];

/// One facet.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetEntry {
    /// The dotted path, or the older flat form with two underscores for each dot.
    pub field_name: String,
    /// What people read; from the field's own entry if absent.
    pub display_name: Option<String>,
    /// How it is shown; from the field's own entry if absent.
    pub display_type: Option<String>,
    /// Whether it is in use.
    pub is_active: bool,
    /// Whether it is shown at first.
    pub show: bool,
    pub(crate) key: String,
}

/// Reads the facets; nothing if none are configured, so that some are to be generated.
pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>) -> Option<Vec<FacetEntry>> {
    let facets = reader.section(whole, "facets")?;
    reader.refuse_unknown(&facets, &["aggregations"]);
    let sections = reader.entries(&facets, "aggregations")?;
    Some(sections.into_iter().filter_map(|section| read_entry(reader, &section)).collect())
}

fn read_entry(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<FacetEntry> {
    reader.refuse_unknown(section, &KEYS);
    let field_name = reader.required_text(section, FIELD_NAME, FIELD_PATH);
    let entry = FacetEntry {
        field_name: String::new(),
        display_name: reader.text(section, "displayName"),
        display_type: reader.text(section, "displayType"),
        is_active: reader.flag(section, "isActive").unwrap_or(false),
        show: reader.flag(section, "show").unwrap_or(false),
        key: section.key_of(FIELD_NAME),
    };
    field_name.map(|field_name| FacetEntry { field_name, ..entry })
}
