//! The fields of a catalogue as GraphQL shows them: levels of nodes, and the aggregations over them.
//!
//! A [`Level`] is the record itself, a plain object or a nested container. Each of its nodes is a scalar, a JSON value
//! or a level again. Beside the nested selection every scalar below a level can be named flat (`donors__gender`), and
//! the record and every nested container have one aggregation field for each path below them. Invariants: names are
//! valid in GraphQL; within one level the names of nodes and flat fields are unique, and so are those of aggregations;
//! type names are unique in the catalogue, those that GraphQL derives from a nested level (`…Node`) included.

mod aggregations;
mod build;
mod scalar;
mod type_names;

use std::collections::HashMap;

pub(crate) use build::build;
pub use scalar::Scalar;

/// The record, a plain object or a nested container.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Level {
    /// The dotted path; empty for the record.
    pub path: String,
    /// The name of the GraphQL type; for the record the document type.
    pub type_name: String,
    /// The scalars and JSON values in mapping order, then the containers in mapping order.
    pub nodes: Vec<NodeField>,
    /// The scalars and JSON values in the containers, at any depth, by flat names.
    pub flat: Vec<FlatField>,
    /// What can be aggregated at or below the level; nothing for a plain object, whose fields the level around it has.
    pub aggregations: Vec<AggregationField>,
    pub(crate) selectable: HashMap<String, Selectable>,
    pub(crate) aggregation_places: HashMap<String, usize>,
}

/// One field of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeField {
    /// The name in GraphQL.
    pub name: String,
    /// The dotted path.
    pub path: String,
    /// The path as a flat name, counted from the record.
    pub flat_name: String,
    /// What it holds.
    pub shape: Shape,
    /// For an alias the path of the field whose values it shows; they stand in documents there only.
    pub alias_of: Option<String>,
    /// The paths of the fields whose values are copied to this one; documents have them there only.
    pub copied_from: Vec<String>,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A value.
    Scalar {
        /// Its GraphQL type.
        scalar: Scalar,
        /// Whether all values are shown as a list; otherwise the first one.
        list: bool,
    },
    /// Any JSON, shown as it stands in the document.
    Json,
    /// An object with fields of its own.
    Object(Level),
    /// A list of objects, shown as a connection.
    Nested(Level),
}

impl Shape {
    /// Returns the level of a container.
    pub fn level(&self) -> Option<&Level> {
        match self {
            Self::Object(level) | Self::Nested(level) => Some(level),
            Self::Scalar { .. } | Self::Json => None,
        }
    }
}

/// A scalar or JSON value in a container, named from a level above.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatField {
    /// The flat name, counted from the level.
    pub name: String,
    /// The dotted path, counted from the record.
    pub path: String,
    /// The places in `nodes` that lead from the level through the containers to the field.
    pub route: Vec<usize>,
    /// The type of one value; nothing for JSON.
    pub scalar: Option<Scalar>,
    /// Whether it gives a list, since a nested container lies between or the field itself does.
    pub list: bool,
}

/// What a name in a selection stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Selectable {
    Node(usize),
    Flat(usize),
}

/// A path that can be aggregated.
#[derive(Debug, Clone, PartialEq)]
pub struct AggregationField {
    /// The flat name, counted from the level.
    pub name: String,
    /// The dotted path, counted from the record; multi-fields included.
    pub path: String,
    /// The path of the mapping field whose values are counted: the same one, unless it is an alias.
    pub target: String,
    /// Which aggregations it offers.
    pub kind: AggregationKind,
    /// False where there is nothing to count: a container or a type that cannot be searched.
    pub has_values: bool,
}

/// Which aggregations a field offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AggregationKind {
    /// Buckets and cardinality.
    Plain,
    /// Also stats, histogram and ranges.
    Numeric,
}

impl AggregationKind {
    /// Returns the name of the GraphQL type.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Plain => "Aggregations",
            Self::Numeric => "NumericAggregations",
        }
    }
}

impl Level {
    /// Returns the node of a GraphQL name.
    pub fn node(&self, name: &str) -> Option<&NodeField> {
        match self.selectable.get(name)? {
            Selectable::Node(place) => self.nodes.get(*place),
            Selectable::Flat(_) => None,
        }
    }

    /// Returns the field in the containers that a flat name such as `donors__gender` stands for.
    pub fn flat_field(&self, name: &str) -> Option<&FlatField> {
        match self.selectable.get(name)? {
            Selectable::Flat(place) => self.flat.get(*place),
            Selectable::Node(_) => None,
        }
    }

    /// Returns the aggregation field of a flat name.
    pub fn aggregation(&self, name: &str) -> Option<&AggregationField> {
        self.aggregation_places.get(name).and_then(|place| self.aggregations.get(*place))
    }

    /// Returns the nodes that lead to a flat field, the field itself last.
    pub fn along<'l>(&'l self, field: &FlatField) -> Vec<&'l NodeField> {
        let mut nodes = Vec::with_capacity(field.route.len());
        let mut level = Some(self);
        for &place in &field.route {
            let Some(node) = level.and_then(|level| level.nodes.get(place)) else { break };
            nodes.push(node);
            level = node.shape.level();
        }
        nodes
    }

    /// Returns the nodes that lead to a dotted path, which is counted from the record; nothing if no node has it.
    pub fn route_to(&self, path: &str) -> Option<Vec<&NodeField>> {
        let mut nodes = Vec::new();
        let mut level = self;
        loop {
            let node = level.nodes.iter().find(|node| is_at_or_below(path, &node.path))?;
            nodes.push(node);
            if node.path == path {
                return Some(nodes);
            }
            level = node.shape.level()?;
        }
    }
}

/// Returns whether a path is that of a container or lies in it; everything lies in the record.
pub(crate) fn is_at_or_below(path: &str, container: &str) -> bool {
    container.is_empty() || path.strip_prefix(container).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns a path counted from a container around it.
pub(crate) fn relative<'p>(path: &'p str, container: &str) -> &'p str {
    path.strip_prefix(container).map_or(path, |rest| rest.strip_prefix('.').unwrap_or(rest))
}
