//! The columns of a file: where the values of each are in a document, and how they are written.

use cantata_catalogue::{Catalogue, display};
use cantata_mapping::{DateDisplayPattern, DateFormat, FieldKind};
use hashbrown::HashMap;
use serde_json::Value;

use super::DownloadError;
use super::cell::json;
use super::columnar::{ColumnarLeaf, column_type};
use super::field_lookup::{ResolvedField, find_field, is_in_unlisted_container, plain_path};
use super::layout::ColumnLayout;
use super::request::{ColumnRequest, FileRequest};
use super::request_reader::unexpected;

/// The names of the id of a record.
const RECORD_ID_NAMES: [&str; 2] = ["id", "_id"];

/// How dates are written unless configured otherwise.
const DEFAULT_DATE_PATTERN: &str = "yyyy-MM-dd";

/// One column.
pub(super) struct DownloadColumn {
    /// The header in delimited files.
    pub(super) label: String,
    /// A comma, the member name in JSON and a colon.
    pub(super) json_key: Vec<u8>,
    /// The slots of the values; `None` for the id of the record.
    pub(super) slots: Option<Vec<usize>>,
    /// Whether JSON has a list, however many values there are.
    pub(super) is_list: bool,
    /// The fields of a columnar file.
    pub(super) leaves: Vec<ColumnarLeaf>,
    pub(super) style: CellStyle,
}

/// How values are written in delimited files.
pub(super) struct CellStyle {
    /// Replacements of single values.
    pub(super) display_values: HashMap<String, String>,
    pub(super) date: Option<DateStyle>,
}

/// How dates are read and written.
pub(super) struct DateStyle {
    pub(super) format: DateFormat,
    pub(super) pattern: DateDisplayPattern,
}

/// Returns the columns of a file whose rows are the elements of the last of these containers, and adds their slots to
/// the layout.
pub(super) fn columns(
    catalogue: &Catalogue,
    file: &FileRequest,
    row_containers: &[String],
    layout: &mut ColumnLayout,
) -> Result<Vec<DownloadColumn>, DownloadError> {
    let of_table;
    let requests = if file.columns.is_empty() {
        of_table = table_columns(catalogue, file);
        &of_table
    } else {
        &file.columns
    };
    // JSON leaves out columns with `show: false`; delimited files have every requested column.
    let requests = requests.iter().filter(|column| file.file_type.is_formatted() || column.show != Some(false));
    let mut columns: Vec<DownloadColumn> = Vec::new();
    for request in requests {
        let column = column(catalogue, request, row_containers, layout)?;
        let is_repeated =
            !file.file_type.is_formatted() && columns.iter().any(|known| known.json_key == column.json_key);
        if !is_repeated {
            columns.push(column);
        }
    }
    Ok(columns)
}

/// Returns the visible columns of the table; all of them if none is visible.
fn table_columns(catalogue: &Catalogue, file: &FileRequest) -> Vec<ColumnRequest> {
    let columns = &catalogue.display.table.columns;
    let shows_some = columns.iter().any(|column| column.show);
    let shown = columns.iter().filter(|column| column.show || !shows_some);
    shown.map(|column| table_column(column, &file.location)).collect()
}

fn table_column(column: &display::ColumnDisplay, location: &str) -> ColumnRequest {
    ColumnRequest {
        location: format!("{location}: the column {:?} of the table", column.field_name),
        field_name: Some(column.field_name.clone()),
        accessor: Some(column.accessor.clone()),
        json_path: Some(column.json_path.clone()),
        label: Some(column.display_name.clone()),
        types: column.display_type.clone().into_iter().collect(),
        display_format: column.display_format.clone(),
        display_values: column.display_values.clone(),
        is_array: Some(column.is_array),
        show: None,
    }
}

fn column(
    catalogue: &Catalogue,
    request: &ColumnRequest,
    row_containers: &[String],
    layout: &mut ColumnLayout,
) -> Result<DownloadColumn, DownloadError> {
    let names = [&request.field_name, &request.accessor, &request.json_path];
    let key = names.into_iter().flatten().next().cloned().unwrap_or_default();
    let is_id = RECORD_ID_NAMES.contains(&key.as_str());
    let target = if is_id { None } else { target(catalogue, request) };
    let described = target.as_ref().and_then(|target| catalogue.display.field(&target.path));
    let is_array = request.is_array.unwrap_or_else(|| described.is_some_and(|field| field.is_array));
    let nested = target.as_ref().map(ResolvedField::nested).unwrap_or_default();
    let is_deeper = nested.iter().any(|container| !row_containers.contains(container));
    let date = date_style(catalogue, request, target.as_ref())?;
    let display_values = match (request.display_values.is_empty(), described) {
        (true, Some(field)) => &field.display_values,
        _ => &request.display_values,
    };
    let mut json_key = vec![b','];
    json(&mut json_key, &key);
    json_key.push(b':');
    let is_list = is_array || is_deeper;
    let leaves = match &target {
        Some(target) => leaves(catalogue, target, &key, (is_array, is_list), row_containers),
        None => {
            let (name, origins) = (key.clone(), Vec::new());
            vec![ColumnarLeaf { name, origins, column_type: column_type(None), is_list, containers: Vec::new() }]
        }
    };
    Ok(DownloadColumn {
        json_key,
        leaves,
        slots: match &target {
            _ if is_id => None,
            Some(target) => Some(target.origins.iter().map(|path| layout.slot(path)).collect()),
            None => Some(vec![layout.slot(&unlisted_path(catalogue, request, &key)?)]),
        },
        label: request.label.clone().or_else(|| described.map(|field| field.display_name.clone())).unwrap_or(key),
        is_list,
        style: CellStyle {
            display_values: display_values.iter().map(|(value, text)| (value.clone(), display_text(text))).collect(),
            date,
        },
    })
}

/// Returns the fields that a column has in a columnar file. A nested container is all fields in it. A field is a list for
/// itself if it is one in an element, and as a column if it is one in a row.
fn leaves(
    catalogue: &Catalogue,
    target: &ResolvedField<'_>,
    key: &str,
    (is_list_in_element, is_list_in_row): (bool, bool),
    row_containers: &[String],
) -> Vec<ColumnarLeaf> {
    let deeper = |nested: &[String]| -> Vec<String> {
        nested.iter().filter(|container| !row_containers.contains(container)).cloned().collect()
    };
    let container =
        target.field.filter(|field| field.kind == FieldKind::Nested).map(|field| format!("{}.", field.path));
    if let Some(container) = container {
        let inner = catalogue.mapping.fields();
        let inner = inner.filter(|field| field.path.starts_with(&container) && field.kind.has_values());
        let leaves = inner.map(|field| ColumnarLeaf {
            name: field.path.clone(),
            origins: vec![field.path.clone()],
            column_type: column_type(Some(&field.kind)),
            is_list: catalogue.display.field(&field.path).is_some_and(|described| described.is_array),
            containers: deeper(&field.nested),
        });
        let leaves: Vec<ColumnarLeaf> = leaves.collect();
        if !leaves.is_empty() {
            return leaves;
        }
    }
    let containers = deeper(target.nested());
    let is_in_row = containers.is_empty();
    vec![ColumnarLeaf {
        name: if is_in_row { key.to_owned() } else { target.path.clone() },
        origins: target.origins.clone(),
        column_type: column_type(target.field.map(|field| &field.kind)),
        is_list: if is_in_row { is_list_in_row } else { is_list_in_element },
        containers,
    }]
}

/// Resolves the field of a column: the named one, unless that is a container of which the column selects a part.
fn target<'c>(catalogue: &'c Catalogue, request: &ColumnRequest) -> Option<ResolvedField<'c>> {
    let named = request.field_name.as_ref().and_then(|name| find_field(catalogue, name));
    if named.as_ref().is_some_and(ResolvedField::has_values) {
        return named;
    }
    let selected = [&request.json_path, &request.accessor].into_iter().flatten();
    let selected = selected.filter_map(|path| find_field(catalogue, &plain_path(path))).find(ResolvedField::has_values);
    selected.or(named)
}

/// Returns the path in documents of a field that the mapping does not list: one below a container of which it lists
/// nothing, or a column that the table has with a selection of its own.
fn unlisted_path(catalogue: &Catalogue, request: &ColumnRequest, key: &str) -> Result<String, DownloadError> {
    let named = [&request.json_path, &request.accessor, &request.field_name].into_iter().flatten().next();
    let path = named.map(|path| plain_path(path)).unwrap_or_default();
    let is_of_table = catalogue.display.table.columns.iter().any(|column| column.field_name == key);
    if is_of_table || is_in_unlisted_container(catalogue, &path) {
        return Ok(path);
    }
    let expected = "a field of the catalogue; its introspection lists them";
    Err(unexpected(&request.location, &Value::from(key), expected))
}

fn date_style(
    catalogue: &Catalogue,
    request: &ColumnRequest,
    target: Option<&ResolvedField<'_>>,
) -> Result<Option<DateStyle>, DownloadError> {
    let path = target.map(|target| target.path.as_str());
    let described = path.and_then(|path| catalogue.display.field(path)).map(|field| field.display_type.as_str());
    let is_date = |type_name: &str| ["date", "date_nanos"].contains(&type_name);
    let shown_as_date = match request.types.is_empty() {
        true => described.is_some_and(is_date),
        false => request.types.iter().any(|type_name| is_date(type_name)),
    };
    if !shown_as_date {
        return Ok(None);
    }
    let of_table = || {
        let column = catalogue.display.table.columns.iter().find(|column| Some(column.field_name.as_str()) == path)?;
        column.display_format.clone()
    };
    let pattern = request.display_format.clone().or_else(of_table);
    let pattern = pattern.as_deref().unwrap_or(DEFAULT_DATE_PATTERN);
    let pattern = DateDisplayPattern::parse(pattern)
        .map_err(|reason| DownloadError::Invalid(format!("{}.displayFormat: {reason}", request.location)))?;
    let format = target.and_then(|target| target.field).and_then(|field| field.kind.date_format());
    Ok(Some(DateStyle { format: format.cloned().unwrap_or_default(), pattern }))
}

fn display_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
