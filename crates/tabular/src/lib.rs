//! Tables in the formats that people have: CSV, TSV, XLSX, Parquet and Arrow.
//!
//! Writers take rows and give bytes a chunk at a time; readers give rows one at a time. Memory is bounded by a batch, a
//! row group or a row, whatever the length of a table. What a table is about, where it comes from and where it goes is
//! unknown here.

mod column;
mod columnar;
mod delimited;
mod parquet_reader;
mod settled_batches;
mod sheet;
mod sheet_error;
mod spreadsheet;
mod xlsx_archive;
mod xlsx_reader;

pub use column::{CellRef, Column, ColumnBuilder, ColumnType};
pub use columnar::{ColumnarEnd, ColumnarFormat, ColumnarWriter};
pub use delimited::DelimitedReader;
pub use parquet_reader::{ParquetReader, json_row};
pub use sheet::{
    FilledSheets, LayoutError, Sheet, SheetColumn, SheetLayout, SheetLine, SheetViolation, check_sheets,
    read_delimited_sheet, read_xlsx_sheets,
};
pub use sheet_error::SheetError;
pub use spreadsheet::{MAX_SHEET_ROWS, SpreadsheetWriter};
pub use xlsx_reader::{SheetRow, XlsxReader, is_cell_error};
