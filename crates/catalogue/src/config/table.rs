//! The section `table`: columns, initial sorting, and row ids.

use serde::Serialize;
use serde_json::{Map, Value};

use super::FIELD_NAME;
use super::reader::{ConfigReader, ConfigSection};

const KEYS: [&str; 4] = ["columns", "defaultSorting", "maxResultsWindow", "rowIdFieldName"];

const COLUMN_KEYS: [&str; 14] = [
    FIELD_NAME,
    "accessor",
    "canChangeShow",
    "displayFormat",
    "displayName",
    "displayType",
    "displayValues",
    "id",
    "isArray",
    "jsonPath",
    "query",
    "show",
    "sortable",
    "type",
];

/// The table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableConfig {
    /// The columns in their order; `None`: generated.
    pub columns: Option<Vec<ColumnEntry>>,
    /// The initial sorting.
    pub default_sorting: Option<Vec<SortingEntry>>,
    /// The field with the id of a row; `None`: the default.
    pub row_id_field_name: Option<String>,
    pub(super) max_results_window: Option<u32>,
}

/// One column; what is absent follows from the field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnEntry {
    /// The dotted path.
    pub field_name: String,
    /// The path of the value in a row.
    pub accessor: Option<String>,
    /// Whether users may hide and show it.
    pub can_change_show: Option<bool>,
    /// How dates and numbers are written.
    pub display_format: Option<String>,
    /// The display name.
    pub display_name: Option<String>,
    /// How portals display it.
    pub display_type: Option<String>,
    /// Replacements of single values.
    pub display_values: Option<Map<String, Value>>,
    /// The id of the column.
    pub id: Option<String>,
    /// The JSON path of all values in a row.
    pub json_path: Option<String>,
    /// The selection that fetches it.
    pub query: Option<String>,
    /// Whether it is visible initially.
    pub show: bool,
    /// Whether rows can be sorted by it.
    pub sortable: Option<bool>,
    pub(crate) key: String,
}

/// One key of the initial sorting.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SortingEntry {
    /// The dotted path.
    pub field_name: String,
    /// Whether the order is descending.
    pub desc: bool,
    #[serde(skip)]
    pub(crate) key: String,
}

pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>) -> TableConfig {
    let Some(table) = reader.section(root, "table") else { return TableConfig::default() };
    reader.warn_unknown(&table, &KEYS);
    TableConfig {
        columns: reader.entries(&table, "columns", read_column),
        default_sorting: reader.entries(&table, "defaultSorting", read_sorting),
        row_id_field_name: reader.filled_text(&table, "rowIdFieldName"),
        max_results_window: reader.count(&table, "maxResultsWindow", 1),
    }
}

fn read_column(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<ColumnEntry> {
    let field_name = reader.entry_field(section, &COLUMN_KEYS);
    Some(ColumnEntry {
        accessor: reader.filled_text(section, "accessor"),
        can_change_show: reader.flag(section, "canChangeShow"),
        display_format: reader.text(section, "displayFormat"),
        display_name: reader.text(section, "displayName"),
        display_type: reader.text(section, "displayType"),
        display_values: reader.object(section, "displayValues"),
        id: reader.text(section, "id"),
        json_path: reader.filled_text(section, "jsonPath"),
        query: reader.filled_text(section, "query"),
        show: reader.flag(section, "show").unwrap_or(false),
        sortable: reader.flag(section, "sortable"),
        key: section.key_of(FIELD_NAME),
        field_name: field_name?,
    })
}

fn read_sorting(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> Option<SortingEntry> {
    let field_name = reader.entry_field(section, &[FIELD_NAME, "desc"]);
    let desc = reader.flag(section, "desc").unwrap_or(false);
    field_name.map(|field_name| SortingEntry { field_name, desc, key: section.key_of(FIELD_NAME) })
}
