//! One sheet of an XLSX file, written row by row to a temporary file.
//!
//! Texts are never formulas. A text that is longer than a cell may be is cut, and says so at its end.

use std::io;

use rust_xlsxwriter::{Format, Workbook, XlsxError};
use tempfile::SpooledTempFile;

use crate::CellRef;

/// How many rows a sheet has at most beside its header.
pub const MAX_SHEET_ROWS: u64 = 1_048_575;

/// How many units of UTF-16 a cell has at most.
const MAX_CELL_UNITS: usize = 32_767;

/// What ends a text that was cut.
const CUT: &str = " … (cut)";

/// Doubles are exact for all integers up to this.
const MAX_EXACT_INTEGER: u64 = 1 << 53;

/// How many bytes of a finished file are kept in memory.
const MAX_MEMORY_BYTES: usize = 4 << 20;

/// A sheet that is being written.
pub struct SpreadsheetWriter {
    workbook: Workbook,
    row: u32,
    column: u16,
}

impl SpreadsheetWriter {
    /// Begins a sheet with a header.
    ///
    /// # Errors
    ///
    /// If there is no room for a temporary file.
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a str>) -> io::Result<Self> {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet_with_constant_memory().map_err(sheet_error)?;
        sheet.set_freeze_panes(1, 0).map_err(sheet_error)?;
        let bold = Format::new().set_bold();
        for (column, label) in (0..).zip(labels) {
            sheet.write_string_with_format(0, column, cell_text(label), &bold).map_err(sheet_error)?;
        }
        Ok(Self { workbook, row: 1, column: 0 })
    }

    /// Writes the next cell of the row.
    ///
    /// # Errors
    ///
    /// If the sheet is full, or cannot be written.
    pub fn append(&mut self, cell: CellRef<'_>) -> io::Result<()> {
        if u64::from(self.row) > MAX_SHEET_ROWS {
            return Err(io::Error::other(format!(
                "a sheet of XLSX has at most {MAX_SHEET_ROWS} rows; narrow the filter, or take csv or parquet"
            )));
        }
        let (row, column) = (self.row, self.column);
        self.column += 1;
        let sheet = self.workbook.worksheet_from_index(0).map_err(sheet_error)?;
        let written = match cell {
            CellRef::Null | CellRef::Text("") => return Ok(()),
            CellRef::Boolean(value) => sheet.write_boolean(row, column, value),
            CellRef::Integer(value) if value.unsigned_abs() <= MAX_EXACT_INTEGER => {
                sheet.write_number(row, column, value as f64)
            }
            CellRef::Double(value) if value.is_finite() => sheet.write_number(row, column, value),
            CellRef::Integer(value) => sheet.write_string(row, column, value.to_string()),
            CellRef::Unsigned(value) => sheet.write_string(row, column, value.to_string()),
            CellRef::Double(value) => sheet.write_string(row, column, value.to_string()),
            CellRef::Text(text) => sheet.write_string(row, column, cell_text(text)),
        };
        written.map(|_| ()).map_err(sheet_error)
    }

    /// Ends a row.
    pub fn end_row(&mut self) {
        self.row += 1;
        self.column = 0;
    }

    /// Ends the file and returns it, from its start.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<SpooledTempFile> {
        let mut file = SpooledTempFile::new(MAX_MEMORY_BYTES);
        self.workbook.save_to_writer(&mut file).map_err(sheet_error)?;
        io::Seek::rewind(&mut file)?;
        Ok(file)
    }
}

/// Returns as much of a text as a cell may have.
fn cell_text(text: &str) -> String {
    // Every unit of UTF-16 has at least one byte in UTF-8.
    if text.len() <= MAX_CELL_UNITS || text.encode_utf16().count() <= MAX_CELL_UNITS {
        return text.to_owned();
    }
    let mut left = MAX_CELL_UNITS - CUT.encode_utf16().count();
    let kept = text.chars().take_while(|character| {
        let fits = character.len_utf16() <= left;
        left = left.saturating_sub(character.len_utf16());
        fits
    });
    kept.chain(CUT.chars()).collect()
}

fn sheet_error(error: XlsxError) -> io::Error {
    io::Error::other(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_sheet_takes_no_more_cells() {
        let mut sheet = SpreadsheetWriter::new(["a"]).unwrap();
        sheet.row = u32::try_from(MAX_SHEET_ROWS).unwrap() + 1;
        let error = sheet.append(CellRef::Integer(1)).unwrap_err().to_string();
        assert!(error.contains("at most 1048575 rows"), "{error}");
    }

    #[test]
    fn a_text_that_is_too_long_for_a_cell_says_that_it_is_cut() {
        let text = cell_text(&"🧬".repeat(20_000));
        assert!(text.encode_utf16().count() <= MAX_CELL_UNITS && text.ends_with(CUT));
        assert_eq!(cell_text("short"), "short");
    }
}
