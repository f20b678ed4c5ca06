//! One file: records come in by pages, bytes go out by pieces.
//!
//! A piece ends soon after [`PIECE`] bytes, be it in the middle of the rows of one record, so that memory is bounded
//! by a page of records and one row, whatever the records expand to.

use cantata_engine::{Document, Hit, Node};

use super::cell::{self, json};
use super::columns::{CellStyle, Column, Source};
use super::file_type::FileType;
use super::layout::{Gathering, Layout, RowSink};

/// How many bytes are written at once.
pub(super) const PIECE: usize = 128 * 1024;

/// What a file looks like.
pub(super) struct FileShape {
    file_type: FileType,
    layout: Layout,
    columns: Vec<ShapedColumn>,
    /// What stands in a cell without a value, ready to be written.
    empty: Vec<u8>,
    /// How many rows there are at most; nothing for all.
    most_rows: Option<u64>,
}

struct ShapedColumn {
    label: String,
    /// The name in JSON with what stands before and after it.
    key: Vec<u8>,
    /// Where the values are gathered; nothing for the id of the record.
    slots: Option<Vec<usize>>,
    is_list: bool,
    style: CellStyle,
}

impl FileShape {
    pub(super) fn new(
        file_type: FileType,
        mut layout: Layout,
        columns: Vec<Column>,
        value_when_empty: &str,
        most_rows: Option<u64>,
    ) -> Self {
        let mut empty = Vec::new();
        cell::write_text(&mut empty, value_when_empty, delimiter(file_type));
        let shaped = columns.into_iter().enumerate().map(|(place, column)| {
            let mut key = if place == 0 { Vec::new() } else { vec![b','] };
            json(&mut key, &column.key);
            key.push(b':');
            let slots = match &column.source {
                Source::RecordId => None,
                Source::Paths(paths) => Some(paths.iter().map(|path| layout.slot(path)).collect()),
            };
            ShapedColumn { label: column.label, key, slots, is_list: column.is_list, style: column.style }
        });
        let columns = shaped.collect();
        Self { file_type, layout, columns, empty, most_rows }
    }
}

/// A file that is being written.
pub(super) struct FileWriter {
    shape: FileShape,
    page: Vec<Hit>,
    /// The record of the page that is next, and which of its rows.
    next: (usize, usize),
    /// How many rows there are so far.
    rows: u64,
}

impl FileWriter {
    pub(super) fn new(shape: FileShape) -> Self {
        Self { shape, page: Vec::new(), next: (0, 0), rows: 0 }
    }

    /// Takes the next records.
    pub(super) fn take_page(&mut self, page: Vec<Hit>) {
        self.page = page;
        self.next = (0, 0);
    }

    /// Returns whether the records at hand are written.
    pub(super) fn needs_page(&self) -> bool {
        self.next.0 >= self.page.len()
    }

    /// Returns whether there may be no more rows.
    pub(super) fn is_full(&self) -> bool {
        self.shape.most_rows.is_some_and(|most| self.rows >= most)
    }

    /// Writes what stands before the first row.
    pub(super) fn begin(&self, out: &mut Vec<u8>) {
        match self.shape.file_type {
            FileType::Tsv | FileType::Csv => {
                let delimiter = delimiter(self.shape.file_type);
                for (place, column) in self.shape.columns.iter().enumerate() {
                    if place > 0 {
                        out.push(delimiter);
                    }
                    cell::write_text(out, &column.label, delimiter);
                }
                out.extend_from_slice(line_end(self.shape.file_type));
            }
            FileType::Json => out.push(b'['),
            FileType::JsonLines => {}
        }
    }

    /// Writes rows of the records at hand until there is enough for a piece.
    pub(super) fn fill(&mut self, out: &mut Vec<u8>) {
        let mut gathering = Gathering::new(&self.shape.layout);
        while out.len() < PIECE && !self.needs_page() && !self.is_full() {
            let (place, skipped) = self.next;
            let hit = &self.page[place];
            let mut rows =
                Rows { shape: &self.shape, out, id: &hit.cursor.id, rows: self.rows, seen: 0, skipped, stopped: None };
            let document = hit.document.as_ref().map_or(Node::Null, Document::root);
            gathering.document(document, &mut rows);
            let (stopped, written) = (rows.stopped, rows.rows);
            self.rows = written;
            self.next = stopped.map_or((place + 1, 0), |row| (place, row));
        }
    }

    /// Writes what stands after the last row.
    pub(super) fn end(&self, out: &mut Vec<u8>) {
        if self.shape.file_type == FileType::Json {
            out.extend_from_slice(b"\n]\n");
        }
    }
}

/// Writes the rows of one record.
struct Rows<'w> {
    shape: &'w FileShape,
    out: &'w mut Vec<u8>,
    id: &'w str,
    /// How many rows the file has so far.
    rows: u64,
    /// How many rows of the record were offered.
    seen: usize,
    /// How many of them were written before.
    skipped: usize,
    /// The first row that did not fit any more.
    stopped: Option<usize>,
}

impl<'p> RowSink<'p> for Rows<'_> {
    fn wants_row(&mut self) -> bool {
        let row = self.seen;
        self.seen += 1;
        let is_enough = self.out.len() >= PIECE || self.shape.most_rows.is_some_and(|most| self.rows >= most);
        if row >= self.skipped && is_enough {
            self.stopped.get_or_insert(row);
        }
        row >= self.skipped && self.stopped.is_none()
    }

    fn row(&mut self, slots: &[Vec<Node<'p>>]) {
        match self.shape.file_type {
            FileType::Tsv | FileType::Csv => self.text_row(slots),
            FileType::Json => {
                self.out.extend_from_slice(if self.rows == 0 { b"\n" } else { b",\n" });
                self.object(slots);
            }
            FileType::JsonLines => {
                self.object(slots);
                self.out.push(b'\n');
            }
        }
        self.rows += 1;
    }
}

impl Rows<'_> {
    fn text_row(&mut self, slots: &[Vec<Node<'_>>]) {
        let delimiter = delimiter(self.shape.file_type);
        for (place, column) in self.shape.columns.iter().enumerate() {
            if place > 0 {
                self.out.push(delimiter);
            }
            let start = self.out.len();
            match &column.slots {
                Some(places) => {
                    let values = places.iter().flat_map(|slot| &slots[*slot]).copied();
                    cell::write_values(self.out, values, &column.style, delimiter);
                }
                None => cell::write_text(self.out, self.id, delimiter),
            }
            if self.out.len() == start {
                self.out.extend_from_slice(&self.shape.empty);
            }
        }
        self.out.extend_from_slice(line_end(self.shape.file_type));
    }

    fn object(&mut self, slots: &[Vec<Node<'_>>]) {
        self.out.push(b'{');
        for column in &self.shape.columns {
            self.out.extend_from_slice(&column.key);
            match &column.slots {
                Some(places) => {
                    let values = places.iter().flat_map(|slot| &slots[*slot]).copied();
                    json_values(self.out, values, column.is_list);
                }
                None => json(self.out, &self.id),
            }
        }
        self.out.push(b'}');
    }
}

/// Writes values as JSON: one as it stands in the document, unless there is to be a list; several as a list.
fn json_values<'p>(out: &mut Vec<u8>, mut values: impl Iterator<Item = Node<'p>>, is_list: bool) {
    let (first, second) = (values.next(), values.next());
    match (first, second, is_list) {
        (None, _, false) => out.extend_from_slice(b"null"),
        (Some(only), None, false) => json(out, &only),
        _ => {
            out.push(b'[');
            let mut is_first = true;
            first.into_iter().chain(second).chain(values).for_each(|value| elements(out, value, &mut is_first));
            out.push(b']');
        }
    }
}

/// Writes a value, or those of a list one by one.
fn elements(out: &mut Vec<u8>, value: Node<'_>, is_first: &mut bool) {
    match value {
        Node::Array(list) => list.for_each(|element| elements(out, element, is_first)),
        Node::Null => {}
        value => {
            if !std::mem::take(is_first) {
                out.push(b',');
            }
            json(out, &value);
        }
    }
}

fn delimiter(file_type: FileType) -> u8 {
    if file_type == FileType::Csv { b',' } else { b'\t' }
}

fn line_end(file_type: FileType) -> &'static [u8] {
    if file_type == FileType::Csv { b"\r\n" } else { b"\n" }
}
