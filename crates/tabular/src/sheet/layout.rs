//! The lists of rows that a schema is laid out as, each with a sheet and columns.

use serde_json::Value;

use super::cell_kind::{CellKind, CellType};
use super::schema_walk::{LayoutError, SchemaWalk};

/// The sheet with a row for each document.
pub(crate) const MAIN_SHEET: &str = "analyses";

/// The sheet of a template with the values of drop-downs.
pub(crate) const VALUES_SHEET: &str = "_values";

/// The column with the name of a row, and the one with that of the row around it.
pub(crate) const ROW_COLUMN: &str = "#row";
pub(crate) const PARENT_COLUMN: &str = "#parent";

/// What follows the name of a required column.
pub(crate) const REQUIRED_MARK: &str = " *";

/// How many characters of the name of a list are in that of its sheet; a spreadsheet takes 31.
const MAX_SHEET_NAME_CHARS: usize = 24;

/// How a schema is laid out as sheets.
#[derive(Debug)]
pub struct SheetLayout {
    /// The list of documents first, every other one after the list around it.
    pub(crate) lists: Vec<ListLayout>,
}

/// A list of objects.
#[derive(Debug)]
pub(crate) struct ListLayout {
    pub(crate) sheet: String,
    /// The list around it; nothing for that of the documents.
    pub(crate) parent: Option<usize>,
    /// Where it is in an element of the list around it.
    pub(crate) path: Vec<String>,
    /// Whether an element of the list around it has it, also without elements.
    pub(crate) is_required: bool,
    pub(crate) columns: Vec<ColumnLayout>,
    /// The objects that an element has, also without members.
    pub(crate) required_objects: Vec<Vec<String>>,
}

/// A column with values.
#[derive(Debug)]
pub(crate) struct ColumnLayout {
    /// Its dotted path, with escapes.
    pub(crate) name: String,
    pub(crate) path: Vec<String>,
    /// Whether each element has it.
    pub(crate) is_required: bool,
    /// Whether an empty cell is null in an object that exists.
    pub(crate) is_null_when_empty: bool,
    pub(crate) cell: CellType,
}

/// A column as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetColumn {
    /// Its name in the header, without the mark of required ones.
    pub name: String,
    /// Whether it must be filled.
    pub is_required: bool,
    /// `text`, `integer`, `number`, `boolean`, `list` or `json`.
    pub kind: &'static str,
    /// The values of its drop-down.
    pub allowed: Option<Vec<String>>,
}

/// What a column of a sheet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ColumnRole {
    /// The name of a row.
    Row,
    /// The name of the row around it.
    Parent,
    /// Says that a line has an element of a list.
    Element { list: usize },
    /// A value of an element of a list.
    Value { list: usize, column: usize },
}

impl SheetLayout {
    /// Lays out a JSON Schema of objects, without these of its members. A column of the given flat name, such as
    /// `files[].fileType`, may only have these values, unless the schema lists its own.
    ///
    /// # Errors
    ///
    /// If it has too many members for sheets.
    pub fn of_schema(
        schema: &Value,
        without: &[&str],
        (limited, values): (&str, &[String]),
    ) -> Result<Self, LayoutError> {
        let mut layout = Self { lists: SchemaWalk::new(schema, without).lists()? };
        for (role, name) in layout.flat_columns(0) {
            if let ColumnRole::Value { list, column } = role
                && name == limited
                && !values.is_empty()
            {
                let cell = &mut layout.lists[list].columns[column].cell;
                if cell.allowed.is_none() && cell.kind == CellKind::Text {
                    cell.allowed = Some(values.iter().map(|text| (text.clone(), Value::from(text.as_str()))).collect());
                }
            }
        }
        layout.name_sheets();
        Ok(layout)
    }

    /// Gives each list a sheet with a name that spreadsheets take.
    fn name_sheets(&mut self) {
        let mut taken = vec![MAIN_SHEET.to_owned(), VALUES_SHEET.to_owned()];
        for index in 1..self.lists.len() {
            let path = self.list_path(index).join(".");
            let plain: String = path
                .chars()
                .map(
                    |character| if "[]:*?/\\'".contains(character) || character.is_control() { '_' } else { character },
                )
                .take(MAX_SHEET_NAME_CHARS)
                .collect();
            let mut name = plain.clone();
            let mut number = 2;
            while taken.iter().any(|other| other.to_lowercase() == name.to_lowercase()) {
                name = format!("{plain}~{number}");
                number += 1;
            }
            taken.push(name.clone());
            self.lists[index].sheet = name;
        }
    }

    /// Returns the names on the way from a document to a list.
    fn list_path(&self, list: usize) -> Vec<String> {
        let mut path = self.lists[list].parent.map_or_else(Vec::new, |parent| self.list_path(parent));
        path.extend(self.lists[list].path.iter().cloned());
        path
    }

    /// Returns whether a list is another one or within it.
    pub(crate) fn is_within(&self, list: usize, outer: usize) -> bool {
        list == outer || self.lists[list].parent.is_some_and(|parent| self.is_within(parent, outer))
    }

    /// Returns the prefix of the columns of a list in a table with rows of a list around it, such as `files[]`.
    fn flat_prefix(&self, list: usize, base: usize) -> String {
        if list == base {
            return String::new();
        }
        let outer = self.lists[list].parent.map_or_else(String::new, |parent| self.flat_prefix(parent, base));
        let own = column_name(&self.lists[list].path);
        if outer.is_empty() { format!("{own}[]") } else { format!("{outer}.{own}[]") }
    }

    /// Returns all columns of a table that has the rows of a list and everything within it, each with its name.
    pub(crate) fn flat_columns(&self, base: usize) -> Vec<(ColumnRole, String)> {
        let mut columns = vec![(ColumnRole::Row, ROW_COLUMN.to_owned())];
        if base > 0 {
            columns.insert(0, (ColumnRole::Parent, PARENT_COLUMN.to_owned()));
        }
        for list in (base..self.lists.len()).filter(|list| self.is_within(*list, base)) {
            let prefix = self.flat_prefix(list, base);
            if list != base {
                columns.push((ColumnRole::Element { list }, prefix.clone()));
            }
            for (column, layout) in self.lists[list].columns.iter().enumerate() {
                let name = match prefix.is_empty() {
                    true => layout.name.clone(),
                    false => format!("{prefix}.{}", layout.name),
                };
                columns.push((ColumnRole::Value { list, column }, name));
            }
        }
        columns
    }

    /// Returns the columns of the sheet of a list.
    pub(crate) fn sheet_columns(&self, list: usize) -> Vec<(ColumnRole, String)> {
        let has_lists = self.lists.iter().any(|inner| inner.parent == Some(list));
        let is_own = |role: &ColumnRole| match role {
            ColumnRole::Row => list == 0 || has_lists,
            ColumnRole::Parent => true,
            ColumnRole::Element { .. } => false,
            ColumnRole::Value { list: other, .. } => *other == list,
        };
        self.flat_columns(list).into_iter().filter(|(role, _)| is_own(role)).collect()
    }

    /// Returns how a column is shown.
    pub(crate) fn shown(&self, role: ColumnRole, name: &str) -> SheetColumn {
        let column = match role {
            ColumnRole::Value { list, column } => self.lists.get(list).and_then(|list| list.columns.get(column)),
            ColumnRole::Row | ColumnRole::Parent | ColumnRole::Element { .. } => None,
        };
        SheetColumn {
            name: name.to_owned(),
            is_required: column.is_some_and(|column| column.is_required && !column.is_null_when_empty),
            kind: column.map_or("text", |column| column.cell.kind.name()),
            allowed: column.and_then(|column| column.cell.allowed_texts()),
        }
    }
}

/// Returns the name of a column: the names on its path with dots between them, and a backslash before what has a meaning.
pub(crate) fn column_name(path: &[String]) -> String {
    let names = path.iter().map(|name| {
        let mut escaped = String::new();
        for character in name.chars() {
            if matches!(character, '\\' | '.' | '*' | '#' | '[') {
                escaped.push('\\');
            }
            escaped.push(character);
        }
        escaped
    });
    names.collect::<Vec<_>>().join(".")
}
