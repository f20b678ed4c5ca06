//! The rows of XLSX files: cells by sheet and row, as JSON values.
//!
//! Dates are texts of ISO 8601, whole numbers are integers, cells that have only a format do not exist. The error of a formula
//! is its text ([`is_cell_error`]). A file is checked before it is read, wherever it comes from; packed, and with the texts
//! that sheets share, it is in memory while it is read; cells are not.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::sync::mpsc::{Receiver, sync_channel};
use std::{panic, thread};

use calamine::{DataRef, ExcelDateTime, Reader, SheetType, Xlsx, XlsxError};
use serde_json::{Number, Value};

use crate::SheetError;
use crate::xlsx_archive::check_archive;

/// How many rows are read ahead.
const MAX_ROWS_AHEAD: usize = 16;

/// How many bytes a file has at most that is read by rows, and when it is unpacked. Sheets are not in memory.
const MAX_FILE_BYTES: u64 = 1 << 30;
const MAX_UNPACKED_BYTES: u64 = 8 << 30;

/// How many bytes a row has at most: many of its cells may share one long text.
const MAX_ROW_BYTES: u64 = 16 << 20;

/// What a cell shows whose formula has no result.
const CELL_ERRORS: [&str; 9] =
    ["#DATA!", "#DIV/0!", "#GETTING_DATA", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"];

/// What a cell takes in memory beside its text.
const CELL_BYTES: usize = 48;

/// What an empty cell counts, though nothing is kept of it: many sheets may share their cells in a file.
const EMPTY_CELL_BYTES: usize = 16;

/// How many columns and rows a sheet has at most, as in spreadsheets. A cell may say that it is anywhere.
const MAX_COLUMNS: u32 = 16_384;
const MAX_ROWS: u32 = 1_048_576;

/// How many sheets of a file are read at most.
pub(crate) const MAX_SHEETS: usize = 128;

/// Doubles are exact for all integers below this.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// A row of a sheet that has a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct SheetRow {
    /// Its number as a spreadsheet shows it, from 1.
    pub number: u32,
    /// The cells that are not empty, each with its column, from 0.
    pub cells: Vec<(usize, Value)>,
}

/// Reads the rows of the first sheet of a file, on a thread of its own: the reader of cells borrows from that of files.
pub struct XlsxReader {
    /// The rows, and nothing after the last one.
    rows: Receiver<io::Result<Option<SheetRow>>>,
    is_finished: bool,
}

impl XlsxReader {
    /// Begins to read a file.
    pub fn open(file: File) -> Self {
        let (sender, rows) = sync_channel(MAX_ROWS_AHEAD);
        thread::spawn(move || {
            let read = read_first_sheet(file, &mut |row| sender.send(Ok(Some(row))).is_ok());
            // Nobody waits for it if the reader is gone.
            let _ = sender.send(read.map(|()| None).map_err(invalid));
        });
        Self { rows, is_finished: false }
    }

    /// Returns the next row; nothing after the last.
    ///
    /// # Errors
    ///
    /// If the file is no XLSX, or cannot be read further.
    pub fn next_row(&mut self) -> io::Result<Option<SheetRow>> {
        if self.is_finished {
            return Ok(None);
        }
        // A thread that ends without a result has failed.
        let row = self.rows.recv().unwrap_or_else(|_| Err(invalid(SheetError::Damaged)));
        self.is_finished = !matches!(row, Ok(Some(_)));
        row
    }
}

/// Visits the rows of the first sheet until `visit` returns false; returns why the file cannot be read.
fn read_first_sheet(file: File, visit: &mut dyn FnMut(SheetRow) -> bool) -> Result<(), SheetError> {
    let mut packed = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut packed).map_err(SheetError::Table)?;
    if packed.len() as u64 > MAX_FILE_BYTES {
        return Err(SheetError::Packed { max_bytes: MAX_FILE_BYTES });
    }
    check_archive(&packed, MAX_UNPACKED_BYTES)?;
    let mut workbook = Xlsx::<Cursor<Vec<u8>>>::new(Cursor::new(packed)).map_err(SheetError::Xlsx)?;
    let Some(first) = worksheets(&workbook).into_iter().next() else { return Ok(()) };
    let mut unbounded = u64::MAX;
    read_rows(&mut workbook, &first, &mut unbounded, visit).map_err(SheetError::Xlsx)
}

/// Returns whether the text of a cell is the error of a formula, such as `#N/A`.
pub fn is_cell_error(text: &str) -> bool {
    CELL_ERRORS.contains(&text.trim())
}

/// The rows of a sheet with its name.
pub(crate) type NamedRows = (String, Vec<SheetRow>);

/// Reads all sheets of a file. No more than these unpacked bytes, and rows of all sheets together.
pub(crate) fn read_workbook(file: &[u8], max_bytes: u64, max_rows: usize) -> Result<Vec<NamedRows>, SheetError> {
    check_archive(file, max_bytes)?;
    // The reader of sheets is not made for files that are damaged on purpose.
    panic::catch_unwind(|| read_sheets(file, max_bytes, max_rows)).unwrap_or(Err(SheetError::Damaged))
}

fn read_sheets(file: &[u8], max_bytes: u64, max_rows: usize) -> Result<Vec<NamedRows>, SheetError> {
    let mut workbook = Xlsx::<Cursor<&[u8]>>::new(Cursor::new(file)).map_err(SheetError::Xlsx)?;
    let mut sheets = Vec::new();
    let (mut left, mut bytes_left) = (max_rows, max_bytes);
    let names = worksheets(&workbook);
    if names.len() > MAX_SHEETS {
        return Err(SheetError::TooMany { limit: MAX_SHEETS, items: "sheets" });
    }
    for name in names {
        let mut rows = Vec::new();
        let mut is_cut = false;
        read_rows(&mut workbook, &name, &mut bytes_left, &mut |row| {
            is_cut = left == 0;
            left = left.saturating_sub(1);
            rows.push(row);
            !is_cut
        })
        .map_err(SheetError::Xlsx)?;
        if is_cut {
            return Err(SheetError::TooMany { limit: max_rows, items: "rows" });
        }
        sheets.push((name, rows));
    }
    Ok(sheets)
}

/// Returns the names of the sheets with cells; others have charts.
fn worksheets<R: Read + Seek>(workbook: &Xlsx<R>) -> Vec<String> {
    let sheets = workbook.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    sheets.map(|sheet| sheet.name.clone()).collect()
}

/// Visits the rows of a sheet until `visit` returns false. Many cells may share one text in the file, so the bytes of a row
/// and of all rows are bounded here as well.
fn read_rows<R: Read + Seek>(
    workbook: &mut Xlsx<R>,
    sheet: &str,
    bytes_left: &mut u64,
    visit: &mut dyn FnMut(SheetRow) -> bool,
) -> Result<(), XlsxError> {
    let mut cells = workbook.worksheet_cells_reader(sheet)?;
    let mut row = SheetRow { number: 0, cells: Vec::new() };
    let mut row_bytes = 0;
    while let Some(cell) = cells.next_cell()? {
        let (number, column) = cell.get_position();
        if column >= MAX_COLUMNS {
            return Err(XlsxError::ColumnNumberOverflow);
        }
        if number >= MAX_ROWS {
            return Err(XlsxError::RowNumberOverflow);
        }
        let number = number + 1;
        if number != row.number {
            let before = std::mem::replace(&mut row, SheetRow { number, cells: Vec::new() });
            row_bytes = 0;
            if !before.cells.is_empty() && !visit(before) {
                return Ok(());
            }
        }
        let bytes = match cell.get_value() {
            DataRef::Empty => EMPTY_CELL_BYTES,
            DataRef::SharedString(text) => CELL_BYTES + text.len(),
            DataRef::String(text) => CELL_BYTES + text.len(),
            _ => CELL_BYTES,
        };
        row_bytes += bytes as u64;
        let left = bytes_left.checked_sub(bytes as u64).filter(|_| row_bytes <= MAX_ROW_BYTES);
        *bytes_left = left.ok_or(XlsxError::Unexpected("its cells have more text than they may have"))?;
        let value = json_value(cell.get_value());
        if !value.is_null() {
            row.cells.push((column as usize, value));
        }
    }
    if !row.cells.is_empty() {
        visit(row);
    }
    Ok(())
}

fn json_value(cell: &DataRef<'_>) -> Value {
    match cell {
        DataRef::Int(number) => Value::from(*number),
        DataRef::Float(number) if number.fract() == 0.0 && number.abs() < MAX_EXACT_INTEGER => {
            Value::from(*number as i64)
        }
        DataRef::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text_value(text),
        DataRef::SharedString(text) => text_value(text),
        DataRef::Bool(value) => Value::from(*value),
        DataRef::DateTime(moment) => Value::from(date_text(moment)),
        DataRef::Error(error) => Value::from(error.to_string()),
        DataRef::Empty => Value::Null,
    }
}

fn text_value(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::from(text) }
}

/// Returns a date, with its time of the day unless that is midnight.
fn date_text(moment: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, millisecond) = moment.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (hour, minute, second, millisecond) {
        (0, 0, 0, 0) => date,
        (_, _, _, 0) => format!("{date}T{hour:02}:{minute:02}:{second:02}"),
        _ => format!("{date}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}"),
    }
}

fn invalid(error: SheetError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
