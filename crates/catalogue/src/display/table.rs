//! The table: its columns, as the files list them or generated, each complete with the selection that fetches it.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{ExtendedField, GENERATED, Source};
use crate::config::ColumnEntry;
use crate::field_tree::{NodeField, Shape};

/// The fields that every record has beside those of the mapping.
const OWN_FIELDS: [&str; 2] = ["id", "score"];

/// What portals are told of the table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Table {
    /// The columns in their order.
    pub columns: Vec<Column>,
    /// How rows are sorted at first.
    pub default_sorting: Option<Vec<Sorting>>,
    /// How many rows there may be.
    pub max_results_window: u64,
    /// The field that names a row.
    pub row_id_field_name: String,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// Where a portal finds the value in a row.
    pub accessor: String,
    /// Whether people may hide and show it.
    pub can_change_show: bool,
    /// How dates and numbers are written.
    pub display_format: Option<String>,
    /// What people read.
    pub display_name: String,
    /// How it is shown.
    pub display_type: Option<String>,
    /// What people read instead of single values.
    pub display_values: Map<String, Value>,
    /// The dotted path.
    pub field_name: String,
    /// What names the column.
    pub id: Option<String>,
    /// Whether its values are shown as lists.
    pub is_array: bool,
    /// Where a portal finds all values in a row.
    pub json_path: String,
    /// The selection that fetches it.
    pub query: String,
    /// Whether it is shown at first.
    pub show: bool,
    /// Whether rows can be sorted by it.
    pub sortable: Option<bool>,
}

/// One step of the first sorting.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sorting {
    /// The dotted path.
    pub field_name: String,
    /// Whether the largest come first.
    pub desc: bool,
}

/// How deep a selection of nodes lies: the root field, `hits`, `edges` and `node` are around it.
const DEPTH_OF_NODES: usize = 4;

/// How a field is fetched.
struct Access {
    accessor: String,
    query: String,
    json_path: String,
}

pub(super) fn build(source: &mut Source<'_>, extended: &[ExtendedField]) -> Table {
    let config = source.config;
    let columns: Vec<Column> = match &config.table.columns {
        Some(entries) => entries.iter().filter_map(|entry| configured(source, extended, entry)).collect(),
        None => generated(source, extended),
    };
    warn_of_depth(source, &columns);
    let default_sorting = config.table.default_sorting.as_ref().map(|entries| {
        let mut sortings = Vec::new();
        for entry in entries {
            let field_name = match OWN_FIELDS.contains(&entry.field_name.as_str()) || entry.field_name == "_id" {
                true => Some(entry.field_name.clone()),
                false => source.resolve(&entry.key, &entry.field_name),
            };
            sortings.extend(field_name.map(|field_name| Sorting { field_name, desc: entry.desc }));
        }
        sortings
    });
    Table {
        columns,
        default_sorting,
        max_results_window: config.limits.max_results_window,
        row_id_field_name: config.row_id_field_name.clone(),
    }
}

fn configured(source: &mut Source<'_>, extended: &[ExtendedField], entry: &ColumnEntry) -> Option<Column> {
    let name = entry.field_name.as_str();
    let is_own = OWN_FIELDS.contains(&name) && extended.iter().all(|field| field.field_name != name);
    // A column that brings its own selection may be called as one likes.
    let is_free = entry.query.is_some() && source.mapping.entry(name).is_none();
    let path = if is_own || is_free { name.to_owned() } else { source.resolve(&entry.key, name)? };
    let access = if is_own { Some(Access::own(name)) } else { Access::of(source, &path) };
    if access.is_none() && entry.query.is_none() {
        let found = format!("{name:?}, which is left out");
        source.warn(&entry.key, found, "a field with values, or a `query` that selects what to show of a container");
        return None;
    }
    let described = extended.iter().find(|field| field.field_name == path);
    let access = access.unwrap_or_else(|| Access::own(&path));
    Some(Column {
        accessor: entry.accessor.clone().unwrap_or(access.accessor),
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
        json_path: entry.json_path.clone().unwrap_or(access.json_path),
        query: entry.query.clone().unwrap_or(access.query),
        show: entry.show,
        sortable: entry.sortable,
        field_name: path,
    })
}

/// Generates columns; those that requests may not reach, as they lie too deep, would only make them fail.
fn generated(source: &Source<'_>, extended: &[ExtendedField]) -> Vec<Column> {
    let columns = extended.iter().filter(|field| !field.is_container()).filter_map(|field| {
        let Access { accessor, query, json_path } = Access::of(source, &field.field_name)?;
        if depth_of(&query) > source.config.limits.max_depth {
            return None;
        }
        Some(Column {
            accessor,
            can_change_show: true,
            display_format: None,
            display_name: field.display_name.clone(),
            display_type: Some(field.display_type.clone()),
            display_values: field.display_values.clone(),
            field_name: field.field_name.clone(),
            id: None,
            is_array: field.is_array,
            json_path,
            query,
            show: true,
            sortable: Some(false),
        })
    });
    columns.take(GENERATED).collect()
}

/// Reports that the table cannot be fetched within the limit of depth.
fn warn_of_depth(source: &mut Source<'_>, columns: &[Column]) {
    let limit = source.config.limits.max_depth;
    let deepest = columns.iter().map(|column| (depth_of(&column.query), column)).max_by_key(|(depth, _)| *depth);
    if let Some((depth, column)) = deepest.filter(|(depth, _)| *depth > limit) {
        let expected = format!("at least {depth}, for the column {:?}", column.field_name);
        source.warn("maxDepth", format!("the limit {limit}"), expected);
    }
}

/// Returns how deep the fields of a request lie that selects this in nodes.
fn depth_of(query: &str) -> usize {
    let mut open: usize = 0;
    let mut most: usize = 0;
    for next in query.chars() {
        match next {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    DEPTH_OF_NODES + 1 + most
}

impl Access {
    /// Returns how a field is fetched that stands in the node by its name.
    fn own(name: &str) -> Self {
        Self { accessor: name.to_owned(), query: name.to_owned(), json_path: format!("$.{name}") }
    }

    /// Returns how a scalar or JSON value is fetched; nothing for a container, of which parts must be selected.
    fn of(source: &Source<'_>, path: &str) -> Option<Self> {
        let route = source.root.route_to(path)?;
        if route.last()?.shape.level().is_some() {
            return None;
        }
        let names: Vec<&str> = route.iter().map(|node| node.name.as_str()).collect();
        let mut access = Self { accessor: names.join("."), query: String::new(), json_path: "$".to_owned() };
        let mut closing = String::new();
        for node in route {
            access.enter(node, &mut closing);
        }
        access.query.push_str(&closing);
        Some(access)
    }

    fn enter(&mut self, node: &NodeField, closing: &mut String) {
        self.query.push_str(&node.name);
        self.json_path.push('.');
        self.json_path.push_str(&node.name);
        match node.shape {
            Shape::Object(_) => {
                self.query.push('{');
                closing.push('}');
            }
            Shape::Nested(_) => {
                self.query.push_str("{hits{edges{node{");
                self.json_path.push_str(".hits.edges[*].node");
                closing.push_str("}}}}");
            }
            Shape::Scalar { .. } | Shape::Json => {}
        }
    }
}
