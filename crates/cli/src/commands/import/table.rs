//! Tables (CSV, TSV, XLSX and Parquet) as documents: a row becomes an object with a member for each cell that is not
//! empty.
//!
//! A table is read twice. The first reading decides the type of each column by all its cells; the second writes the rows
//! as lines of JSON, each at the number that its row has in the file, so that whatever is said of a line is true of the
//! table. Columns of Parquet may be lists and objects: a list of objects is nested.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use cantata_mapping::join_path;
use serde_json::{Map, Value, json};

use super::column_type::ColumnType;
use super::source::Source;
use super::table_rows::{TableError, TableFormat, TableRow, TableRows};
use crate::error::CliError;
use crate::terminal::print_note;

/// The column with the ids of documents, which is no field.
const DOCUMENT_ID: &str = "_id";

/// A column, or a member of objects in one.
#[derive(Debug)]
struct Column {
    name: String,
    /// Nothing if all its cells are empty, or objects.
    kind: Option<ColumnType>,
    /// Whether the command line gives the type.
    is_given: bool,
    /// Whether a cell is a list of objects.
    is_nested: bool,
    /// The members of its objects.
    members: Vec<Column>,
}

/// The columns of a table.
#[derive(Debug)]
pub(super) struct TableLayout {
    pub(super) format: TableFormat,
    columns: Vec<Column>,
}

/// The rows that could not be read: the line of each, and why.
pub(super) type RowProblems = Arc<Mutex<Vec<(u64, String)>>>;

/// The cells that are the same error of a formula.
struct CellErrors {
    count: u64,
    /// Where the first of them is.
    column: String,
    line: u64,
}

/// What the cells of a table say of its columns.
struct Inference<'g> {
    given: &'g [(String, ColumnType)],
    /// Whether texts are known to be texts, whatever they look like.
    has_typed_texts: bool,
}

/// Examines the tables among the sources, and returns the mapping that holds their rows; nothing if there are none.
pub(super) fn examine(sources: &mut [Source], given: &[(String, ColumnType)]) -> Result<Option<Value>, CliError> {
    let mut properties = Map::new();
    let mut unused: HashSet<&str> = given.iter().map(|(column, _)| column.as_str()).collect();
    for source in sources.iter_mut() {
        let Some(format) = source.table_format() else { continue };
        let unusable = |error: TableError| CliError::failed(format!("{}: {error}", source.name));
        let (layout, errors) = read_layout(source, format, given).map_err(unusable)?;
        for (error, CellErrors { count, column, line }) in errors {
            let first = format!("the first in column '{column}', line {line}");
            print_note(format_args!("{}: {count} cells are {error}, {first}; they are left empty", source.name));
        }
        for column in &layout.columns {
            column.visit_paths("", &mut |path| {
                unused.remove(path);
            });
            if column.name == DOCUMENT_ID {
                continue;
            }
            let mapping = match properties.get(&column.name) {
                Some(known) if *known != column.mapping() && column.members.is_empty() => ColumnType::Keyword.mapping(),
                _ => column.mapping(),
            };
            properties.insert(column.name.clone(), mapping);
        }
        print_note(format_args!("{}: {}", source.name, summary(&layout.columns)));
        source.table = Some(Arc::new(layout));
    }
    match unused.into_iter().next() {
        Some(column) => Err(CliError::setting(format!("--type: no table has a column '{column}'"))),
        None => Ok((!properties.is_empty()).then(|| json!({ "properties": properties }))),
    }
}

/// Reads the names of the columns and all cells; returns also the errors of formulas.
fn read_layout(
    source: &Source,
    format: TableFormat,
    given: &[(String, ColumnType)],
) -> Result<(TableLayout, BTreeMap<String, CellErrors>), TableError> {
    let mut rows = TableRows::open(source, format, Arc::new(AtomicU64::new(0)))?;
    let inference = Inference { given, has_typed_texts: format == TableFormat::Parquet };
    let mut columns: Vec<Column> = rows.names.iter().map(|name| inference.column("", name)).collect();
    let mut errors = BTreeMap::new();
    while let Some(row) = rows.next_row()? {
        for (column, error) in row.errors {
            let same = errors.entry(error).or_insert_with(|| CellErrors { count: 0, column, line: row.line });
            same.count += 1;
        }
        if let Ok(cells) = row.cells {
            inference.add_members(&mut columns, "", &cells);
        }
    }
    Ok((TableLayout { format, columns }, errors))
}

impl Inference<'_> {
    /// Returns a column of which nothing is known but what the command line says.
    fn column(&self, parent: &str, name: &str) -> Column {
        let path = join_path(parent, name);
        let kind = self.given.iter().find(|(column, _)| *column == path).map(|(_, kind)| *kind);
        let kind = if path == DOCUMENT_ID { Some(ColumnType::Keyword) } else { kind };
        Column { name: name.to_owned(), kind, is_given: kind.is_some(), is_nested: false, members: Vec::new() }
    }

    /// Takes the cells of a row, or the members of an object, into account.
    fn add_members(&self, columns: &mut Vec<Column>, parent: &str, cells: &Map<String, Value>) {
        let mut next = 0;
        for (name, value) in cells {
            let index = position(columns, name, next).unwrap_or_else(|| {
                columns.push(self.column(parent, name));
                columns.len() - 1
            });
            self.add(&mut columns[index], parent, value);
            next = index + 1;
        }
    }

    fn add(&self, column: &mut Column, parent: &str, value: &Value) {
        let kind = match value {
            Value::Null => return,
            Value::Bool(_) => ColumnType::Boolean,
            Value::Number(number) if number.is_i64() => ColumnType::Long,
            Value::Number(_) => ColumnType::Double,
            Value::String(text) if self.has_typed_texts => ColumnType::of_text(text),
            Value::String(text) => ColumnType::of_cell(text),
            Value::Array(elements) => {
                column.is_nested |= elements.iter().any(Value::is_object);
                elements.iter().for_each(|element| self.add(column, parent, element));
                return;
            }
            Value::Object(members) => {
                let path = join_path(parent, &column.name);
                self.add_members(&mut column.members, &path, members);
                return;
            }
        };
        if !column.is_given {
            column.kind = Some(column.kind.map_or(kind, |known| known.join(kind)));
        }
    }
}

impl Column {
    fn mapping(&self) -> Value {
        if self.members.is_empty() {
            return self.kind.unwrap_or(ColumnType::Keyword).mapping();
        }
        let properties: Map<String, Value> =
            self.members.iter().map(|member| (member.name.clone(), member.mapping())).collect();
        match self.is_nested {
            true => json!({ "type": "nested", "properties": properties }),
            false => json!({ "properties": properties }),
        }
    }

    /// Visits the dotted paths of the column and of what is in it.
    fn visit_paths(&self, parent: &str, visit: &mut dyn FnMut(&str)) {
        let path = join_path(parent, &self.name);
        visit(&path);
        self.members.iter().for_each(|member| member.visit_paths(&path, visit));
    }

    /// Returns a cell as a value of the type of the column.
    fn value(&self, cell: Value) -> Value {
        let kind = self.kind.unwrap_or(ColumnType::Keyword);
        match cell {
            Value::String(text) => kind.value(&text),
            Value::Bool(_) | Value::Number(_) if matches!(kind, ColumnType::Keyword | ColumnType::Text) => {
                cell.to_string().into()
            }
            Value::Number(number) if kind == ColumnType::Double => number.as_f64().into(),
            Value::Array(elements) => elements.into_iter().map(|element| self.value(element)).collect(),
            Value::Object(members) => Value::Object(typed(&self.members, members)),
            other => other,
        }
    }
}

/// Returns the cells of a row, or the members of an object, as values of their columns.
fn typed(columns: &[Column], cells: Map<String, Value>) -> Map<String, Value> {
    let mut next = 0;
    let typed = cells.into_iter().map(|(name, cell)| match position(columns, &name, next) {
        Some(index) => {
            next = index + 1;
            (name, columns[index].value(cell))
        }
        None => (name, cell),
    });
    typed.collect()
}

/// Finds a column; cells are mostly in the order of the columns, so that it is soon after the one before.
fn position(columns: &[Column], name: &str, next: usize) -> Option<usize> {
    let next = next.min(columns.len());
    (next..columns.len()).chain(0..next).find(|index| columns[*index].name == name)
}

/// Returns columns with their types, for people.
fn summary(columns: &[Column]) -> String {
    let say = |column: &Column| match (column.members.is_empty(), column.is_nested) {
        (true, _) => format!("{} {}", column.name, column.kind.map_or("empty", ColumnType::name)),
        (false, true) => format!("{} nested ({})", column.name, summary(&column.members)),
        (false, false) => format!("{} object ({})", column.name, summary(&column.members)),
    };
    columns.iter().map(say).collect::<Vec<_>>().join(", ")
}

/// The rows of a table as lines of JSON.
pub(super) struct DocumentLines {
    rows: TableRows,
    layout: Arc<TableLayout>,
    problems: RowProblems,
    /// The lines that are not read yet.
    pending: Vec<u8>,
    read: usize,
    /// How many lines were written.
    lines: u64,
}

impl DocumentLines {
    pub(super) fn new(rows: TableRows, layout: Arc<TableLayout>, problems: RowProblems) -> Self {
        Self { rows, layout, problems, pending: Vec::new(), read: 0, lines: 0 }
    }

    /// Writes the next row; returns false at the end of the table.
    fn write_row(&mut self) -> io::Result<bool> {
        let Some(TableRow { line, cells, .. }) = self.rows.next_row()? else { return Ok(false) };
        let cells = match cells {
            Ok(cells) => cells,
            Err(error) => {
                self.problems.lock().unwrap_or_else(PoisonError::into_inner).push((line, error.to_string()));
                return Ok(true);
            }
        };
        while self.lines + 1 < line {
            self.pending.push(b'\n');
            self.lines += 1;
        }
        serde_json::to_writer(&mut self.pending, &typed(&self.layout.columns, cells)).map_err(io::Error::from)?;
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
