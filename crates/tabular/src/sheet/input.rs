//! Filled sheets as they come in: names of columns and texts of cells.

use std::borrow::Cow;
use std::io::Read;

use rust_xlsxwriter::column_number_to_name;
use serde_json::Value;

use super::layout::VALUES_SHEET;
use crate::xlsx_reader::{MAX_SHEETS, read_workbook};
use crate::{DelimitedReader, SheetError};

/// How many cells all sheets together have at most, empty ones included.
const MAX_CELLS: usize = 1_000_000;

/// How many bytes a line of a table has at most, about.
const MAX_LINE_BYTES: usize = 16 << 20;

/// A sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// Its name; that of a table is empty.
    pub name: String,
    /// The names of its columns, as they are in the header.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<SheetLine>,
}

/// A row of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetLine {
    /// Its number as a spreadsheet shows it.
    pub row: u32,
    /// The text of each column.
    pub cells: Vec<String>,
}

/// Reads the sheets of an XLSX file of at most these bytes when it is unpacked, and these rows.
///
/// # Errors
///
/// Why it cannot be read.
pub fn read_xlsx_sheets(file: &[u8], max_bytes: u64, max_rows: usize) -> Result<Vec<Sheet>, SheetError> {
    let mut sheets = Vec::new();
    let mut cells = 0;
    for (name, rows) in read_workbook(file, max_bytes, max_rows)? {
        let mut rows = rows.into_iter();
        let Some(header) = rows.next().filter(|_| name != VALUES_SHEET) else { continue };
        let width = header.cells.iter().map(|(column, _)| column + 1).max().unwrap_or_default();
        cells += width;
        check_cells(cells)?;
        let mut sheet = Sheet { columns: line(width, header.cells).unwrap_or_default(), rows: Vec::new(), name };
        for row in rows {
            cells += width;
            check_cells(cells)?;
            let cells = line(width, row.cells).map_err(|column| SheetError::CellWithoutColumn {
                sheet: sheet.name.clone(),
                cell: format!("{}{}", column_letters(column), row.number),
                width,
            })?;
            sheet.rows.push(SheetLine { row: row.number, cells });
        }
        sheets.push(sheet);
    }
    Ok(sheets)
}

/// Checks that sheets have no more rows than these, and that there are not too many sheets and cells.
///
/// # Errors
///
/// What they have too many of.
pub fn check_sheets(sheets: &[Sheet], max_rows: usize) -> Result<(), SheetError> {
    if sheets.len() > MAX_SHEETS {
        return Err(SheetError::TooMany { limit: MAX_SHEETS, items: "sheets" });
    }
    let rows: usize = sheets.iter().map(|sheet| sheet.rows.len()).sum();
    if rows > max_rows {
        return Err(SheetError::TooMany { limit: max_rows, items: "rows" });
    }
    let cells = sheets.iter().map(|sheet| (sheet.rows.len() + 1).saturating_mul(sheet.columns.len()));
    check_cells(cells.fold(0, usize::saturating_add))
}

/// Returns a column as a spreadsheet shows it; nothing for one that no spreadsheet has.
pub(super) fn column_letters(column: usize) -> String {
    let column = u16::try_from(column).ok().filter(|column| *column < u16::MAX);
    column.map(column_number_to_name).unwrap_or_default()
}

/// Returns the texts of a row; the first column that is beyond its width fails.
fn line(width: usize, cells: Vec<(usize, Value)>) -> Result<Vec<String>, usize> {
    let mut texts = vec![String::new(); width];
    for (column, value) in cells {
        *texts.get_mut(column).ok_or(column)? = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
    }
    Ok(texts)
}

fn check_cells(cells: usize) -> Result<(), SheetError> {
    if cells > MAX_CELLS { Err(SheetError::TooMany { limit: MAX_CELLS, items: "cells" }) } else { Ok(()) }
}

/// Reads a table with this delimiter and of at most these rows as one sheet.
///
/// # Errors
///
/// Why it cannot be read.
pub fn read_delimited_sheet(
    table: impl Read + Send + 'static,
    delimiter: u8,
    max_rows: usize,
) -> Result<Vec<Sheet>, SheetError> {
    let mut records = DelimitedReader::new(Box::new(table), delimiter, MAX_LINE_BYTES);
    if !records.advance().map_err(SheetError::Table)? {
        return Err(SheetError::Empty);
    }
    check_cells(records.cells().count())?;
    let mut columns: Vec<String> = records.cells().map(Cow::into_owned).collect();
    if let Some(first) = columns.first_mut() {
        *first = first.trim_start_matches('\u{feff}').to_owned();
    }
    let width = columns.len();
    let mut sheet = Sheet { name: String::new(), columns, rows: Vec::new() };
    while records.advance().map_err(SheetError::Table)? {
        let mut cells: Vec<String> = records.cells().map(Cow::into_owned).collect();
        let row = u32::try_from(records.line()).unwrap_or(u32::MAX);
        if cells.iter().skip(width).any(|cell| !cell.trim().is_empty()) {
            return Err(SheetError::LongLine { line: row, cells: cells.len(), width });
        }
        cells.resize(width, String::new());
        sheet.rows.push(SheetLine { row, cells });
        if sheet.rows.len() > max_rows {
            return Err(SheetError::TooMany { limit: max_rows, items: "rows" });
        }
        check_cells(sheet.rows.len() * width)?;
    }
    Ok(vec![sheet])
}
