//! Why a file is not read as sheets. The texts complete a sentence about the file.

use std::io;

use calamine::XlsxError;

/// Why sheets cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    /// It is no archive, or not a plain one.
    #[error("it is no XLSX file")]
    NotXlsx,
    /// An entry of the archive is neither stored nor deflated.
    #[error("it is packed in a way that XLSX files are not")]
    Compression,
    /// The file is larger than it may be.
    #[error("it has more than {} MB", .max_bytes >> 20)]
    Packed {
        /// How many bytes it may have.
        max_bytes: u64,
    },
    /// The archive is larger than it may be.
    #[error("it has more than {} MB when it is unpacked", .max_bytes >> 20)]
    Unpacked {
        /// How many unpacked bytes it may have.
        max_bytes: u64,
    },
    /// The texts, which are in memory while it is read, are larger than they may be.
    #[error("it has more than {} MB of texts", .max_bytes >> 20)]
    Texts {
        /// How many bytes the texts may have.
        max_bytes: u64,
    },
    /// The reader of cells would not understand a part as it was checked.
    #[error("it has a part that is not in UTF-8")]
    Encoding,
    /// Room would be made for texts that are not there.
    #[error("it says that it has more texts than it has bytes")]
    TextCount,
    /// Every cell format would have a copy of long names.
    #[error("its styles are too large; copy the cells to a new file, or to the template")]
    Styles,
    /// The reader of cells has panicked.
    #[error("it is damaged")]
    Damaged,
    /// The reader of cells has failed.
    #[error("it cannot be read: {0}")]
    Xlsx(#[source] XlsxError),
    /// The reader of tables has failed.
    #[error("it cannot be read: {0}")]
    Table(#[source] io::Error),
    /// It is not the JSON of sheets.
    #[error("it is no JSON with sheets: {0}")]
    Json(#[source] serde_json::Error),
    /// A table has no header.
    #[error("it is empty; the first line must have the names of the columns")]
    Empty,
    /// It has more of something than it may have.
    #[error("it has more than {limit} {items}")]
    TooMany {
        /// How many it may have.
        limit: usize,
        /// Sheets, rows or cells.
        items: &'static str,
    },
    /// A cell is beyond the header of its sheet.
    #[error("sheet '{sheet}' has a cell in {cell}, but no column there: the first row has {width} names")]
    CellWithoutColumn {
        /// The name of the sheet.
        sheet: String,
        /// The cell as a spreadsheet shows it.
        cell: String,
        /// How many columns the sheet has.
        width: usize,
    },
    /// A line of a table is longer than its header.
    #[error("line {line} has {cells} cells, but the first line has {width} names")]
    LongLine {
        /// The number of the line.
        line: u32,
        /// How many cells it has.
        cells: usize,
        /// How many columns the table has.
        width: usize,
    },
}
