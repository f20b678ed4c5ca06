//! What rows of a binary file are written to: a columnar file that grows, or a sheet that is sent when it is complete.

use std::io::{self, Read};

use cantata_engine::ValueRef;
use cantata_tabular::{CellRef, ColumnarEnd, ColumnarFormat, ColumnarWriter, SpreadsheetWriter};
use tempfile::SpooledTempFile;

use super::cell;
use super::columns::DownloadColumn;
use super::file_format::FileFormat;
use super::file_type::FileType;
use super::row_writer::CHUNK_BYTES;

/// A binary file that is being written.
pub(super) enum TableSink {
    Columnar(Box<ColumnarWriter>),
    /// A columnar file with all its rows.
    ColumnarEnd(Box<ColumnarEnd>),
    Sheet(Box<SpreadsheetWriter>),
    /// A complete file, of which a part is sent.
    Complete(SpooledTempFile),
    Sent,
}

impl TableSink {
    /// Begins a file, if its type is a binary one.
    pub(super) fn new(format: &FileFormat) -> io::Result<Option<Self>> {
        let columnar = match format.file_type {
            FileType::Parquet => ColumnarFormat::Parquet,
            FileType::Arrow => ColumnarFormat::Arrow,
            FileType::Xlsx => {
                let labels = format.columns.iter().map(|column| column.label.as_str());
                return Ok(Some(Self::Sheet(Box::new(SpreadsheetWriter::new(labels)?))));
            }
            FileType::Tsv | FileType::Csv | FileType::Json | FileType::JsonLines => return Ok(None),
        };
        Ok(Some(Self::Columnar(Box::new(ColumnarWriter::new(columnar, &format.columnar.columns)?))))
    }

    pub(super) fn append_row(&mut self, format: &FileFormat, id: &str, slots: &[Vec<ValueRef<'_>>]) -> io::Result<()> {
        match self {
            Self::Columnar(writer) => {
                format.columnar.append_row(writer.builders(), id, slots);
                writer.end_row()
            }
            Self::Sheet(writer) => {
                for column in &format.columns {
                    append_cell(writer, column, id, slots)?;
                }
                writer.end_row();
                Ok(())
            }
            Self::ColumnarEnd(_) | Self::Complete(_) | Self::Sent => Ok(()),
        }
    }

    /// Writes the bytes that are complete.
    pub(super) fn take_bytes(&mut self, out: &mut Vec<u8>) {
        if let Self::Columnar(writer) = self {
            out.append(&mut writer.take_bytes());
        }
    }

    /// Writes some of what follows the last row; returns whether that was all.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        match std::mem::replace(self, Self::Sent) {
            Self::Columnar(writer) => {
                *self = Self::ColumnarEnd(Box::new(writer.finish()?));
                Ok(false)
            }
            Self::ColumnarEnd(mut end) => {
                let Some(piece) = end.next() else { return Ok(true) };
                out.append(&mut piece?);
                *self = Self::ColumnarEnd(end);
                Ok(false)
            }
            Self::Sheet(writer) => {
                *self = Self::Complete(writer.finish()?);
                Ok(false)
            }
            Self::Complete(mut file) => {
                let read = file.by_ref().take(CHUNK_BYTES as u64).read_to_end(out)?;
                if read > 0 {
                    *self = Self::Complete(file);
                }
                Ok(read == 0)
            }
            Self::Sent => Ok(true),
        }
    }
}

/// Writes a cell of a sheet: a single number or truth value as it is, everything else as in delimited files.
fn append_cell(
    writer: &mut SpreadsheetWriter,
    column: &DownloadColumn,
    id: &str,
    slots: &[Vec<ValueRef<'_>>],
) -> io::Result<()> {
    let Some(of_column) = &column.slots else { return writer.append(CellRef::Text(id)) };
    let mut values = of_column.iter().flat_map(|slot| &slots[*slot]).copied();
    let is_plain = column.style.date.is_none() && column.style.display_values.is_empty();
    match (values.next(), values.next()) {
        (None, _) => writer.append(CellRef::Null),
        (Some(ValueRef::Bool(value)), None) if is_plain => writer.append(CellRef::Boolean(value)),
        (Some(ValueRef::Integer(value)), None) if is_plain => writer.append(CellRef::Integer(value)),
        (Some(ValueRef::Double(value)), None) if is_plain => writer.append(CellRef::Double(value)),
        (first, second) => {
            let mut text = Vec::new();
            cell::write_plain_values(&mut text, first.into_iter().chain(second).chain(values), &column.style);
            writer.append(CellRef::Text(&String::from_utf8_lossy(&text)))
        }
    }
}
