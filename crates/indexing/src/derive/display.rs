//! The display configuration to begin with: names, facets and columns, in the form of the configuration files.
//!
//! Only what the mapping has is listed, so that an override may take fields away from what the schemas say.

use cantata_catalogue::{DocumentShape, start_case};
use cantata_mapping::{Field, FieldKind, IndexMapping};
use serde_json::{Map, Value, json};

use super::node::{Fields, Kind, Node, Role};

/// How many facets there are, and how many of them are shown at first.
const FACETS: (usize, usize) = (30, 12);

/// How many columns there are, and how many of them are shown at first.
const COLUMNS: (usize, usize) = (40, 10);

/// How many containers may be around a column, so that it is within the usual depth of a request.
const DEEPEST_COLUMN: usize = 2;

/// A field with values, and what is known of it; nothing if only an override has it.
struct Leaf<'a> {
    field: &'a Field,
    node: Option<&'a Node>,
}

/// Returns the sections `extended`, `facets` and `table`.
pub(super) fn sections(fields: &Fields, mapping: &IndexMapping, shape: &DocumentShape) -> Value {
    let row_id = match shape {
        DocumentShape::FileCentric => Some("objectId"),
        DocumentShape::AnalysisCentric => Some("analysisId"),
        DocumentShape::Paths(_) => None,
    };
    let all: Vec<Leaf<'_>> = mapping.fields().map(|field| Leaf { field, node: fields.at(&field.path) }).collect();
    let extended: Vec<Value> = all.iter().map(|leaf| leaf.extended(row_id)).collect();
    let leaves: Vec<&Leaf<'_>> = all.iter().filter(|leaf| leaf.field.kind.has_values() && leaf.field.enabled).collect();
    let mut table = Map::from_iter([("columns".to_owned(), columns(&leaves))]);
    table.extend(row_id.map(|id| ("rowIdFieldName".to_owned(), id.into())));
    json!({"extended": extended, "facets": {"aggregations": facets(&leaves)}, "table": table})
}

fn facets(leaves: &[&Leaf<'_>]) -> Vec<Value> {
    let mut ranked: Vec<(u8, &Leaf<'_>)> = leaves.iter().filter_map(|leaf| Some((leaf.rank()?, *leaf))).collect();
    // The sort is stable: within a rank the order is that of the fields.
    ranked.sort_by_key(|(rank, _)| *rank);
    let (most, shown) = FACETS;
    let listed = ranked.into_iter().take(most).enumerate();
    listed
        .map(|(place, (_, leaf))| json!({"fieldName": leaf.field.path, "isActive": true, "show": place < shown}))
        .collect()
}

fn columns(leaves: &[&Leaf<'_>]) -> Value {
    let is_near =
        |leaf: &&&Leaf<'_>| leaf.field.nested.is_empty() && leaf.field.path.matches('.').count() <= DEEPEST_COLUMN;
    let mut ordered: Vec<(u8, &Leaf<'_>)> =
        leaves.iter().filter(is_near).map(|leaf| (leaf.place_in_table(), *leaf)).collect();
    ordered.sort_by_key(|(place, _)| *place);
    let (most, shown) = COLUMNS;
    let mut left = shown;
    let listed = ordered.into_iter().take(most).map(|(place, leaf)| {
        let show = left > 0 && place < LAST;
        left -= usize::from(show);
        let mut column = json!({"fieldName": leaf.field.path, "show": show, "sortable": true});
        if leaf.is_size_of_file() {
            column["displayType"] = "bytes".into();
        }
        column
    });
    listed.collect()
}

/// The place of columns that are not shown at first.
const LAST: u8 = 3;

impl Leaf<'_> {
    fn extended(&self, row_id: Option<&str>) -> Value {
        let path = self.field.path.as_str();
        let title = self.node.and_then(|node| node.title.clone());
        let mut entry = Map::from_iter([
            ("fieldName".to_owned(), path.into()),
            ("displayName".to_owned(), title.unwrap_or_else(|| start_case(&self.field.name)).into()),
        ]);
        let mut say = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
        if self.field.kind.has_values() {
            say("isActive", true.into());
        }
        let Some(node) = self.node else { return entry.into() };
        if node.is_list && !matches!(node.kind, Kind::Object(_)) {
            say("isArray", true.into());
        }
        if !node.values.is_empty() {
            say("displayValues", labels(node));
        }
        if row_id == Some(path) {
            say("primaryKey", true.into());
        }
        if self.field.kind.is_string() && (self.role() == Role::Id || self.field.name == "fileName") {
            say("quickSearchEnabled", true.into());
        }
        if self.field.kind.is_integer() {
            say("rangeStep", 1.into());
        }
        if self.is_size_of_file() {
            say("unit", "B".into());
        }
        entry.into()
    }

    fn role(&self) -> Role {
        self.node.map_or(Role::Usual, |node| node.role)
    }

    fn is_size_of_file(&self) -> bool {
        self.field.name == "fileSize" && self.role() == Role::Telling
    }

    /// Returns how early the field comes among the facets; nothing if it makes none. Fields of few values come first.
    fn rank(&self) -> Option<u8> {
        let is_counted_up = self.node.is_some_and(|node| !node.values.is_empty());
        match (&self.field.kind, self.role()) {
            (_, Role::Id | Role::Quiet) => None,
            (FieldKind::Keyword, Role::Telling) if self.field.name != "fileName" => Some(0),
            (FieldKind::Keyword, Role::Usual) if is_counted_up => Some(1),
            (FieldKind::Boolean, _) => Some(2),
            (kind, _) if kind.is_date() => Some(3),
            (kind, _) if kind.is_numeric() => Some(4),
            (FieldKind::Keyword | FieldKind::Ip, Role::Usual) => Some(5),
            _ => None,
        }
    }

    fn place_in_table(&self) -> u8 {
        match self.role() {
            Role::Id if self.field.name == "analysisId" && !self.field.path.contains('.') => 0,
            Role::Telling => 1,
            Role::Usual => 2,
            Role::Id | Role::Quiet => LAST,
        }
    }
}

/// Returns what people read instead of the values that a schema counts up.
fn labels(node: &Node) -> Value {
    let label = |(value, label): &(String, Option<String>)| {
        (value.clone(), label.clone().unwrap_or_else(|| readable(value)).into())
    };
    Value::Object(node.values.iter().map(label).collect())
}

/// Returns a value in words, if it is written as programs write them; names and abbreviations stay as they are.
fn readable(value: &str) -> String {
    let is_plain = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit() || matches!(next, '_' | '-' | ' ');
    if !value.starts_with(|first: char| first.is_ascii_lowercase()) || !value.chars().all(is_plain) {
        return value.to_owned();
    }
    let spaced = value.replace('_', " ");
    let mut letters = spaced.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
