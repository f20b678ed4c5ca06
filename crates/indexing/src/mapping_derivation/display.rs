//! The initial display configuration: names, facets and columns, in the form of the configuration files.
//!
//! Only fields of the mapping are listed, so that an override can remove fields of the schemas.

use cantata_catalogue::{DocumentShape, start_case};
use cantata_mapping::{Field, FieldKind, IndexMapping};
use serde_json::{Map, Value, json};

use super::field_node::{FieldNode, FieldRole, Fields, NodeKind};

/// The maximum number of facets, and of those that are shown at first.
const MAX_FACETS: (usize, usize) = (30, 12);

/// The maximum number of columns, and of those that are shown at first.
const MAX_COLUMNS: (usize, usize) = (40, 10);

/// The maximum depth of a column, so that it is within the usual depth of a request.
const MAX_COLUMN_DEPTH: usize = 2;

/// A field with its node; none if only an override has it.
struct LeafField<'a> {
    field: &'a Field,
    node: Option<&'a FieldNode>,
}

/// Returns the sections `extended`, `facets` and `table`.
pub(super) fn sections(fields: &Fields, mapping: &IndexMapping, shape: &DocumentShape) -> Value {
    let row_id = match shape {
        DocumentShape::FileCentric => Some("objectId"),
        DocumentShape::AnalysisCentric => Some("analysisId"),
        DocumentShape::Paths(_) => None,
    };
    let all: Vec<LeafField<'_>> =
        mapping.fields().map(|field| LeafField { field, node: fields.at(&field.path) }).collect();
    let extended: Vec<Value> = all.iter().map(|leaf| leaf.extended(row_id)).collect();
    let leaves: Vec<&LeafField<'_>> =
        all.iter().filter(|leaf| leaf.field.kind.has_values() && leaf.field.enabled).collect();
    let mut table = Map::from_iter([("columns".to_owned(), columns(&leaves))]);
    table.extend(row_id.map(|id| ("rowIdFieldName".to_owned(), id.into())));
    json!({"extended": extended, "facets": {"aggregations": facets(&leaves)}, "table": table})
}

fn facets(leaves: &[&LeafField<'_>]) -> Vec<Value> {
    let mut ranked: Vec<(u8, &LeafField<'_>)> =
        leaves.iter().filter_map(|leaf| Some((leaf.facet_rank()?, *leaf))).collect();
    // The sort is stable: within a rank the order is that of the fields.
    ranked.sort_by_key(|(rank, _)| *rank);
    let (most, visible) = MAX_FACETS;
    let listed = ranked.into_iter().take(most).enumerate();
    listed
        .map(|(number, (_, leaf))| json!({"fieldName": leaf.field.path, "isActive": true, "show": number < visible}))
        .collect()
}

fn columns(leaves: &[&LeafField<'_>]) -> Value {
    let is_near = |leaf: &&&LeafField<'_>| {
        leaf.field.nested.is_empty() && leaf.field.path.matches('.').count() <= MAX_COLUMN_DEPTH
    };
    let mut ordered: Vec<(u8, &LeafField<'_>)> =
        leaves.iter().filter(is_near).map(|leaf| (leaf.column_rank(), *leaf)).collect();
    ordered.sort_by_key(|(rank, _)| *rank);
    let (most, visible) = MAX_COLUMNS;
    let mut left = visible;
    let listed = ordered.into_iter().take(most).map(|(rank, leaf)| {
        let show = left > 0 && rank < HIDDEN_COLUMN_RANK;
        left -= usize::from(show);
        let mut column = json!({"fieldName": leaf.field.path, "show": show, "sortable": true});
        if leaf.is_size_of_file() {
            column["displayType"] = "bytes".into();
        }
        column
    });
    listed.collect()
}

/// The rank of columns that are not shown at first.
const HIDDEN_COLUMN_RANK: u8 = 3;

impl LeafField<'_> {
    fn extended(&self, row_id: Option<&str>) -> Value {
        let path = self.field.path.as_str();
        let title = self.node.and_then(|node| node.title.clone());
        let mut entry = Map::from_iter([
            ("fieldName".to_owned(), path.into()),
            ("displayName".to_owned(), title.unwrap_or_else(|| start_case(&self.field.name)).into()),
        ]);
        let mut set = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
        if self.field.kind.has_values() {
            set("isActive", true.into());
        }
        let Some(node) = self.node else { return entry.into() };
        if let Some(description) = &node.description {
            set("description", description.as_str().into());
        }
        if node.is_list && !matches!(node.kind, NodeKind::Object(_)) {
            set("isArray", true.into());
        }
        if !node.values.is_empty() {
            set("displayValues", labels(node));
        }
        if row_id == Some(path) {
            set("primaryKey", true.into());
        }
        if self.field.kind.is_string() && (self.role() == FieldRole::Identifier || self.field.name == "fileName") {
            set("quickSearchEnabled", true.into());
        }
        if self.field.kind.is_integer() {
            set("rangeStep", 1.into());
        }
        if self.is_size_of_file() {
            set("unit", "B".into());
        }
        entry.into()
    }

    fn role(&self) -> FieldRole {
        self.node.map_or(FieldRole::Normal, |node| node.role)
    }

    fn is_size_of_file(&self) -> bool {
        self.field.name == "fileSize" && self.role() == FieldRole::Prominent
    }

    /// Returns the rank of the field among the facets; nothing if it makes none. Fields of few values come first.
    fn facet_rank(&self) -> Option<u8> {
        let is_enumerated = self.node.is_some_and(|node| !node.values.is_empty());
        match (&self.field.kind, self.role()) {
            (_, FieldRole::Identifier | FieldRole::Secondary) => None,
            (FieldKind::Keyword, FieldRole::Prominent) if self.field.name != "fileName" => Some(0),
            (FieldKind::Keyword, FieldRole::Normal) if is_enumerated => Some(1),
            (FieldKind::Boolean, _) => Some(2),
            (kind, _) if kind.is_date() => Some(3),
            (kind, _) if kind.is_numeric() => Some(4),
            (FieldKind::Keyword | FieldKind::Ip, FieldRole::Normal) => Some(5),
            _ => None,
        }
    }

    fn column_rank(&self) -> u8 {
        match self.role() {
            FieldRole::Identifier if self.field.name == "analysisId" && !self.field.path.contains('.') => 0,
            FieldRole::Prominent => 1,
            FieldRole::Normal => 2,
            FieldRole::Identifier | FieldRole::Secondary => HIDDEN_COLUMN_RANK,
        }
    }
}

/// Returns the labels of the values that a schema enumerates.
fn labels(node: &FieldNode) -> Value {
    let label = |(value, label): &(String, Option<String>)| {
        (value.clone(), label.clone().unwrap_or_else(|| readable(value)).into())
    };
    Value::Object(node.values.iter().map(label).collect())
}

/// Returns a readable form of an identifier-like value; names and abbreviations stay as they are.
fn readable(value: &str) -> String {
    let is_plain = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit() || matches!(next, '_' | '-' | ' ');
    if !value.starts_with(|first: char| first.is_ascii_lowercase()) || !value.chars().all(is_plain) {
        return value.to_owned();
    }
    let spaced = value.replace('_', " ");
    let mut letters = spaced.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
