//! The rows of a table, whatever its format: each an object of the cells that are not empty, at its line of the file.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use cantata_json_stream::MAX_DOCUMENT_BYTES;
use cantata_tabular::{DelimitedReader, ParquetReader, XlsxReader, is_cell_error};
use serde_json::{Map, Value};

use super::source::Source;

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableFormat {
    /// Cells with this byte between them.
    Delimited(u8),
    /// The first sheet of a workbook.
    Xlsx,
    Parquet,
}

/// A row.
pub(super) struct TableRow {
    /// Its line, or its number, in the file.
    pub(super) line: u64,
    /// Its cells, or why it is none.
    pub(super) cells: Result<Map<String, Value>, String>,
    /// The columns whose cells are errors of formulas, which count as empty, each with its error.
    pub(super) errors: Vec<(String, String)>,
}

/// The rows of a table.
pub(super) struct TableRows {
    /// The names of the columns, unless each row has its own.
    pub(super) names: Vec<String>,
    reader: RowReader,
}

enum RowReader {
    Delimited(Box<DelimitedReader>),
    Xlsx(XlsxReader),
    Parquet(Box<ParquetReader>, u64),
}

impl TableRows {
    /// Opens a table and reads the names of its columns; `read` counts the bytes of delimited tables.
    pub(super) fn open(source: &Source, format: TableFormat, read: Arc<AtomicU64>) -> Result<Self, String> {
        let failed = |error: io::Error| format!("cannot be read: {error}");
        let no_header = || "is empty; expected a first line with the names of the columns".to_owned();
        match format {
            TableFormat::Delimited(delimiter) => {
                let input = source.open(read).map_err(failed)?;
                let mut records = DelimitedReader::new(input, delimiter, MAX_DOCUMENT_BYTES);
                if !records.advance().map_err(failed)? {
                    return Err(no_header());
                }
                let names = column_names(records.cells())?;
                Ok(Self { names, reader: RowReader::Delimited(Box::new(records)) })
            }
            TableFormat::Xlsx => {
                let mut rows = XlsxReader::open(source.open_file().map_err(failed)?);
                let header = rows.next_row().map_err(failed)?.ok_or_else(no_header)?;
                let width = header.cells.iter().map(|(column, _)| column + 1).max().unwrap_or_default();
                let mut names = vec![String::new(); width];
                for (column, value) in header.cells {
                    names[column] = cell_text(&value);
                }
                Ok(Self { names: column_names(names)?, reader: RowReader::Xlsx(rows) })
            }
            TableFormat::Parquet => {
                let rows = ParquetReader::open(source.open_file().map_err(failed)?).map_err(failed)?;
                Ok(Self { names: Vec::new(), reader: RowReader::Parquet(Box::new(rows), 0) })
            }
        }
    }

    /// Returns the next row; nothing after the last.
    pub(super) fn next_row(&mut self) -> io::Result<Option<TableRow>> {
        let names = &self.names;
        match &mut self.reader {
            RowReader::Delimited(records) => {
                if !records.advance()? {
                    return Ok(None);
                }
                let found = records.cells().count();
                let cells = if found == names.len() {
                    let cells = names.iter().zip(records.cells());
                    let cells = cells.map(|(name, cell)| (name.clone(), cell.trim().to_owned()));
                    Ok(cells.filter(|(_, cell)| !cell.is_empty()).map(|(name, cell)| (name, cell.into())).collect())
                } else {
                    Err(format!("found {found} cells, expected {}, one for each column", names.len()))
                };
                Ok(Some(TableRow { line: records.line(), cells, errors: Vec::new() }))
            }
            RowReader::Xlsx(rows) => Ok(rows.next_row()?.map(|row| {
                let mut errors = Vec::new();
                let named = row.cells.into_iter().map(|(column, value)| match names.get(column) {
                    Some(name) if value.as_str().is_some_and(is_cell_error) => {
                        errors.push((name.clone(), cell_text(&value)));
                        Ok((name.clone(), Value::Null))
                    }
                    Some(name) => Ok((name.clone(), trimmed(value))),
                    None => Err(format!("found a cell in column {}, expected {} columns", column + 1, names.len())),
                });
                let cells: Result<Vec<(String, Value)>, String> = named.collect();
                let cells = cells.map(|cells| cells.into_iter().filter(|(_, value)| !value.is_null()).collect());
                TableRow { line: row.number.into(), cells, errors }
            })),
            RowReader::Parquet(rows, line) => {
                *line += 1;
                let row = rows.next_row()?;
                Ok(row.map(|cells| TableRow { line: *line, cells: Ok(cells), errors: Vec::new() }))
            }
        }
    }
}

/// Checks the names of columns.
fn column_names(cells: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::new();
    for (index, name) in cells.into_iter().enumerate() {
        let name = name.as_ref().trim().trim_start_matches('\u{feff}').to_owned();
        if name.is_empty() {
            return Err(format!("column {} has no name in the first line", index + 1));
        }
        if names.contains(&name) {
            return Err(format!("two columns are called '{name}'"));
        }
        names.push(name);
    }
    Ok(names)
}

fn cell_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns a text without spaces around it, and null for one of spaces alone.
fn trimmed(value: Value) -> Value {
    match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => text.trim().into(),
        other => other,
    }
}
