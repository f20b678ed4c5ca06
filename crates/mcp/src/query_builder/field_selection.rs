//! The selected fields of a record, and records without the connections of GraphQL.

use cantata_catalogue::{Catalogue, FlatField, NodeField, NodeShape};
use serde_json::{Map, Value};

use super::unknown_field;

/// The depth of a record's node in a query.
const NODE_DEPTH: usize = 4;

/// The depth of an element's node below its container.
const ELEMENT_DEPTH: usize = 3;

/// The selected fields of a level.
#[derive(Default)]
pub(crate) struct FieldSelection<'c> {
    nodes: Vec<(&'c NodeField, FieldSelection<'c>)>,
    /// Fields beyond the depth limit, which are selected by their flat names.
    flat: Vec<&'c FlatField>,
}

/// Why a field cannot be selected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SelectionError {
    #[error("fields: {name:?} holds other fields; name those that are wanted, such as {example}")]
    Container { name: String, example: String },
    #[error("fields: {name:?} can be searched but not shown; {whole:?} has the values")]
    NotShown { name: String, whole: String },
    #[error("{}", unknown_field("fields", .0))]
    Unknown(String),
}

impl<'c> FieldSelection<'c> {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.flat.is_empty()
    }

    /// Adds a field by its dotted name.
    pub(crate) fn add(&mut self, catalogue: &'c Catalogue, name: &str) -> Result<(), SelectionError> {
        let Some(route) = catalogue.root.route_to(name) else { return Err(not_selectable(catalogue, name)) };
        if route.last().is_some_and(|node| node.shape.level().is_some()) {
            return Err(SelectionError::Container { name: name.to_owned(), example: example(&route) });
        }
        let is_nested = |node: &&&NodeField| matches!(node.shape, NodeShape::Nested(_));
        let depth = NODE_DEPTH + route.len() + ELEMENT_DEPTH * route.iter().filter(is_nested).count();
        let flat = catalogue.root.flat.iter().find(|field| field.path == name);
        match flat {
            Some(flat) if depth > catalogue.limits.max_depth => {
                if !self.flat.iter().any(|field| field.path == flat.path) {
                    self.flat.push(flat);
                }
            }
            _ => self.add_route(&route),
        }
        Ok(())
    }

    fn add_route(&mut self, route: &[&'c NodeField]) {
        let Some((node, rest)) = route.split_first() else { return };
        let index = self.nodes.iter().position(|(known, _)| known.name == node.name).unwrap_or_else(|| {
            self.nodes.push((node, FieldSelection::default()));
            self.nodes.len() - 1
        });
        if let Some((_, inner)) = self.nodes.get_mut(index) {
            inner.add_route(rest);
        }
    }

    /// Writes the selection of a node.
    pub(crate) fn write(&self, out: &mut String) {
        for (node, inner) in &self.nodes {
            out.push_str(&node.name);
            match node.shape {
                NodeShape::Nested(_) => {
                    out.push_str(" { hits { edges { node { ");
                    inner.write(out);
                    out.push_str("} } } }");
                }
                NodeShape::Object(_) => {
                    out.push_str(" { ");
                    inner.write(out);
                    out.push('}');
                }
                NodeShape::Scalar { .. } | NodeShape::Json => {}
            }
            out.push(' ');
        }
        for field in &self.flat {
            out.push_str(&field.name);
            out.push(' ');
        }
    }

    /// Returns a node with the names of the document, and its connections as lists.
    pub(crate) fn unwrap(&self, node: &Value) -> Value {
        let mut members = Map::new();
        for (field, inner) in &self.nodes {
            let value = &node[&field.name];
            let unwrapped = match field.shape {
                NodeShape::Nested(_) => {
                    let edges = value["hits"]["edges"].as_array().map(Vec::as_slice).unwrap_or_default();
                    edges.iter().map(|edge| inner.unwrap(&edge["node"])).collect()
                }
                NodeShape::Object(_) if value.is_object() => inner.unwrap(value),
                NodeShape::Object(_) | NodeShape::Scalar { .. } | NodeShape::Json => value.clone(),
            };
            let name = field.path.rsplit('.').next().unwrap_or(&field.path);
            members.insert(name.to_owned(), unwrapped);
        }
        for field in &self.flat {
            members.insert(field.path.clone(), node[&field.name].clone());
        }
        Value::Object(members)
    }

    /// Returns the differences from what was requested.
    pub(crate) fn notes(&self) -> Vec<String> {
        let lists = self.flat.iter().filter(|field| field.list);
        lists
            .map(|field| {
                format!(
                    "{}: the values of all elements of a record stand in one list, since the catalogue does not let \
                     requests reach deeper (maxDepth)",
                    field.path
                )
            })
            .collect()
    }
}

/// Returns the path of a field within the container at the end of a route.
fn example(route: &[&NodeField]) -> String {
    let mut level = route.last().and_then(|node| node.shape.level());
    let mut path = "its own fields";
    while let Some(node) = level.and_then(|level| level.nodes.first()) {
        path = &node.path;
        level = node.shape.level();
    }
    path.to_owned()
}

/// Returns why a field cannot be selected.
fn not_selectable(catalogue: &Catalogue, name: &str) -> SelectionError {
    let whole = name.rsplit_once('.').map_or(name, |(whole, _)| whole);
    match catalogue.mapping.entry(name) {
        Some(_) => SelectionError::NotShown { name: name.to_owned(), whole: whole.to_owned() },
        None => SelectionError::Unknown(name.to_owned()),
    }
}
