//! One file: records come in by pages, bytes go out by chunks.
//!
//! A chunk ends soon after `CHUNK_BYTES`, possibly between two rows of one record, so memory is bounded by a page of
//! records and one row.

use std::io;

use cantata_engine::Hit;

use super::cell;
use super::file_format::FileFormat;
use super::file_type::FileType;
use super::row_writer::RowWriter;
use super::table_sink::TableSink;

/// A file that is being written.
pub(super) struct FileWriter {
    format: FileFormat,
    page: Vec<Hit>,
    /// The record of the page that is next, and the first of its rows that is not written.
    next: (usize, usize),
    rows: u64,
    /// Where rows of a binary file go; there once the file is begun.
    sink: Option<TableSink>,
}

impl FileWriter {
    pub(super) fn new(format: FileFormat) -> Self {
        Self { format, page: Vec::new(), next: (0, 0), rows: 0, sink: None }
    }

    pub(super) fn take_page(&mut self, page: Vec<Hit>) {
        self.page = page;
        self.next = (0, 0);
    }

    /// Returns whether all records of the page are written.
    pub(super) fn needs_page(&self) -> bool {
        self.next.0 >= self.page.len()
    }

    /// Returns whether the file has as many rows as it may have.
    pub(super) fn is_full(&self) -> bool {
        self.format.max_rows.is_some_and(|max| self.rows >= max)
    }

    /// Writes what precedes the first row.
    pub(super) fn begin(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        self.sink = TableSink::new(&self.format)?;
        let format = &self.format;
        match format.file_type {
            FileType::Tsv | FileType::Csv => {
                for (index, column) in format.columns.iter().enumerate() {
                    if index > 0 {
                        out.push(format.csv.get_delimiter());
                    }
                    cell::write_text(out, &column.label, &format.csv);
                }
                out.extend_from_slice(format.file_type.line_end());
            }
            FileType::Json => out.push(b'['),
            FileType::JsonLines | FileType::Parquet | FileType::Arrow | FileType::Xlsx => {}
        }
        Ok(())
    }

    /// Writes rows of the page until a chunk is full.
    pub(super) fn fill(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut writer = RowWriter::new(&self.format, out, self.sink.as_mut(), self.rows);
        while let Some(hit) = self.page.get(self.next.0).filter(|_| !writer.is_full()) {
            self.next = match writer.write_record(hit, self.next.1) {
                Some(row) => (self.next.0, row),
                None => (self.next.0 + 1, 0),
            };
        }
        self.rows = writer.rows();
        writer.finish()?;
        if let Some(sink) = &mut self.sink {
            sink.take_bytes(out);
        }
        Ok(())
    }

    /// Writes some of what follows the last row; returns whether that was all.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        if self.format.file_type == FileType::Json {
            out.extend_from_slice(b"\n]\n");
        }
        self.sink.as_mut().map_or(Ok(true), |sink| sink.end(out))
    }
}
