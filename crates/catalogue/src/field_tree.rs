//! The field tree: the fields of a catalogue as levels of GraphQL nodes, with their aggregations.
//!
//! A [`FieldLevel`] is the record itself, a plain object or a nested container. Each of its nodes is a scalar, a JSON
//! value or a level again. Beside the nested selection every scalar below a level can be named flat (`donors__gender`), and
//! the record and every nested container have one aggregation field for each path below them. Invariants: names are
//! valid in GraphQL; within one level the names of nodes and flat fields are unique, and so are those of aggregations;
//! type names are unique in the catalogue, those that GraphQL derives from a nested level (`…Node`) included.

mod aggregations;
mod build;
mod flat_names;
mod scalar;
mod type_names;

use std::collections::HashMap;

pub(crate) use build::build;
pub(crate) use flat_names::FlatNames;
pub use scalar::GraphqlScalar;

/// The record, a plain object or a nested container.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldLevel {
    /// The dotted path; empty for the record.
    pub path: String,
    /// The name of the GraphQL type; for the record the document type.
    pub type_name: String,
    /// The scalars and JSON values in mapping order, then the containers in mapping order.
    pub nodes: Vec<NodeField>,
    /// The scalars and JSON values in the containers, at any depth, by flat names.
    pub flat: Vec<FlatField>,
    /// The aggregations at or below the level; none for a plain object, whose fields belong to the enclosing level.
    pub aggregations: Vec<AggregationField>,
    pub(crate) selectable: HashMap<String, Selectable>,
    pub(crate) aggregation_indexes: HashMap<String, usize>,
}

/// One field of a level.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeField {
    /// The name in GraphQL.
    pub name: String,
    /// The dotted path.
    pub path: String,
    /// The path from the record as a flat name.
    pub flat_name: String,
    /// What it holds.
    pub shape: NodeShape,
    /// The target of an alias; documents have the values there only.
    pub alias_of: Option<String>,
    /// The fields that are copied to this one; documents have the values there only.
    pub copied_from: Vec<String>,
    /// Whether the index passes over values of another type, so that they are not shown either.
    pub ignores_malformed: bool,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeShape {
    /// A value.
    Scalar {
        /// Its GraphQL type.
        scalar: GraphqlScalar,
        /// Whether all values are returned as a list, rather than the first one.
        list: bool,
    },
    /// Any JSON, as in the document.
    Json,
    /// An object with fields of its own.
    Object(FieldLevel),
    /// A list of objects, returned as a connection.
    Nested(FieldLevel),
}

impl NodeShape {
    /// Returns the level of a container.
    pub fn level(&self) -> Option<&FieldLevel> {
        match self {
            Self::Object(level) | Self::Nested(level) => Some(level),
            Self::Scalar { .. } | Self::Json => None,
        }
    }
}

/// A scalar or JSON value in a container, named from a level above.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatField {
    /// The flat name from the level.
    pub name: String,
    /// The dotted path from the record.
    pub path: String,
    /// The indexes in `nodes` from the level through the containers to the field.
    pub route: Vec<usize>,
    /// The type of one value; `None` for JSON.
    pub scalar: Option<GraphqlScalar>,
    /// Whether it is a list, because of a nested container in between or of the field itself.
    pub list: bool,
}

/// What a name in a selection resolves to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Selectable {
    Node(usize),
    Flat(usize),
}

/// A path that can be aggregated.
#[derive(Debug, Clone, PartialEq)]
pub struct AggregationField {
    /// The flat name from the level.
    pub name: String,
    /// The dotted path from the record; multi-fields included.
    pub path: String,
    /// The path of the field whose values are aggregated: the same one, unless it is an alias.
    pub target: String,
    /// Which aggregations it offers.
    pub kind: AggregationKind,
    /// False for a container or a type that cannot be searched.
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

impl FieldLevel {
    /// Returns the node of a GraphQL name.
    pub fn node(&self, name: &str) -> Option<&NodeField> {
        match self.selectable.get(name)? {
            Selectable::Node(index) => self.nodes.get(*index),
            Selectable::Flat(_) => None,
        }
    }

    /// Returns the field of a flat name such as `donors__gender`.
    pub fn flat_field(&self, name: &str) -> Option<&FlatField> {
        match self.selectable.get(name)? {
            Selectable::Flat(index) => self.flat.get(*index),
            Selectable::Node(_) => None,
        }
    }

    /// Returns the aggregation field of a flat name.
    pub fn aggregation(&self, name: &str) -> Option<&AggregationField> {
        self.aggregation_indexes.get(name).and_then(|index| self.aggregations.get(*index))
    }

    /// Returns the nodes on the way to a flat field, the field itself last.
    pub fn along<'l>(&'l self, field: &FlatField) -> Vec<&'l NodeField> {
        let mut nodes = Vec::with_capacity(field.route.len());
        let mut level = Some(self);
        for &index in &field.route {
            let Some(node) = level.and_then(|level| level.nodes.get(index)) else { break };
            nodes.push(node);
            level = node.shape.level();
        }
        nodes
    }

    /// Returns the nodes on the way to a dotted path from the record; `None` if no node has it.
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

/// Returns whether a path is that of a container or below it; every path is below the record.
pub(crate) fn is_at_or_below(path: &str, container: &str) -> bool {
    container.is_empty() || path.strip_prefix(container).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Returns a path relative to an enclosing container.
pub(crate) fn relative<'p>(path: &'p str, container: &str) -> &'p str {
    path.strip_prefix(container).map_or(path, |rest| rest.strip_prefix('.').unwrap_or(rest))
}
