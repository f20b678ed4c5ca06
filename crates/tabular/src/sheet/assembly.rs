//! From rows to documents: each row is an element of a list, in the element that it names or that stands above it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::filled::{FilledSheets, SheetElement, plain_name};
use super::input::Sheet;
use super::layout::{ColumnRole, MAIN_SHEET, REQUIRED_MARK, SheetLayout};

/// How many names a message lists.
const MAX_LISTED_NAMES: usize = 20;

impl SheetLayout {
    /// Reads filled sheets. A table without a name is the sheet of documents.
    pub fn read(self: &Arc<Self>, mut sheets: Vec<Sheet>) -> FilledSheets {
        for sheet in &mut sheets {
            if sheet.name.is_empty() {
                sheet.name = MAIN_SHEET.to_owned();
            }
            sheet.rows.retain(|line| line.cells.iter().any(|cell| !cell.trim().is_empty()));
            sheet.rows.sort_by_key(|line| line.row);
            let width = sheet.columns.len();
            sheet.rows.iter_mut().for_each(|line| line.cells.resize(width, String::new()));
        }
        let lists: Vec<Option<usize>> =
            sheets.iter().map(|sheet| self.lists.iter().position(|list| list.sheet == sheet.name.trim())).collect();
        let roles = sheets.iter().zip(&lists).map(|(sheet, list)| self.roles(sheet, *list)).collect();
        let filled = FilledSheets {
            layout: Arc::clone(self),
            sheets,
            roles,
            elements: Vec::new(),
            roots: Vec::new(),
            documents: Vec::new(),
            violations: Vec::new(),
            violation_count: 0,
            marked: HashSet::new(),
        };
        let mut assembly = Assembly { filled, names: HashMap::new(), of_list: vec![Vec::new(); self.lists.len()] };
        for list in 0..self.lists.len() {
            for sheet in (0..lists.len()).filter(|sheet| lists[*sheet] == Some(list)) {
                assembly.read_sheet(sheet, list);
            }
        }
        for sheet in (0..lists.len()).filter(|sheet| lists[*sheet].is_none()) {
            assembly.reject_sheet(sheet);
        }
        assembly.finish()
    }

    /// Returns what the columns of a sheet are.
    fn roles(&self, sheet: &Sheet, list: Option<usize>) -> Vec<Option<ColumnRole>> {
        let known: HashMap<String, ColumnRole> = list.map_or_else(HashMap::new, |list| {
            self.flat_columns(list).into_iter().map(|(role, name)| (name, role)).collect()
        });
        // People leave spaces around names; a name of the schema may have its own.
        let role = |name: &String| {
            let unmarked = name.strip_suffix(REQUIRED_MARK).unwrap_or(name);
            known.get(unmarked).or_else(|| known.get(plain_name(name))).copied()
        };
        sheet.columns.iter().map(role).collect()
    }
}

struct Assembly {
    filled: FilledSheets,
    /// The elements with names, by list and name.
    names: HashMap<(usize, String), usize>,
    /// The elements of each list.
    of_list: Vec<Vec<usize>>,
}

impl Assembly {
    /// Reads the rows of a sheet whose rows are elements of a list.
    fn read_sheet(&mut self, sheet: usize, base: usize) {
        let roles = self.filled.roles[sheet].clone();
        self.check_columns(sheet, &roles);
        let layout = Arc::clone(&self.filled.layout);
        let lists: Vec<usize> = (base..layout.lists.len()).filter(|list| layout.is_within(*list, base)).collect();
        // The element of each list that what follows belongs to.
        let mut current: HashMap<usize, usize> = HashMap::new();
        for index in 0..self.filled.sheets[sheet].rows.len() {
            let row = self.filled.sheets[sheet].rows[index].row;
            let cells = self.filled.sheets[sheet].rows[index].cells.clone();
            let filled: Vec<(usize, ColumnRole, &str)> = roles
                .iter()
                .zip(&cells)
                .enumerate()
                .filter(|(_, (_, cell))| !cell.trim().is_empty())
                .filter_map(|(column, (role, cell))| Some((column, (*role)?, cell.as_str())))
                .collect();
            for &list in &lists {
                let has_element = filled.iter().any(|(_, role, _)| match role {
                    ColumnRole::Row | ColumnRole::Parent => list == base,
                    ColumnRole::Element { list: other } | ColumnRole::Value { list: other, .. } => list == *other,
                });
                if !has_element {
                    continue;
                }
                current.retain(|other, _| !layout.is_within(*other, list));
                let parent = match layout.lists[list].parent {
                    Some(_) if list == base => self.named_parent(sheet, row, list, &roles, &filled),
                    Some(parent) => self.parent_above(sheet, row, parent, &current),
                    None => None,
                };
                if parent.is_none() && layout.lists[list].parent.is_some() {
                    continue;
                }
                let element = self.add_element(sheet, row, list, parent, &filled, list == base);
                current.insert(list, element);
            }
        }
    }

    /// Reports unknown columns that have cells, and columns that are there twice.
    fn check_columns(&mut self, sheet: usize, roles: &[Option<ColumnRole>]) {
        let mut seen = HashSet::new();
        for (index, role) in roles.iter().enumerate() {
            let of_sheet = &self.filled.sheets[sheet];
            let name = of_sheet.columns[index].clone();
            let is_repeated = role.is_some_and(|role| !seen.insert(role));
            let is_used = || of_sheet.rows.iter().any(|line| !line.cells[index].trim().is_empty());
            if is_repeated {
                self.filled.push_cell(sheet, 1, index, format!("two columns are called {}", plain_name(&name)));
            } else if role.is_none() && is_used() {
                let message = format!("the type has no column '{}'; the template has all of them", name.trim());
                self.filled.push_cell(sheet, 1, index, message);
            }
        }
    }

    /// Returns the element that a row names as the one around it; the only one if it names none.
    fn named_parent(
        &mut self,
        sheet: usize,
        row: u32,
        list: usize,
        roles: &[Option<ColumnRole>],
        filled: &[(usize, ColumnRole, &str)],
    ) -> Option<usize> {
        let layout = Arc::clone(&self.filled.layout);
        let parent = layout.lists[list].parent?;
        let name = filled.iter().find(|(_, role, _)| *role == ColumnRole::Parent).map(|(_, _, name)| name.trim());
        let found = match (name, &self.of_list[parent][..]) {
            (Some(name), _) => self.names.get(&(parent, name.to_owned())).copied(),
            (None, [only]) => Some(*only),
            (None, _) => None,
        };
        if found.is_none() {
            let outer = &layout.lists[parent].sheet;
            let message = match name {
                Some(name) => format!("{name} is not valid: no row of the sheet {outer} is called so"),
                None => format!("#parent is missing: the #row of a row of the sheet {outer}"),
            };
            match roles.iter().position(|role| *role == Some(ColumnRole::Parent)) {
                Some(column) => self.filled.push_cell(sheet, row, column, message),
                None => self.filled.push_row(sheet, row, message),
            }
        }
        found
    }

    /// Returns the element above a row that its cells belong to.
    fn parent_above(
        &mut self,
        sheet: usize,
        row: u32,
        parent: usize,
        current: &HashMap<usize, usize>,
    ) -> Option<usize> {
        let found = current.get(&parent).copied();
        if found.is_none() {
            let message = "the row belongs to nothing: no row above it begins what it is a part of".to_owned();
            self.filled.push_row(sheet, row, message);
        }
        found
    }

    /// Adds an element with the cells of its list.
    fn add_element(
        &mut self,
        sheet: usize,
        row: u32,
        list: usize,
        parent: Option<usize>,
        filled: &[(usize, ColumnRole, &str)],
        has_name: bool,
    ) -> usize {
        let layout = Arc::clone(&self.filled.layout);
        let mut value = Map::new();
        for (index, role, text) in filled {
            let ColumnRole::Value { list: other, column } = role else { continue };
            if *other != list {
                continue;
            }
            let column = &layout.lists[list].columns[*column];
            let read = column.cell.read(text).unwrap_or_else(|error| {
                self.filled.push_cell(sheet, row, *index, error.to_string());
                Value::from(*text)
            });
            set(&mut value, &column.path, read);
        }
        let given = filled.iter().find(|(_, role, _)| has_name && *role == ColumnRole::Row);
        let name = given.map_or_else(|| row.to_string(), |(_, _, name)| name.trim().to_owned());
        let element = self.filled.elements.len();
        if has_name && self.names.insert((list, name.clone()), element).is_some() {
            let message = format!("{name} is not valid: another row is called so; a row without #row has its number");
            match given {
                Some((column, _, _)) => self.filled.push_cell(sheet, row, *column, message),
                None => self.filled.push_row(sheet, row, message),
            }
        }
        self.filled.elements.push(SheetElement { list, value, sheet, row, name, children: Vec::new() });
        self.of_list[list].push(element);
        match parent {
            Some(parent) => self.filled.elements[parent].children.push(element),
            None => self.filled.roots.push(element),
        }
        element
    }

    /// Reports a sheet that the type does not have.
    fn reject_sheet(&mut self, sheet: usize) {
        let Some(first) = self.filled.sheets[sheet].rows.first() else { return };
        let row = first.row;
        let names = self.filled.layout.lists.iter().take(MAX_LISTED_NAMES).map(|list| list.sheet.as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        let message = format!("the type has no such sheet, but {names}; rename it, or remove it");
        self.filled.push_row(sheet, row, message);
    }

    /// Puts the elements into the documents that they belong to.
    fn finish(mut self) -> FilledSheets {
        let roots = self.filled.roots.clone();
        self.filled.documents = roots.into_iter().map(|root| Value::Object(self.assemble(root))).collect();
        self.filled
    }

    fn assemble(&mut self, element: usize) -> Map<String, Value> {
        let layout = Arc::clone(&self.filled.layout);
        let element = &mut self.filled.elements[element];
        let list = element.list;
        let mut value = std::mem::take(&mut element.value);
        let children = element.children.clone();
        for path in &layout.lists[list].required_objects {
            object_at(&mut value, path);
        }
        for (index, inner) in layout.lists.iter().enumerate().filter(|(_, inner)| inner.parent == Some(list)) {
            let of_list = children.iter().copied().filter(|child| self.filled.elements[*child].list == index);
            let of_list: Vec<usize> = of_list.collect();
            if inner.is_required || !of_list.is_empty() {
                let elements = of_list.into_iter().map(|child| Value::Object(self.assemble(child))).collect();
                set(&mut value, &inner.path, elements);
            }
        }
        for column in layout.lists[list].columns.iter().filter(|column| column.is_null_when_empty) {
            if let Some((name, around)) = column.path.split_last()
                && let Some(object) = existing_object(&mut value, around)
            {
                object.entry(name.as_str()).or_insert(Value::Null);
            }
        }
        value
    }
}

/// Sets a value in an object, with the objects on its path.
fn set(object: &mut Map<String, Value>, path: &[String], value: Value) {
    if let Some((name, around)) = path.split_last()
        && let Some(object) = object_at(object, around)
    {
        object.insert(name.clone(), value);
    }
}

/// Returns the object at a path, which is made if it is missing.
fn object_at<'o>(object: &'o mut Map<String, Value>, path: &[String]) -> Option<&'o mut Map<String, Value>> {
    path.iter().try_fold(object, |object, name| {
        object.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new())).as_object_mut()
    })
}

fn existing_object<'o>(object: &'o mut Map<String, Value>, path: &[String]) -> Option<&'o mut Map<String, Value>> {
    path.iter().try_fold(object, |object, name| object.get_mut(name)?.as_object_mut())
}
