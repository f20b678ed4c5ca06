//! A display that is saved as the default of a catalogue: its facets and columns in their order, and how rows are sorted.
//!
//! A list of the configuration is in one file only, so the file that has it is the one that changes, and nothing else in
//! it does. Entries keep what they say about their field. Those that were not chosen stay, but are not shown.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use cantata_mapping::FieldKind;
use cantata_sqon::{FieldClass, FieldLookup};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::catalogue::Catalogue;
use crate::config::FIELD_NAME;
use crate::configs::{json_files, name_of};
use crate::display::is_sortable;
use crate::names::flat_name;
use crate::problem::ConfigProblem;

/// Names the request in place of a file.
const REQUEST: &str = "request";

/// What a facet needs.
const COUNTABLE: &str = "a field that can be counted; of a text its multi-field of type keyword, such as name.keyword";

/// How many problems of a request are named.
const MAX_PROBLEMS: usize = 10;

/// What is shown at first. What is absent stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ChosenDisplay {
    /// The dotted paths of the facets.
    pub facets: Option<Vec<String>>,
    /// The dotted paths of the columns.
    pub columns: Option<Vec<String>>,
    /// How rows are sorted.
    pub sorting: Option<Vec<ChosenSorting>>,
}

/// A field by which rows are sorted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ChosenSorting {
    /// The dotted path.
    pub field_name: String,
    /// Whether the order is descending.
    #[serde(default)]
    pub desc: bool,
}

/// A configuration file with its new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where it is.
    pub path: PathBuf,
    /// All of it.
    pub content: Vec<u8>,
}

impl ChosenDisplay {
    /// Returns what does not fit the fields of a catalogue.
    pub fn problems(&self, catalogue: &Catalogue) -> Vec<ConfigProblem> {
        // A filter on a text also finds its single words, so that more records would be found than are counted.
        let is_text = |path: &str| catalogue.mapping.entry(path).is_some_and(|field| field.kind == FieldKind::Text);
        let with_values =
            catalogue.root.aggregations.iter().filter(|field| field.has_values && !is_text(&field.target));
        let countable: HashSet<&str> = with_values.map(|field| field.path.as_str()).collect();
        let is_scalar = |name: &str| {
            let field = catalogue.field(name);
            field.is_some_and(|field| !matches!(field.class, FieldClass::Object | FieldClass::Nested))
        };
        let facets = self.facets.iter().flatten().map(String::as_str);
        let columns = self.columns.iter().flatten().map(String::as_str);
        let sorting = self.sorting.iter().flatten().map(|sorting| sorting.field_name.as_str());
        let is_sortable = |name: &str| is_sortable(&catalogue.mapping, name);
        let mut problems = Vec::new();
        add_problems(&mut problems, "facets", facets, |name| countable.contains(name), COUNTABLE);
        add_problems(&mut problems, "columns", columns, is_scalar, "a field with values");
        add_problems(&mut problems, "sorting", sorting, is_sortable, "a field that rows can be sorted by");
        if self.columns.as_ref().is_some_and(Vec::is_empty) {
            problems.push(ConfigProblem::error(REQUEST, "columns", "an empty list", "at least one field"));
        }
        problems.truncate(MAX_PROBLEMS);
        problems
    }

    /// Returns the files of a folder that change, with their new content. Where the folder has none, one of them keeps the
    /// id of the catalogue, which environment variables gave.
    ///
    /// # Errors
    ///
    /// If a file of the folder cannot be read, or has something else where the display is configured.
    pub fn changed_files(&self, catalogue: &Catalogue, folder: &Path) -> Result<Vec<ChangedFile>, ConfigProblem> {
        let mut files = OpenFolder { folder, files: Vec::new() };
        for (path, root) in json_files(folder)? {
            files.files.push(EditedFile { path, root, is_changed: false });
        }
        if files.files.is_empty() {
            let root = Map::from_iter([("catalogId".to_owned(), json!(catalogue.id))]);
            files.files.push(EditedFile { path: folder.join("base.json"), root, is_changed: true });
        }
        if let Some(facets) = &self.facets {
            let entry = |_: &str| Map::from_iter([("show".to_owned(), json!(true))]);
            files.replace("facets", "aggregations", |before| chosen_entries(before, facets, "isActive", entry))?;
        }
        if let Some(columns) = &self.columns {
            let entry =
                |name: &str| Map::from_iter([("sortable".to_owned(), json!(is_sortable(&catalogue.mapping, name)))]);
            files.replace("table", "columns", |before| chosen_entries(before, columns, "show", entry))?;
        }
        if let Some(sorting) = &self.sorting {
            files.replace("table", "defaultSorting", |_| sorting.iter().map(|sorting| json!(sorting)).collect())?;
        }
        files.files.into_iter().filter(|file| file.is_changed).map(EditedFile::into_changed).collect()
    }
}

fn add_problems<'a>(
    problems: &mut Vec<ConfigProblem>,
    key: &str,
    names: impl Iterator<Item = &'a str>,
    fits: impl Fn(&str) -> bool,
    expected: &str,
) {
    let mut known = HashSet::new();
    for (index, name) in names.enumerate() {
        let found = match (fits(name), known.insert(name)) {
            (true, true) => continue,
            (true, false) => format!("{name:?} a second time"),
            (false, _) => format!("{name:?}"),
        };
        problems.push(ConfigProblem::error(REQUEST, format!("{key}[{index}]"), found, expected));
    }
}

/// The configuration files of a catalogue.
struct OpenFolder<'a> {
    folder: &'a Path,
    files: Vec<EditedFile>,
}

struct EditedFile {
    path: PathBuf,
    root: Map<String, Value>,
    is_changed: bool,
}

impl OpenFolder<'_> {
    /// Replaces a list of a section: in the file that has it, else in the one that has the section, else in the one that
    /// is named after it.
    fn replace(
        &mut self,
        section: &str,
        list: &str,
        make: impl FnOnce(&[Value]) -> Vec<Value>,
    ) -> Result<(), ConfigProblem> {
        let path = self.folder.join(format!("{section}.json"));
        let has_list = |file: &EditedFile| file.root.get(section).and_then(|inner| inner.get(list)).is_some();
        let has_section = |file: &EditedFile| file.root.get(section).is_some_and(Value::is_object);
        let place = self.files.iter().position(has_list);
        let place = place.or_else(|| self.files.iter().position(has_section));
        let place = place.or_else(|| self.files.iter().position(|file| file.path == path));
        let place = place.unwrap_or(self.files.len());
        if place == self.files.len() {
            self.files.push(EditedFile { path, root: Map::new(), is_changed: true });
        }
        let file = &mut self.files[place];
        let inner = file.root.entry(section).or_insert(Value::Null);
        if inner.is_null() {
            *inner = json!({});
        }
        let Some(members) = inner.as_object_mut() else {
            return Err(ConfigProblem::error(name_of(&file.path), section, "no object", "an object"));
        };
        let before = members.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        members.insert(list.to_owned(), Value::Array(make(&before)));
        file.is_changed = true;
        Ok(())
    }
}

impl EditedFile {
    fn into_changed(self) -> Result<ChangedFile, ConfigProblem> {
        let Self { path, root, .. } = self;
        match serde_json::to_vec_pretty(&root) {
            Ok(mut content) => {
                content.push(b'\n');
                Ok(ChangedFile { path, content })
            }
            Err(error) => Err(ConfigProblem::error(name_of(&path), "", error.to_string(), "what can be written")),
        }
    }
}

/// Returns the entries of the chosen fields, with the mark that shows them, and after them all others without it. A
/// field without an entry gets a new one.
fn chosen_entries(
    before: &[Value],
    chosen: &[String],
    mark: &str,
    new_entry: impl Fn(&str) -> Map<String, Value>,
) -> Vec<Value> {
    let marked = |mut entry: Map<String, Value>, is_shown: bool| {
        entry.insert(mark.to_owned(), Value::Bool(is_shown));
        Value::Object(entry)
    };
    let known = before.iter().filter_map(Value::as_object);
    let shown = chosen.iter().map(|name| {
        let entry = known.clone().find(|entry| is_about(entry, name)).cloned().unwrap_or_else(|| {
            let mut entry = Map::from_iter([(FIELD_NAME.to_owned(), Value::String(name.clone()))]);
            entry.extend(new_entry(name));
            entry
        });
        marked(entry, true)
    });
    let is_left_out = |entry: &&Map<String, Value>| !chosen.iter().any(|name| is_about(entry, name));
    let others = known.clone().filter(is_left_out).map(|entry| marked(entry.clone(), false));
    shown.chain(others).collect()
}

/// Returns whether an entry is about a field, by its path or its flat name.
fn is_about(entry: &Map<String, Value>, name: &str) -> bool {
    let given = entry.get(FIELD_NAME).and_then(Value::as_str);
    given.is_some_and(|given| given == name || given == flat_name(name))
}
