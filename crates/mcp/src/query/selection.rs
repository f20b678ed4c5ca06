//! Which fields of a record are shown, and records without GraphQL's wrapping of lists.

use cantata_catalogue::{Catalogue, FlatField, NodeField, Shape};
use serde_json::{Map, Value};

use super::unknown_field;

/// How deep the node of a record lies in a query.
const NODE_DEPTH: usize = 4;

/// How much deeper the node of an element lies than the list it is in.
const ELEMENT_DEPTH: usize = 3;

/// The fields of a level that are shown.
#[derive(Default)]
pub(crate) struct Selection<'c> {
    nodes: Vec<(&'c NodeField, Selection<'c>)>,
    /// Fields that lie deeper than requests may ask for, as lists of their values.
    flat: Vec<&'c FlatField>,
}

impl<'c> Selection<'c> {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.flat.is_empty()
    }

    /// Adds a field by its dotted name.
    pub(crate) fn add(&mut self, catalogue: &'c Catalogue, name: &str) -> Result<(), String> {
        let Some(route) = catalogue.root.route_to(name) else { return Err(no_node(catalogue, name)) };
        if route.last().is_some_and(|node| node.shape.level().is_some()) {
            return Err(format!(
                "fields: {name:?} holds other fields; name those that are wanted, such as {}",
                example(&route)
            ));
        }
        let is_nested = |node: &&&NodeField| matches!(node.shape, Shape::Nested(_));
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
        let place = self.nodes.iter().position(|(known, _)| known.name == node.name).unwrap_or_else(|| {
            self.nodes.push((node, Selection::default()));
            self.nodes.len() - 1
        });
        if let Some((_, inner)) = self.nodes.get_mut(place) {
            inner.add_route(rest);
        }
    }

    /// Writes what is selected in a node.
    pub(crate) fn write(&self, out: &mut String) {
        for (node, inner) in &self.nodes {
            out.push_str(&node.name);
            match node.shape {
                Shape::Nested(_) => {
                    out.push_str(" { hits { edges { node { ");
                    inner.write(out);
                    out.push_str("} } } }");
                }
                Shape::Object(_) => {
                    out.push_str(" { ");
                    inner.write(out);
                    out.push('}');
                }
                Shape::Scalar { .. } | Shape::Json => {}
            }
            out.push(' ');
        }
        for field in &self.flat {
            out.push_str(&field.name);
            out.push(' ');
        }
    }

    /// Returns a node with the names of the documents, and its lists as lists.
    pub(crate) fn unwrap(&self, node: &Value) -> Value {
        let mut members = Map::new();
        for (field, inner) in &self.nodes {
            let value = &node[&field.name];
            let shown = match field.shape {
                Shape::Nested(_) => {
                    let edges = value["hits"]["edges"].as_array().map(Vec::as_slice).unwrap_or_default();
                    edges.iter().map(|edge| inner.unwrap(&edge["node"])).collect()
                }
                Shape::Object(_) if value.is_object() => inner.unwrap(value),
                Shape::Object(_) | Shape::Scalar { .. } | Shape::Json => value.clone(),
            };
            let name = field.path.rsplit('.').next().unwrap_or(&field.path);
            members.insert(name.to_owned(), shown);
        }
        for field in &self.flat {
            members.insert(field.path.clone(), node[&field.name].clone());
        }
        Value::Object(members)
    }

    /// Returns what is otherwise than asked for.
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

/// Returns the name of a field within the container that a route leads to.
fn example(route: &[&NodeField]) -> String {
    let mut level = route.last().and_then(|node| node.shape.level());
    let mut path = "its own fields";
    while let Some(node) = level.and_then(|level| level.nodes.first()) {
        path = &node.path;
        level = node.shape.level();
    }
    path.to_owned()
}

/// Says why a name cannot be shown.
fn no_node(catalogue: &Catalogue, name: &str) -> String {
    match catalogue.mapping.entry(name) {
        Some(_) => {
            let whole = name.rsplit_once('.').map_or(name, |(whole, _)| whole);
            format!("fields: {name:?} can be searched but not shown; {whole:?} has the values")
        }
        None => unknown_field("fields", name),
    }
}
