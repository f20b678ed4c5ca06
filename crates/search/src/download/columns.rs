//! The columns of a file: where the values of each are in a document, and how they are written.

use cantata_catalogue::{Catalogue, display};
use cantata_mapping::{DateDisplayPattern, DateFormat};
use hashbrown::HashMap;
use serde_json::Value;

use super::DownloadError;
use super::cell::json;
use super::field_lookup::{ResolvedField, find_field, plain_path};
use super::layout::ColumnLayout;
use super::request::{ColumnRequest, FileRequest};

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
    let requests = requests.iter().filter(|column| file.file_type.is_delimited() || column.show != Some(false));
    let mut columns: Vec<DownloadColumn> = Vec::new();
    for request in requests {
        let column = column(catalogue, request, row_containers, layout)?;
        let is_repeated =
            !file.file_type.is_delimited() && columns.iter().any(|known| known.json_key == column.json_key);
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
    Ok(DownloadColumn {
        label: request.label.clone().or_else(|| described.map(|field| field.display_name.clone())).unwrap_or(key),
        json_key,
        slots: match &target {
            _ if is_id => None,
            Some(target) => Some(target.origins.iter().map(|path| layout.slot(path)).collect()),
            None => Some(vec![layout.slot(&unlisted_path(request))]),
        },
        is_list: is_array || is_deeper,
        style: CellStyle {
            display_values: display_values.iter().map(|(value, text)| (value.clone(), display_text(text))).collect(),
            date,
        },
    })
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

/// Returns the path in documents of a field that the mapping does not list.
fn unlisted_path(request: &ColumnRequest) -> String {
    let named = [&request.json_path, &request.accessor, &request.field_name].into_iter().flatten().next();
    named.map(|path| plain_path(path)).unwrap_or_default()
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
