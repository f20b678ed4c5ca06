//! What filled sheets say: documents, and violations at their cells.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::input::{Sheet, column_letters};
use super::layout::{ColumnRole, REQUIRED_MARK, SheetColumn, SheetLayout};

/// How many violations are kept; others are counted.
const MAX_LISTED_VIOLATIONS: usize = 1_000;

/// How many texts of a cell a violation shows.
const MAX_SHOWN_CHARS: usize = 200;

/// A violation, at a cell where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetViolation {
    /// The name of the sheet.
    pub sheet: String,
    /// The row as a spreadsheet shows it.
    pub row: Option<u32>,
    /// The name of the column.
    pub column: Option<String>,
    /// The cell as a spreadsheet shows it, such as `B2`.
    pub cell: Option<String>,
    /// What the cell has.
    pub value: Option<String>,
    /// What is wrong, and what is expected.
    pub message: String,
    /// What the cell may have.
    pub allowed: Option<Vec<String>>,
}

/// The documents of filled sheets.
#[derive(Debug)]
pub struct FilledSheets {
    pub(super) layout: Arc<SheetLayout>,
    pub(super) sheets: Vec<Sheet>,
    /// What each column of each sheet is; nothing for unknown ones.
    pub(super) roles: Vec<Vec<Option<ColumnRole>>>,
    pub(super) elements: Vec<SheetElement>,
    /// The elements that are documents.
    pub(super) roots: Vec<usize>,
    pub(super) documents: Vec<Value>,
    pub(super) violations: Vec<SheetViolation>,
    pub(super) violation_count: u64,
    /// The cells that have a violation: sheet, row and column.
    pub(super) marked: HashSet<(usize, u32, usize)>,
}

/// An element of a list.
#[derive(Debug)]
pub(super) struct SheetElement {
    pub(super) list: usize,
    pub(super) value: Map<String, Value>,
    pub(super) sheet: usize,
    pub(super) row: u32,
    pub(super) name: String,
    /// The elements of lists in it, in order.
    pub(super) children: Vec<usize>,
}

impl FilledSheets {
    /// Returns the documents, in the order of their rows.
    pub fn documents(&self) -> &[Value] {
        &self.documents
    }

    /// Returns the row of a document, and its name.
    pub fn row_of(&self, document: usize) -> Option<(u32, &str)> {
        let element = self.elements.get(*self.roots.get(document)?)?;
        Some((element.row, &element.name))
    }

    /// Returns the first violations.
    pub fn violations(&self) -> &[SheetViolation] {
        &self.violations
    }

    /// Returns how many violations there are in all.
    pub fn violation_count(&self) -> u64 {
        self.violation_count
    }

    /// Returns the sheets as they were read, each with its columns.
    pub fn sheets(&self) -> impl Iterator<Item = (&Sheet, Vec<SheetColumn>)> {
        self.sheets.iter().zip(&self.roles).map(move |(sheet, roles)| {
            let columns = sheet.columns.iter().zip(roles).map(|(name, role)| match role {
                Some(role) => self.layout.shown(*role, plain_name(name)),
                None => SheetColumn { name: name.clone(), is_required: false, kind: "text", allowed: None },
            });
            (sheet, columns.collect())
        })
    }

    /// Adds what the schema says of a document, at a JSON pointer such as `#/files/0`. What is missing in an object is at
    /// the cell that should have it; what a cell was told already is not repeated.
    pub fn add_schema_violation(&mut self, document: usize, pointer: &str, text: &str) {
        let Some(&root) = self.roots.get(document) else { return };
        let pointer = pointer.strip_prefix('#').unwrap_or(pointer);
        let mut names: Vec<String> =
            pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect();
        let missing = text.strip_prefix("required key [").and_then(|rest| rest.strip_suffix("] not found"));
        names.extend(missing.map(str::to_owned));
        let (element, rest) = self.element_at(root, &names);
        let SheetElement { list, sheet, row, .. } = self.elements[element];
        let layout = Arc::clone(&self.layout);
        let columns = &layout.lists[list].columns;
        let column = columns.iter().position(|column| rest.starts_with(&column.path));
        let Some(column) = column else {
            let place = if rest.is_empty() { String::new() } else { format!("{}: ", rest.join(".")) };
            return self.push_row(sheet, row, format!("{place}{text}"));
        };
        let name = columns[column].name.clone();
        let message = if missing.is_some() { format!("{name} is missing") } else { text.to_owned() };
        let role = Some(ColumnRole::Value { list, column });
        match self.roles[sheet].iter().position(|other| *other == role) {
            Some(index) => self.push_cell(sheet, row, index, message),
            // The sheet lacks the column.
            None => {
                let allowed = columns[column].cell.allowed_texts();
                let violation = self.row_violation(sheet, row, message);
                self.push(SheetViolation { column: Some(name), allowed, ..violation });
            }
        }
    }

    /// Adds what is wrong with a whole document.
    pub fn add_document_violation(&mut self, document: usize, message: String) {
        if let Some(&root) = self.roots.get(document) {
            let SheetElement { sheet, row, .. } = self.elements[root];
            self.push_row(sheet, row, message);
        }
    }

    /// Follows names from an element to the innermost one, and returns what is left of them.
    fn element_at<'n>(&self, root: usize, names: &'n [String]) -> (usize, &'n [String]) {
        let (mut element, mut rest) = (root, names);
        loop {
            let inner = self.layout.lists.iter().enumerate().find_map(move |(index, list)| {
                let below =
                    rest.strip_prefix(&list.path[..]).filter(|_| list.parent == Some(self.elements[element].list))?;
                let (position, below) = below.split_first()?;
                let children = self.elements[element].children.iter().copied();
                let mut of_list = children.filter(|child| self.elements[*child].list == index);
                let child = of_list.nth(position.parse().ok()?)?;
                Some((child, below))
            });
            match inner {
                Some(inner) => (element, rest) = inner,
                None => return (element, rest),
            }
        }
    }

    fn row_violation(&self, sheet: usize, row: u32, message: String) -> SheetViolation {
        SheetViolation {
            sheet: self.sheets[sheet].name.clone(),
            row: Some(row),
            column: None,
            cell: None,
            value: None,
            message,
            allowed: None,
        }
    }

    pub(super) fn push_row(&mut self, sheet: usize, row: u32, message: String) {
        let violation = self.row_violation(sheet, row, message);
        self.push(violation);
    }

    /// Adds a violation at a cell, unless it has one.
    pub(super) fn push_cell(&mut self, sheet: usize, row: u32, column: usize, message: String) {
        if !self.marked.insert((sheet, row, column)) {
            return;
        }
        let of_sheet = &self.sheets[sheet];
        let letters = column_letters(column);
        let line = of_sheet.rows.binary_search_by_key(&row, |line| line.row).ok().map(|index| &of_sheet.rows[index]);
        let value = line.and_then(|line| line.cells.get(column)).filter(|value| !value.is_empty());
        let name = of_sheet.columns.get(column).map(|name| plain_name(name));
        let role = self.roles[sheet].get(column).copied().flatten();
        let violation = SheetViolation {
            column: name.map(str::to_owned),
            cell: Some(format!("{letters}{row}")),
            value: value.map(|value| value.chars().take(MAX_SHOWN_CHARS).collect()),
            allowed: role.and_then(|role| self.layout.shown(role, "").allowed),
            ..self.row_violation(sheet, row, message)
        };
        self.push(violation);
    }

    fn push(&mut self, violation: SheetViolation) {
        self.violation_count += 1;
        if self.violations.len() < MAX_LISTED_VIOLATIONS {
            self.violations.push(violation);
        }
    }
}

/// Returns the name of a column without the mark of required ones.
pub(super) fn plain_name(name: &str) -> &str {
    let name = name.trim();
    name.strip_suffix(REQUIRED_MARK).unwrap_or(name)
}
