//! The rows of records, written as their values are found in the documents.

use std::io;

use cantata_engine::{Document, Hit, ValueRef};

use super::cell::{self, json};
use super::columns::DownloadColumn;
use super::file_format::FileFormat;
use super::file_type::FileType;
use super::layout::LayoutObject;
use super::table_sink::TableSink;

/// How many bytes are written at once.
pub(super) const CHUNK_BYTES: usize = 128 * 1024;

/// Writes the rows of records until a chunk is full.
pub(super) struct RowWriter<'p> {
    format: &'p FileFormat,
    out: &'p mut Vec<u8>,
    /// Where rows of a binary file go.
    sink: Option<&'p mut TableSink>,
    /// Why a row could not be written.
    error: Option<io::Error>,
    /// The values of the row, by slot.
    slots: Vec<Vec<ValueRef<'p>>>,
    id: &'p str,
    /// How many rows the file has so far.
    rows: u64,
    /// The row of the record that is next.
    next_row: usize,
    /// How many rows of the record are in an earlier chunk.
    skipped: usize,
    /// The first row of the record that did not fit.
    stopped: Option<usize>,
}

impl<'p> RowWriter<'p> {
    pub(super) fn new(
        format: &'p FileFormat,
        out: &'p mut Vec<u8>,
        sink: Option<&'p mut TableSink>,
        rows: u64,
    ) -> Self {
        let slots = vec![Vec::new(); format.layout.slot_depths.len()];
        Self { format, out, sink, error: None, slots, id: "", rows, next_row: 0, skipped: 0, stopped: None }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn is_full(&self) -> bool {
        self.error.is_some()
            || self.out.len() >= CHUNK_BYTES
            || self.format.max_rows.is_some_and(|max| self.rows >= max)
    }

    /// Returns why a row could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.error.map_or(Ok(()), Err)
    }

    /// Writes the rows of a record but those that were skipped; returns the first row that did not fit.
    pub(super) fn write_record(&mut self, hit: &'p Hit, skipped: usize) -> Option<usize> {
        (self.id, self.next_row, self.skipped, self.stopped) = (&hit.cursor.id, 0, skipped, None);
        let layout = &self.format.layout;
        let record = layout.record(hit.document.as_ref().map_or(ValueRef::Null, Document::root));
        if layout.row_depth > 0 || self.wants_row() {
            self.write_rows(&layout.root, None, record, 0);
        }
        self.stopped
    }

    fn wants_row(&mut self) -> bool {
        let row = self.next_row;
        self.next_row += 1;
        if row >= self.skipped && self.is_full() {
            self.stopped.get_or_insert(row);
        }
        row >= self.skipped && self.stopped.is_none()
    }

    fn write_rows(&mut self, object: &'p LayoutObject, slot: Option<usize>, node: ValueRef<'p>, depth: usize) {
        let layout = &self.format.layout;
        for (values, slot_depth) in self.slots.iter_mut().zip(&layout.slot_depths) {
            if *slot_depth >= depth {
                values.clear();
            }
        }
        if let Some(slot) = slot {
            self.slots[slot].push(node);
        }
        let mut containers = Vec::new();
        object.collect(node, &mut self.slots, &mut containers);
        if depth == layout.row_depth {
            self.write_row();
            return;
        }
        for (member, elements) in containers {
            elements.for_each_object(&mut |element| {
                if depth + 1 < layout.row_depth || self.wants_row() {
                    self.write_rows(&member.inner, member.slot, element, depth + 1);
                }
            });
        }
    }

    fn write_row(&mut self) {
        match self.format.file_type {
            FileType::Tsv | FileType::Csv => self.write_cells(),
            FileType::Json => {
                self.out.extend_from_slice(if self.rows == 0 { b"\n" } else { b",\n" });
                self.write_object();
            }
            FileType::JsonLines => {
                self.write_object();
                self.out.push(b'\n');
            }
            FileType::Parquet | FileType::Arrow | FileType::Xlsx => {
                if let Some(sink) = &mut self.sink {
                    self.error = sink.append_row(self.format, self.id, &self.slots).err();
                }
            }
        }
        self.rows += 1;
    }

    fn write_cells(&mut self) {
        let format = self.format;
        for (index, column) in format.columns.iter().enumerate() {
            if index > 0 {
                self.out.push(format.csv.get_delimiter());
            }
            let start = self.out.len();
            match values(column, &self.slots) {
                Some(values) => cell::write_values(self.out, values, &column.style, &format.csv),
                None => cell::write_text(self.out, self.id, &format.csv),
            }
            if self.out.len() == start {
                self.out.extend_from_slice(&format.empty_cell);
            }
        }
        self.out.extend_from_slice(format.file_type.line_end());
    }

    fn write_object(&mut self) {
        self.out.push(b'{');
        for (index, column) in self.format.columns.iter().enumerate() {
            self.out.extend_from_slice(&column.json_key[usize::from(index == 0)..]);
            match values(column, &self.slots) {
                Some(values) => write_json_values(self.out, values, column.is_list),
                None => json(self.out, &self.id),
            }
        }
        self.out.push(b'}');
    }
}

/// Returns the values of a column; `None` for the id of the record.
fn values<'p>(column: &DownloadColumn, slots: &[Vec<ValueRef<'p>>]) -> Option<impl Iterator<Item = ValueRef<'p>>> {
    column.slots.as_ref().map(|of_column| of_column.iter().flat_map(|slot| &slots[*slot]).copied())
}

/// Writes values as JSON: a single one as it is in the document, unless a list is wanted; several as a list.
fn write_json_values<'p>(out: &mut Vec<u8>, mut values: impl Iterator<Item = ValueRef<'p>>, is_list: bool) {
    let (first, second) = (values.next(), values.next());
    match (first, second, is_list) {
        (None, _, false) => out.extend_from_slice(b"null"),
        (Some(only), None, false) => json(out, &only),
        _ => {
            out.push(b'[');
            let mut is_first = true;
            first.into_iter().chain(second).chain(values).for_each(|value| write_elements(out, value, &mut is_first));
            out.push(b']');
        }
    }
}

/// Writes a value, or those of a list one by one.
fn write_elements(out: &mut Vec<u8>, value: ValueRef<'_>, is_first: &mut bool) {
    match value {
        ValueRef::Array(list) => list.for_each(|element| write_elements(out, element, is_first)),
        ValueRef::Null => {}
        value => {
            if !std::mem::take(is_first) {
                out.push(b',');
            }
            json(out, &value);
        }
    }
}
