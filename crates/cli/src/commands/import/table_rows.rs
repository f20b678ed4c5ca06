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

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("is empty; expected a first line with the names of the columns")]
    Empty,
    #[error("column {0} has no name in the first line")]
    Unnamed(usize),
    #[error("two columns are called '{0}'")]
    Duplicate(String),
}

/// Why a row has not the cells of its table.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowError {
    #[error("found {found} cells, expected {expected}, one for each column")]
    CellCount { found: usize, expected: usize },
    #[error("found a cell in column {column}, expected {columns} columns")]
    Column { column: usize, columns: usize },
}

/// A row.
pub(super) struct TableRow {
    /// Its line, or its number, in the file.
    pub(super) line: u64,
    /// Its cells, or why it is none.
    pub(super) cells: Result<Map<String, Value>, RowError>,
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
    pub(super) fn open(source: &Source, format: TableFormat, read: Arc<AtomicU64>) -> Result<Self, TableError> {
        match format {
            TableFormat::Delimited(delimiter) => {
                let input = source.open(read)?;
                let mut records = DelimitedReader::new(input, delimiter, MAX_DOCUMENT_BYTES);
                if !records.advance()? {
                    return Err(TableError::Empty);
                }
                let names = column_names(records.cells())?;
                Ok(Self { names, reader: RowReader::Delimited(Box::new(records)) })
            }
            TableFormat::Xlsx => {
                let mut rows = XlsxReader::open(source.open_file()?);
                let header = rows.next_row()?.ok_or(TableError::Empty)?;
                let width = header.cells.iter().map(|(column, _)| column + 1).max().unwrap_or_default();
                let mut names = vec![String::new(); width];
                for (column, value) in header.cells {
                    names[column] = cell_text(&value);
                }
                Ok(Self { names: column_names(names)?, reader: RowReader::Xlsx(rows) })
            }
            TableFormat::Parquet => {
                let rows = ParquetReader::open(source.open_file()?)?;
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
                    Err(RowError::CellCount { found, expected: names.len() })
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
                    None => Err(RowError::Column { column: column + 1, columns: names.len() }),
                });
                let cells: Result<Vec<(String, Value)>, RowError> = named.collect();
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
fn column_names(cells: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Vec<String>, TableError> {
    let mut names: Vec<String> = Vec::new();
    for (index, name) in cells.into_iter().enumerate() {
        let name = name.as_ref().trim().trim_start_matches('\u{feff}').to_owned();
        if name.is_empty() {
            return Err(TableError::Unnamed(index + 1));
        }
        if names.contains(&name) {
            return Err(TableError::Duplicate(name));
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
