//! The format of one file: its type, its columns, and where their values are in a document.

use super::cell::{self, json};
use super::columns::{CellStyle, ColumnSource, DownloadColumn};
use super::file_type::FileType;
use super::layout::ColumnLayout;

/// How a file is written.
pub(super) struct FileFormat {
    pub(super) file_type: FileType,
    /// The quoting rules of delimited files.
    pub(super) csv: csv_core::Writer,
    pub(super) layout: ColumnLayout,
    pub(super) columns: Vec<ColumnFormat>,
    /// A cell without a value, ready to be written.
    pub(super) empty_cell: Vec<u8>,
    pub(super) max_rows: Option<u64>,
}

pub(super) struct ColumnFormat {
    pub(super) label: String,
    /// The name in JSON with the separators before and after it.
    pub(super) json_key: Vec<u8>,
    /// The slots of the values; `None` for the id of the record.
    pub(super) slots: Option<Vec<usize>>,
    pub(super) is_list: bool,
    pub(super) style: CellStyle,
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
        let columns = columns.into_iter().enumerate().map(|(index, column)| {
            let mut json_key = if index == 0 { Vec::new() } else { vec![b','] };
            json(&mut json_key, &column.key);
            json_key.push(b':');
            let slots = match &column.source {
                ColumnSource::RecordId => None,
                ColumnSource::Paths(paths) => Some(paths.iter().map(|path| layout.slot(path)).collect()),
            };
            ColumnFormat { label: column.label, json_key, slots, is_list: column.is_list, style: column.style }
        });
        let columns = columns.collect();
        Self { file_type, csv, layout, columns, empty_cell, max_rows }
    }
}
