//! Tables (CSV and TSV) as documents: a row becomes an object with a member for each cell that is not empty.
//!
//! A table is read twice. The first reading decides the type of each column by all its cells; the second writes the rows
//! as lines of JSON, each at the number that its row has in the file, so that whatever is said of a line is true of the
//! table.

use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use cantata_core::Timestamp;
use cantata_json_stream::MAX_DOCUMENT_BYTES;
use cantata_tabular::DelimitedReader;
use serde_json::{Map, Number, Value, json};

use super::source::Source;
use crate::error::CliError;
use crate::terminal::print_note;

/// Texts up to this length, in bytes, are found by their whole value alone.
const MAX_KEYWORD_BYTES: usize = 256;

/// The column with the ids of documents, which is no field.
const DOCUMENT_ID: &str = "_id";

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Boolean,
    Long,
    Double,
    Date,
    Keyword,
    Text,
}

/// A column with its type.
#[derive(Debug)]
struct Column {
    name: String,
    /// Nothing if all its cells are empty.
    kind: Option<ColumnType>,
    /// Whether the command line gives the type.
    is_given: bool,
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct TableLayout {
    delimiter: u8,
    columns: Vec<Column>,
}

/// The rows that could not be read: the line of each, and why.
pub(super) type RowProblems = Arc<Mutex<Vec<(u64, String)>>>;

impl ColumnType {
    const NAMES: [(&'static str, ColumnType); 6] = [
        ("boolean", Self::Boolean),
        ("long", Self::Long),
        ("double", Self::Double),
        ("date", Self::Date),
        ("keyword", Self::Keyword),
        ("text", Self::Text),
    ];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("keyword", |(name, _)| name)
    }

    /// Returns the narrowest type of a cell.
    fn of_cell(cell: &str) -> Self {
        if cell.eq_ignore_ascii_case("true") || cell.eq_ignore_ascii_case("false") {
            Self::Boolean
        } else if long(cell).is_some() {
            Self::Long
        } else if double(cell).is_some() {
            Self::Double
        } else if is_date(cell) {
            Self::Date
        } else if cell.len() <= MAX_KEYWORD_BYTES {
            Self::Keyword
        } else {
            Self::Text
        }
    }

    /// Returns the type that has the values of both.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            (Self::Long, Self::Double) | (Self::Double, Self::Long) => Self::Double,
            (Self::Text, _) | (_, Self::Text) => Self::Text,
            _ => Self::Keyword,
        }
    }

    fn mapping(self) -> Value {
        match self {
            Self::Text => json!({"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}),
            other => json!({ "type": other.name() }),
        }
    }

    /// Returns a cell as a value; what is not of the type stays a text, which the index rejects with its reason.
    fn value(self, cell: &str) -> Value {
        let typed = match self {
            Self::Boolean if cell.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            Self::Boolean if cell.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            Self::Long => long(cell).map(Value::from),
            Self::Double => double(cell).map(Value::Number),
            _ => None,
        };
        typed.unwrap_or_else(|| Value::from(cell))
    }
}

/// Reads a whole number; one with zeros in front, such as `007`, is a name.
fn long(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_plain = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
    cell.parse::<i64>().ok().filter(|_| is_plain)
}

fn double(cell: &str) -> Option<Number> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_padded = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    cell.parse::<f64>().ok().filter(|_| is_number && !is_padded).and_then(Number::from_f64)
}

/// Returns whether a cell is a date such as `2024-05-31`, or a moment such as `2024-05-31T12:00:00Z`.
fn is_date(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    bytes.get(4) == Some(&b'-')
        && bytes.get(7) == Some(&b'-')
        && bytes.get(10).is_none_or(|separator| *separator == b'T')
        && cell.strip_suffix('Z').unwrap_or(cell).parse::<Timestamp>().is_ok()
}

/// Parses the type of a column on the command line, such as `age=long`.
pub(crate) fn column_type(text: &str) -> Result<(String, ColumnType), String> {
    let (column, name) = text.rsplit_once('=').ok_or("expected a column and its type, such as age=long")?;
    match ColumnType::NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, kind)) => Ok((column.to_owned(), *kind)),
        None => {
            let names = ColumnType::NAMES.map(|(name, _)| name);
            Err(format!("found the type '{name}', expected one of {}", names.join(", ")))
        }
    }
}

/// Examines the tables among the sources, and returns the mapping that holds their rows; nothing if there are none.
pub(super) fn examine(sources: &mut [Source], given: &[(String, ColumnType)]) -> Result<Option<Value>, CliError> {
    let mut properties = Map::new();
    let mut unused: HashSet<&str> = given.iter().map(|(column, _)| column.as_str()).collect();
    for source in sources.iter_mut() {
        let Some(delimiter) = source.delimiter() else { continue };
        let unusable = |reason: String| CliError::failed(format!("{}: {reason}", source.name));
        let layout = read_layout(source, delimiter, given).map_err(unusable)?;
        for column in &layout.columns {
            unused.remove(column.name.as_str());
            if column.name == DOCUMENT_ID {
                continue;
            }
            let kind = column.kind.unwrap_or(ColumnType::Keyword);
            let mapping = match properties.get(&column.name) {
                Some(known) if *known != kind.mapping() => ColumnType::Keyword.mapping(),
                _ => kind.mapping(),
            };
            properties.insert(column.name.clone(), mapping);
        }
        print_note(format_args!("{}: {}", source.name, layout.summary()));
        source.table = Some(Arc::new(layout));
    }
    match unused.into_iter().next() {
        Some(column) => Err(CliError::setting(format!("--type: no table has a column '{column}'"))),
        None => Ok((!properties.is_empty()).then(|| json!({ "properties": properties }))),
    }
}

/// Reads the names of the columns and all cells.
fn read_layout(source: &Source, delimiter: u8, given: &[(String, ColumnType)]) -> Result<TableLayout, String> {
    let failed = |error: io::Error| format!("cannot be read: {error}");
    let input = source.open(Arc::new(AtomicU64::new(0))).map_err(failed)?;
    let mut records = DelimitedReader::new(input, delimiter, MAX_DOCUMENT_BYTES);
    if !records.advance().map_err(failed)? {
        return Err("is empty; expected a first line with the names of the columns".to_owned());
    }
    let mut columns: Vec<Column> = Vec::new();
    for (index, name) in records.cells().enumerate() {
        let name = name.trim().trim_start_matches('\u{feff}').to_owned();
        if name.is_empty() {
            return Err(format!("column {} has no name in the first line", index + 1));
        }
        if columns.iter().any(|column| column.name == name) {
            return Err(format!("two columns are called '{name}'"));
        }
        let kind = given.iter().find(|(column, _)| *column == name).map(|(_, kind)| *kind);
        let kind = if name == DOCUMENT_ID { Some(ColumnType::Keyword) } else { kind };
        columns.push(Column { name, kind, is_given: kind.is_some() });
    }
    while records.advance().map_err(failed)? {
        for (column, cell) in columns.iter_mut().zip(records.cells()) {
            let cell = cell.trim();
            if !cell.is_empty() && !column.is_given {
                let kind = ColumnType::of_cell(cell);
                column.kind = Some(column.kind.map_or(kind, |known| known.join(kind)));
            }
        }
    }
    Ok(TableLayout { delimiter, columns })
}

impl TableLayout {
    /// Returns the columns with their types, for people.
    fn summary(&self) -> String {
        let say = |column: &Column| format!("{} {}", column.name, column.kind.map_or("empty", ColumnType::name));
        self.columns.iter().map(say).collect::<Vec<_>>().join(", ")
    }
}

/// The rows of a table as lines of JSON.
pub(super) struct DocumentLines {
    records: DelimitedReader,
    layout: Arc<TableLayout>,
    problems: RowProblems,
    /// The lines that are not read yet.
    pending: Vec<u8>,
    read: usize,
    /// How many lines were written.
    lines: u64,
    has_header: bool,
}

impl DocumentLines {
    pub(super) fn new(table: Box<dyn Read + Send>, layout: Arc<TableLayout>, problems: RowProblems) -> Self {
        let records = DelimitedReader::new(table, layout.delimiter, MAX_DOCUMENT_BYTES);
        Self { records, layout, problems, pending: Vec::new(), read: 0, lines: 0, has_header: false }
    }

    /// Writes the next row; returns false at the end of the table.
    fn write_row(&mut self) -> io::Result<bool> {
        if !self.records.advance()? {
            return Ok(false);
        }
        let line = self.records.line();
        if !self.has_header {
            self.has_header = true;
            return Ok(true);
        }
        let (found, expected) = (self.records.cells().count(), self.layout.columns.len());
        if found != expected {
            let reason = format!("found {found} cells, expected {expected}, one for each column");
            self.problems.lock().unwrap_or_else(PoisonError::into_inner).push((line, reason));
            return Ok(true);
        }
        let mut document = Map::new();
        for (column, cell) in self.layout.columns.iter().zip(self.records.cells()) {
            let cell = cell.trim();
            if !cell.is_empty() {
                document.insert(column.name.clone(), column.kind.unwrap_or(ColumnType::Keyword).value(cell));
            }
        }
        while self.lines + 1 < line {
            self.pending.push(b'\n');
            self.lines += 1;
        }
        serde_json::to_writer(&mut self.pending, &document).map_err(io::Error::from)?;
        self.pending.push(b'\n');
        self.lines += 1;
        Ok(true)
    }
}

impl Read for DocumentLines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.pending.len() {
            self.pending.clear();
            self.read = 0;
            if !self.write_row()? {
                return Ok(0);
            }
        }
        let length = buffer.len().min(self.pending.len() - self.read);
        buffer[..length].copy_from_slice(&self.pending[self.read..self.read + length]);
        self.read += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_narrowest_type() {
        for (cell, kind) in [
            ("True", ColumnType::Boolean),
            ("0", ColumnType::Long),
            ("-12", ColumnType::Long),
            ("007", ColumnType::Keyword),
            ("0.50", ColumnType::Double),
            ("1e-3", ColumnType::Double),
            ("-.5", ColumnType::Double),
            ("00.5", ColumnType::Keyword),
            ("inf", ColumnType::Keyword),
            ("1-2", ColumnType::Keyword),
            ("99999999999999999999", ColumnType::Double),
            ("2024-02-29", ColumnType::Date),
            ("2024-02-30", ColumnType::Keyword),
            ("2024-02-29T12:00:00Z", ColumnType::Date),
            ("2024-02-29 12:00", ColumnType::Keyword),
            ("Lung", ColumnType::Keyword),
        ] {
            assert_eq!(ColumnType::of_cell(cell), kind, "{cell}");
        }
        assert_eq!(ColumnType::of_cell(&"x".repeat(300)), ColumnType::Text);
    }

    #[test]
    fn a_column_has_the_type_of_all_its_cells() {
        assert_eq!(ColumnType::Long.join(ColumnType::Double), ColumnType::Double);
        assert_eq!(ColumnType::Long.join(ColumnType::Date), ColumnType::Keyword);
        assert_eq!(ColumnType::Date.join(ColumnType::Text), ColumnType::Text);
        assert_eq!(ColumnType::Long.value("x"), json!("x"));
        assert_eq!(column_type("a=b=long"), Ok(("a=b".to_owned(), ColumnType::Long)));
        assert!(column_type("age").is_err() && column_type("age=int").is_err());
    }
}
