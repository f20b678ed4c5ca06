//! The format of one file: its type, its columns, and where their values are in a document.

use super::cell;
use super::columnar::ColumnarLayout;
use super::columns::DownloadColumn;
use super::file_type::FileType;
use super::layout::ColumnLayout;

/// How a file is written.
pub(super) struct FileFormat {
    pub(super) file_type: FileType,
    /// The quoting rules of delimited files.
    pub(super) csv: csv_core::Writer,
    pub(super) layout: ColumnLayout,
    pub(super) columns: Vec<DownloadColumn>,
    /// The columns of a columnar file; of others none.
    pub(super) columnar: ColumnarLayout,
    /// A cell without a value, ready to be written.
    pub(super) empty_cell: Vec<u8>,
    pub(super) max_rows: Option<u64>,
}

impl FileFormat {
    pub(super) fn new(
        file_type: FileType,
        mut layout: ColumnLayout,
        columns: Vec<DownloadColumn>,
        value_when_empty: &str,
        max_rows: Option<u64>,
    ) -> Self {
        let csv = csv_core::WriterBuilder::new().delimiter(file_type.delimiter()).build();
        let mut empty_cell = Vec::new();
        cell::write_text(&mut empty_cell, value_when_empty, &csv);
        if empty_cell.is_empty() && columns.len() == 1 {
            // Readers skip empty lines, and would lose the row.
            empty_cell.extend_from_slice(b"\"\"");
        }
        let columnar = match file_type.is_columnar() {
            true => ColumnarLayout::new(&columns, &mut layout),
            false => ColumnarLayout::default(),
        };
        Self { file_type, csv, layout, columns, columnar, empty_cell, max_rows }
    }
}
