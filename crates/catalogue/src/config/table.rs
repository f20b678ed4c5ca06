//! What `table.json` says: the columns, how rows are sorted at first, how many there may be and what names them.

use serde_json::{Map, Value};

use super::reader::{Reader, Section};
use super::{FIELD_NAME, FIELD_PATH};

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
    /// The columns in their order; nothing if they are to be generated.
    pub columns: Option<Vec<ColumnEntry>>,
    /// How rows are sorted at first.
    pub default_sorting: Option<Vec<SortingEntry>>,
    /// The field that names a row; the general one if absent.
    pub row_id_field_name: Option<String>,
    pub(super) max_results_window: Option<u32>,
}

/// One column; what is not said has a default that the field gives.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnEntry {
    /// The dotted path.
    pub field_name: String,
    /// Where a portal finds the value in a row.
    pub accessor: Option<String>,
    /// Whether people may hide and show it.
    pub can_change_show: Option<bool>,
    /// How dates and numbers are written.
    pub display_format: Option<String>,
    /// What people read.
    pub display_name: Option<String>,
    /// How it is shown.
    pub display_type: Option<String>,
    /// What people read instead of single values.
    pub display_values: Option<Map<String, Value>>,
    /// What names the column.
    pub id: Option<String>,
    /// Where a portal finds all values in a row.
    pub json_path: Option<String>,
    /// The selection that fetches it.
    pub query: Option<String>,
    /// Whether it is shown at first.
    pub show: bool,
    /// Whether rows can be sorted by it.
    pub sortable: Option<bool>,
    pub(crate) key: String,
}

/// One step of the first sorting.
#[derive(Debug, Clone, PartialEq)]
pub struct SortingEntry {
    /// The dotted path.
    pub field_name: String,
    /// Whether the largest come first.
    pub desc: bool,
    pub(crate) key: String,
}

pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>) -> TableConfig {
    let Some(table) = reader.section(whole, "table") else { return TableConfig::default() };
    reader.refuse_unknown(&table, &KEYS);
    TableConfig {
        columns: reader
            .entries(&table, "columns")
            .map(|sections| sections.iter().filter_map(|section| read_column(reader, section)).collect()),
        default_sorting: reader
            .entries(&table, "defaultSorting")
            .map(|sections| sections.iter().filter_map(|section| read_sorting(reader, section)).collect()),
        row_id_field_name: reader.filled_text(&table, "rowIdFieldName"),
        max_results_window: reader.count(&table, "maxResultsWindow", 1),
    }
}

fn read_column(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<ColumnEntry> {
    reader.refuse_unknown(section, &COLUMN_KEYS);
    let field_name = reader.required_text(section, FIELD_NAME, FIELD_PATH);
    let column = ColumnEntry {
        field_name: String::new(),
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
    };
    field_name.map(|field_name| ColumnEntry { field_name, ..column })
}

fn read_sorting(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<SortingEntry> {
    reader.refuse_unknown(section, &[FIELD_NAME, "desc"]);
    let field_name = reader.required_text(section, FIELD_NAME, FIELD_PATH);
    let desc = reader.flag(section, "desc").unwrap_or(false);
    field_name.map(|field_name| SortingEntry { field_name, desc, key: section.key_of(FIELD_NAME) })
}
