//! From a mapping to the levels of a catalogue.

use std::collections::{HashMap, HashSet};

use cantata_mapping::{Field, FieldKind, IndexMapping};

use super::type_names::TypeNames;
use super::{FlatField, Level, NodeField, Scalar, Selectable, Shape, aggregations, relative};
use crate::names;
use crate::problem::ConfigProblem;

/// The property of the record that nodes have for the id of the document.
const ID: &str = "id";

/// The fields that the record and every nested container have for themselves.
const OWN_FIELDS: [&str; 2] = [ID, "score"];

/// Root fields of every schema; no document type can have their names.
const ROOT_FIELDS: [&str; 6] = ["hasValidConfig", "network", "node", "query", "sets", "viewer"];

/// Words that cannot be values of an enum, which the document type is.
const NO_ENUM_VALUES: [&str; 3] = ["true", "false", "null"];

/// The finished tree and what is to be said of it.
pub(crate) struct Tree {
    pub(crate) root: Level,
    pub(crate) warnings: Vec<ConfigProblem>,
}

/// Builds the levels of a mapping.
///
/// # Errors
///
/// Why no schema can be made: a document type that cannot be a name, or all names that two fields would have.
pub(crate) fn build(document_type: &str, mapping: &IndexMapping, arrays: &HashSet<&str>) -> Result<Tree, String> {
    let mut type_names = TypeNames::new();
    check_document_type(document_type)?;
    type_names.take_root(document_type).map_err(|taken| {
        format!("The document type {document_type:?} needs the type name {taken:?}, which every schema has for itself; choose another document type.")
    })?;
    let mut children: HashMap<&str, Vec<&Field>> = HashMap::new();
    let mut copies: HashMap<&str, Vec<&Field>> = HashMap::new();
    for field in mapping.fields() {
        children.entry(field.parent_path()).or_default().push(field);
        for target in &field.copy_to {
            copies.entry(target).or_default().push(field);
        }
    }
    let mut builder =
        Builder { mapping, arrays, children, copies, type_names, collisions: Vec::new(), warnings: Vec::new() };
    let root = builder.level("", document_type.to_owned(), Kind::Root);
    let Builder { mut collisions, warnings, .. } = builder;
    collisions.sort();
    collisions.dedup();
    if collisions.is_empty() {
        Ok(Tree { root, warnings })
    } else {
        Err(format!("Fields have the same name in GraphQL: {}. Rename one of each.", collisions.join("; ")))
    }
}

fn check_document_type(document_type: &str) -> Result<(), String> {
    let is_usable = names::is_graphql_name(document_type)
        && !document_type.starts_with("__")
        && !ROOT_FIELDS.contains(&document_type)
        && !NO_ENUM_VALUES.contains(&document_type);
    if is_usable {
        return Ok(());
    }
    Err(format!(
        "The document type {document_type:?} cannot be a name in GraphQL; expected letters, digits and underscores, \
         not a digit in front, not two underscores in front, and none of {}, {}.",
        ROOT_FIELDS.join(", "),
        NO_ENUM_VALUES.join(", "),
    ))
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Root,
    Object,
    Nested,
}

struct Builder<'m> {
    mapping: &'m IndexMapping,
    /// The paths whose values are shown as lists.
    arrays: &'m HashSet<&'m str>,
    children: HashMap<&'m str, Vec<&'m Field>>,
    copies: HashMap<&'m str, Vec<&'m Field>>,
    type_names: TypeNames,
    collisions: Vec<String>,
    warnings: Vec<ConfigProblem>,
}

impl<'m> Builder<'m> {
    fn level(&mut self, path: &str, type_name: String, kind: Kind) -> Level {
        let mut fields = self.children.get(path).cloned().unwrap_or_default();
        if kind == Kind::Root {
            fields.retain(|field| field.name != ID);
        }
        let names = self.node_names(&fields, kind);
        let mut nodes: Vec<NodeField> =
            fields.iter().zip(names).map(|(field, name)| self.node(field, name, &type_name)).collect();
        nodes.sort_by_key(|node| node.shape.level().is_some());
        let mut level = Level { path: path.to_owned(), type_name, nodes, ..Level::default() };
        level.selectable =
            level.nodes.iter().enumerate().map(|(place, node)| (node.name.clone(), Selectable::Node(place))).collect();
        for field in flat_fields(&level) {
            if !level.selectable.contains_key(&field.name) {
                level.selectable.insert(field.name.clone(), Selectable::Flat(level.flat.len()));
                level.flat.push(field);
            }
        }
        if kind != Kind::Object {
            let is_root = kind == Kind::Root;
            let found = aggregations::of_level(self.mapping, path, |path| is_root && super::is_at_or_below(path, ID));
            if is_root {
                self.collisions.extend(found.collisions);
                self.warnings.extend(found.warnings);
            }
            level.aggregation_places =
                found.fields.iter().enumerate().map(|(place, field)| (field.name.clone(), place)).collect();
            level.aggregations = found.fields;
        }
        level
    }

    /// Returns the GraphQL names of the fields of one level, in their order.
    fn node_names(&mut self, fields: &[&Field], kind: Kind) -> Vec<String> {
        let is_reserved = |name: &str| kind != Kind::Object && OWN_FIELDS.contains(&name);
        let mut taken: HashMap<String, &str> = HashMap::new();
        for field in fields {
            let name = names::graphql_name(&field.name);
            if is_reserved(&name) {
                continue;
            }
            if let Some(other) = taken.get(&name) {
                self.collisions.push(format!("`{name}`: {other}, {}", field.path));
            }
            taken.entry(name).or_insert(&field.path);
        }
        let mut names = Vec::with_capacity(fields.len());
        for field in fields {
            let mut name = names::graphql_name(&field.name);
            if is_reserved(&name) {
                name = names::alternative_name(&name);
                while taken.contains_key(&name) {
                    name.push('_');
                }
                taken.insert(name.clone(), &field.path);
                self.warnings.push(ConfigProblem::in_mapping(
                    &field.path,
                    format!("a field of the name {:?}, which every node has for itself", field.name),
                    format!("another name; selections show it as `{name}`, filters and facets name it as it is"),
                ));
            }
            names.push(name);
        }
        names
    }

    fn node(&mut self, field: &Field, name: String, around: &str) -> NodeField {
        let is_empty = !self.children.contains_key(field.path.as_str());
        let shape = match &field.kind {
            FieldKind::Nested if field.enabled => {
                let type_name = self.type_names.take_nested(names::container_type_name(around, &field.name));
                Shape::Nested(self.level(&field.path, type_name, Kind::Nested))
            }
            FieldKind::Object if field.enabled && !is_empty => {
                let type_name = self.type_names.take_object(names::container_type_name(around, &field.name));
                Shape::Object(self.level(&field.path, type_name, Kind::Object))
            }
            // The values of an alias are those of the field it leads to.
            _ => match Scalar::of(self.mapping.field(&field.path).unwrap_or(field)) {
                Some(scalar) => Shape::Scalar { scalar, list: self.arrays.contains(field.path.as_str()) },
                None => Shape::Json,
            },
        };
        if let FieldKind::Unsupported(type_name) = &field.kind {
            self.warnings.push(ConfigProblem::in_mapping(
                &field.path,
                format!("the type {type_name:?}, which cannot be searched"),
                "another type; the values are shown as they stand in the documents",
            ));
        }
        let copied_from = self.copies.get(field.path.as_str());
        NodeField {
            name,
            path: field.path.clone(),
            flat_name: names::flat_name(&field.path),
            shape,
            alias_of: match &field.kind {
                FieldKind::Alias { .. } => self.mapping.field(&field.path).map(|target| target.path.clone()),
                _ => None,
            },
            copied_from: copied_from.into_iter().flatten().map(|source| source.path.clone()).collect(),
        }
    }
}

/// Returns the scalars and JSON values in the containers of a level, which have their own flat fields already.
fn flat_fields(level: &Level) -> Vec<FlatField> {
    let mut found = Vec::new();
    for (place, container) in level.nodes.iter().enumerate() {
        let Some(inner) = container.shape.level() else { continue };
        let is_nested = matches!(container.shape, Shape::Nested(_));
        let mut add = |path: &str, route: &[usize], scalar: Option<Scalar>, list: bool| {
            found.push(FlatField {
                name: names::flat_name(relative(path, &level.path)),
                path: path.to_owned(),
                route: [&[place], route].concat(),
                scalar,
                list: list || is_nested,
            });
        };
        for (inner_place, node) in inner.nodes.iter().enumerate() {
            match node.shape {
                Shape::Scalar { scalar, list } => add(&node.path, &[inner_place], Some(scalar), list),
                Shape::Json => add(&node.path, &[inner_place], None, false),
                Shape::Object(_) | Shape::Nested(_) => {}
            }
        }
        for field in &inner.flat {
            add(&field.path, &field.route, field.scalar, field.list);
        }
    }
    found
}
