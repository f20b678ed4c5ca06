//! The table: its columns, configured or generated, each with the selection that fetches it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::choice::{best_of, is_sortable};
use super::{DisplayBuilder, ExtendedField, MAX_GENERATED_ENTRIES};
use crate::config::{ColumnEntry, SortingEntry};
use crate::field_tree::{NodeField, NodeShape};

/// The fields that every record has besides those of the mapping.
const RECORD_FIELDS: [&str; 2] = ["id", "score"];

/// The display configuration of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TableDisplay {
    /// The columns in their order.
    pub columns: Vec<ColumnDisplay>,
    /// The initial sorting.
    pub default_sorting: Option<Vec<SortingEntry>>,
    /// The limit of rows.
    pub max_results_window: u64,
    /// The field with the id of a row.
    pub row_id_field_name: String,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ColumnDisplay {
    /// The path of the value in a row.
    pub accessor: String,
    /// Whether users may hide and show it.
    pub can_change_show: bool,
    /// How dates and numbers are written.
    pub display_format: Option<String>,
    /// The display name.
    pub display_name: String,
    /// How portals display it.
    pub display_type: Option<String>,
    /// Replacements of single values.
    pub display_values: Map<String, Value>,
    /// The dotted path.
    pub field_name: String,
    /// The id of the column.
    pub id: Option<String>,
    /// Whether its values are lists.
    pub is_array: bool,
    /// The JSON path of all values in a row.
    pub json_path: String,
    /// The selection that fetches it.
    pub query: String,
    /// Whether it is visible initially.
    pub show: bool,
    /// Whether rows can be sorted by it.
    pub sortable: Option<bool>,
}

/// The depth of the selection of nodes: below the root field, `hits`, `edges` and `node`.
const NODE_DEPTH: usize = 4;

/// The selection that fetches a field, and the paths of its values in a row.
struct FieldQuery {
    accessor: String,
    query: String,
    json_path: String,
}

pub(super) fn build(builder: &mut DisplayBuilder<'_>, extended: &[ExtendedField]) -> TableDisplay {
    let config = builder.config;
    let columns: Vec<ColumnDisplay> = match &config.table.columns {
        Some(entries) => entries.iter().filter_map(|entry| configured(builder, extended, entry)).collect(),
        None => generated(builder, extended),
    };
    warn_of_depth(builder, &columns);
    let default_sorting = config.table.default_sorting.as_ref().map(|entries| {
        let mut sortings = Vec::new();
        for entry in entries {
            let field_name = match RECORD_FIELDS.contains(&entry.field_name.as_str()) || entry.field_name == "_id" {
                true => Some(entry.field_name.clone()),
                false => builder.resolve(&entry.key, &entry.field_name),
            };
            sortings.extend(field_name.map(|field_name| SortingEntry { field_name, ..entry.clone() }));
        }
        sortings
    });
    TableDisplay {
        columns,
        default_sorting,
        max_results_window: config.limits.max_results_window,
        row_id_field_name: config.row_id_field_name.clone(),
    }
}

fn configured(
    builder: &mut DisplayBuilder<'_>,
    extended: &[ExtendedField],
    entry: &ColumnEntry,
) -> Option<ColumnDisplay> {
    let name = entry.field_name.as_str();
    let is_record_field = RECORD_FIELDS.contains(&name) && extended.iter().all(|field| field.field_name != name);
    // A column with its own selection may have any name.
    let has_free_name = entry.query.is_some() && builder.mapping.entry(name).is_none();
    let path = if is_record_field || has_free_name { name.to_owned() } else { builder.resolve(&entry.key, name)? };
    let field_query = if is_record_field { Some(FieldQuery::member(name)) } else { FieldQuery::of(builder, &path) };
    if field_query.is_none() && entry.query.is_none() {
        let found = format!("{name:?}, which is left out");
        builder.warn(&entry.key, found, "a field with values, or a `query` that selects what to show of a container");
        return None;
    }
    let described = extended.iter().find(|field| field.field_name == path);
    let field_query = field_query.unwrap_or_else(|| FieldQuery::member(&path));
    Some(ColumnDisplay {
        accessor: entry.accessor.clone().unwrap_or(field_query.accessor),
        can_change_show: entry.can_change_show.unwrap_or(true),
        display_format: entry.display_format.clone(),
        display_name: entry
            .display_name
            .clone()
            .or_else(|| described.map(|field| field.display_name.clone()))
            .unwrap_or_else(|| format!("* {path}")),
        display_type: entry.display_type.clone().or_else(|| described.map(|field| field.display_type.clone())),
        display_values: entry
            .display_values
            .clone()
            .or_else(|| described.map(|field| field.display_values.clone()))
            .unwrap_or_default(),
        id: entry.id.clone(),
        is_array: described.is_some_and(|field| field.is_array),
        json_path: entry.json_path.clone().unwrap_or(field_query.json_path),
        query: entry.query.clone().unwrap_or(field_query.query),
        show: entry.show,
        sortable: entry.sortable,
        field_name: path,
    })
}

/// Generates columns but those beyond the depth limit, which would make requests fail. With knowledge of the values
/// they are the ones that tell most, the key of the record first.
fn generated(builder: &mut DisplayBuilder<'_>, extended: &[ExtendedField]) -> Vec<ColumnDisplay> {
    let limit = if builder.knowledge.is_some() { usize::MAX } else { MAX_GENERATED_ENTRIES };
    let columns = extended.iter().filter(|field| !field.is_container()).filter_map(|field| {
        let field_query = FieldQuery::of(builder, &field.field_name)?;
        if depth_of(&field_query.query) > builder.config.limits.max_depth {
            return None;
        }
        let field_name = field.field_name.clone();
        let sortable = Some(builder.knowledge.is_some() && is_sortable(builder.mapping, &field_name));
        let entry = ColumnEntry { field_name, show: true, sortable, ..ColumnEntry::default() };
        configured(builder, extended, &entry)
    });
    let columns: Vec<ColumnDisplay> = columns.take(limit).collect();
    let Some(knowledge) = &builder.knowledge else { return columns };
    let worth = |column: &ColumnDisplay| knowledge.column_worth(&column.field_name);
    let mut best: Vec<ColumnDisplay> = best_of(&columns, MAX_GENERATED_ENTRIES, worth).into_iter().cloned().collect();
    let is_key = |path: &str| extended.iter().any(|field| field.primary_key && field.field_name == path);
    best.sort_by_key(|column| !is_key(&column.field_name));
    best
}

/// Warns that the table cannot be fetched within the depth limit.
fn warn_of_depth(builder: &mut DisplayBuilder<'_>, columns: &[ColumnDisplay]) {
    let limit = builder.config.limits.max_depth;
    let deepest = columns.iter().map(|column| (depth_of(&column.query), column)).max_by_key(|(depth, _)| *depth);
    if let Some((depth, column)) = deepest.filter(|(depth, _)| *depth > limit) {
        let expected = format!("at least {depth}, for the column {:?}", column.field_name);
        builder.warn("maxDepth", format!("the limit {limit}"), expected);
    }
}

/// Returns the depth of a request that selects this in nodes.
fn depth_of(query: &str) -> usize {
    let mut open: usize = 0;
    let mut deepest: usize = 0;
    for next in query.chars() {
        match next {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    NODE_DEPTH + 1 + deepest
}

impl FieldQuery {
    /// Returns the query of a field that is a member of the node.
    fn member(name: &str) -> Self {
        Self { accessor: name.to_owned(), query: name.to_owned(), json_path: format!("$.{name}") }
    }

    /// Returns the query of a scalar or JSON value; `None` for a container, which needs a selection.
    fn of(builder: &DisplayBuilder<'_>, path: &str) -> Option<Self> {
        let route = builder.root.route_to(path)?;
        if route.last()?.shape.level().is_some() {
            return None;
        }
        let names: Vec<&str> = route.iter().map(|node| node.name.as_str()).collect();
        let mut query = Self { accessor: names.join("."), query: String::new(), json_path: "$".to_owned() };
        let mut closing = String::new();
        for node in route {
            query.enter(node, &mut closing);
        }
        query.query.push_str(&closing);
        Some(query)
    }

    fn enter(&mut self, node: &NodeField, closing: &mut String) {
        self.query.push_str(&node.name);
        self.json_path.push('.');
        self.json_path.push_str(&node.name);
        match node.shape {
            NodeShape::Object(_) => {
                self.query.push('{');
                closing.push('}');
            }
            NodeShape::Nested(_) => {
                self.query.push_str("{hits{edges{node{");
                self.json_path.push_str(".hits.edges[*].node");
                closing.push_str("}}}}");
            }
            NodeShape::Scalar { .. } | NodeShape::Json => {}
        }
    }
}
