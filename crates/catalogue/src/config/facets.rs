//! The section `facets`.

use serde::Serialize;

use super::FIELD_NAME;
use super::reader::{ConfigReader, ConfigSection};

const KEYS: [&str; 6] = [FIELD_NAME, "displayName", "displayType", "isActive", "show", "type"];

/// One facet.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetEntry {
    /// The display name; by default that of the field.
    pub display_name: Option<String>,
    /// How portals display it; by default as the field.
    pub display_type: Option<String>,
    /// The dotted path or the flat name; in display configuration the name of the aggregation field.
    pub field_name: String,
    /// Whether it is in use.
    pub is_active: bool,
    /// Whether it is visible initially.
    pub show: bool,
    #[serde(skip)]
    pub(crate) key: String,
}

/// Reads the facets; `None` if none are configured.
pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>) -> Option<Vec<FacetEntry>> {
    let facets = reader.section(root, "facets")?;
    reader.warn_unknown(&facets, &["aggregations"]);
    reader.entries(&facets, "aggregations", read_entry)
}

fn read_entry(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<FacetEntry> {
    let field_name = reader.entry_field(section, &KEYS);
    Some(FacetEntry {
        display_name: reader.text(section, "displayName"),
        display_type: reader.text(section, "displayType"),
        is_active: reader.flag(section, "isActive").unwrap_or(false),
        show: reader.flag(section, "show").unwrap_or(false),
        key: section.key_of(FIELD_NAME),
        field_name: field_name?,
    })
}
