//! Builds the field tree of a mapping.

use std::collections::{HashMap, HashSet};

use cantata_mapping::{Field, FieldKind, IndexMapping};

use super::flat_names::FlatNames;
use super::type_names::TypeNames;
use super::{FieldLevel, FlatField, GraphqlScalar, NodeField, NodeShape, Selectable, aggregations};
use crate::error::{CatalogueError, CatalogueErrorCode};
use crate::names;
use crate::problem::ConfigProblem;

/// The property of the record that nodes reserve for the id of the document.
const ID: &str = "id";

/// The fields that the record and every nested container reserve.
const RESERVED_FIELDS: [&str; 2] = [ID, "score"];

/// Root fields of every schema; no document type can have their names.
const ROOT_FIELDS: [&str; 6] = ["hasValidConfig", "network", "node", "query", "sets", "viewer"];

/// Words that cannot be values of an enum, which the document type is.
const NO_ENUM_VALUES: [&str; 3] = ["true", "false", "null"];

/// The field tree and the warnings about it.
pub(crate) struct FieldTree {
    pub(crate) root: FieldLevel,
    pub(crate) warnings: Vec<ConfigProblem>,
}

/// Builds the levels of a mapping.
///
/// # Errors
///
/// If the document type is no valid name. No field fails a catalogue, whatever it is called.
pub(crate) fn build(
    document_type: &str,
    mapping: &IndexMapping,
    arrays: &HashSet<&str>,
) -> Result<FieldTree, CatalogueError> {
    let mut type_names = TypeNames::new();
    check_document_type(document_type)?;
    if let Some(reserved) = type_names.take_root(document_type) {
        return Err(schema_error(format!(
            "The document type {document_type:?} needs the type name {reserved:?}, which every schema has for itself; \
             choose another document type."
        )));
    }
    let mut children: HashMap<&str, Vec<&Field>> = HashMap::new();
    let mut copies: HashMap<&str, Vec<&Field>> = HashMap::new();
    for field in mapping.fields() {
        children.entry(field.parent_path()).or_default().push(field);
        for target in &field.copy_to {
            copies.entry(target).or_default().push(field);
        }
    }
    let mut builder = TreeBuilder {
        mapping,
        arrays,
        children,
        copies,
        type_names,
        root_names: FlatNames::below("", mapping),
        reported: HashSet::new(),
        warnings: Vec::new(),
    };
    let root = builder.level("", document_type.to_owned(), LevelKind::Root);
    Ok(FieldTree { root, warnings: builder.warnings })
}

fn schema_error(message: String) -> CatalogueError {
    CatalogueError::new(CatalogueErrorCode::SchemaBuildError, message)
}

fn check_document_type(document_type: &str) -> Result<(), CatalogueError> {
    let is_usable = names::is_graphql_name(document_type)
        && !document_type.starts_with("__")
        && !ROOT_FIELDS.contains(&document_type)
        && !NO_ENUM_VALUES.contains(&document_type);
    if is_usable {
        return Ok(());
    }
    Err(schema_error(format!(
        "The document type {document_type:?} cannot be a name in GraphQL; expected letters, digits and underscores, \
         not a digit in front, not two underscores in front, and none of {}, {}.",
        ROOT_FIELDS.join(", "),
        NO_ENUM_VALUES.join(", "),
    )))
}

#[derive(Clone, Copy, PartialEq)]
enum LevelKind {
    Root,
    Object,
    Nested,
}

struct TreeBuilder<'m> {
    mapping: &'m IndexMapping,
    /// The paths of fields with `isArray`.
    arrays: &'m HashSet<&'m str>,
    children: HashMap<&'m str, Vec<&'m Field>>,
    copies: HashMap<&'m str, Vec<&'m Field>>,
    type_names: TypeNames,
    root_names: FlatNames<'m>,
    /// The fields whose other name was warned of.
    reported: HashSet<&'m str>,
    warnings: Vec<ConfigProblem>,
}

impl<'m> TreeBuilder<'m> {
    fn level(&mut self, path: &str, type_name: String, kind: LevelKind) -> FieldLevel {
        let mut fields = self.children.get(path).cloned().unwrap_or_default();
        if kind == LevelKind::Root {
            fields.retain(|field| field.name != ID);
        }
        let flat_names = FlatNames::below(path, self.mapping);
        self.warn_of_renamed(&flat_names);
        let names = self.node_names(&fields, kind, &flat_names);
        let mut nodes: Vec<NodeField> =
            fields.iter().zip(names).map(|(field, name)| self.node(field, name, &type_name)).collect();
        nodes.sort_by_key(|node| node.shape.level().is_some());
        let mut level = FieldLevel { path: path.to_owned(), type_name, nodes, ..FieldLevel::default() };
        level.selectable =
            level.nodes.iter().enumerate().map(|(index, node)| (node.name.clone(), Selectable::Node(index))).collect();
        for field in flat_fields(&level, &flat_names) {
            level.selectable.insert(field.name.clone(), Selectable::Flat(level.flat.len()));
            level.flat.push(field);
        }
        if kind != LevelKind::Object {
            let is_root = kind == LevelKind::Root;
            level.aggregations = aggregations::level_aggregations(self.mapping, path, &flat_names, |path| {
                is_root && super::is_at_or_below(path, ID)
            });
            level.aggregation_indexes =
                level.aggregations.iter().enumerate().map(|(index, field)| (field.name.clone(), index)).collect();
        }
        level
    }

    /// Warns of every field that has another name in GraphQL than it asks for.
    fn warn_of_renamed(&mut self, flat_names: &FlatNames<'m>) {
        for field in &flat_names.renamed {
            if self.reported.insert(field.path) {
                let (wanted, holder, name) = (&field.wanted, field.holder, flat_names.name_of(field.path));
                self.warnings.push(ConfigProblem::in_mapping(
                    field.path,
                    format!("a field whose name `{wanted}` in GraphQL is that of the field {holder}"),
                    format!("another name; GraphQL has it as `{name}`, filters name it as it is"),
                ));
            }
        }
    }

    /// Returns the GraphQL names of the fields of one level, in their order.
    fn node_names(&mut self, fields: &[&Field], kind: LevelKind, flat_names: &FlatNames<'_>) -> Vec<String> {
        let is_reserved = |name: &str| kind != LevelKind::Object && RESERVED_FIELDS.contains(&name);
        let mut names = Vec::with_capacity(fields.len());
        for field in fields {
            let mut name = flat_names.name_of(&field.path);
            if is_reserved(&name) {
                name = names::alternative_name(&name);
                while flat_names.contains(&name) {
                    name.push('_');
                }
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

    fn node(&mut self, field: &Field, name: String, enclosing: &str) -> NodeField {
        let is_empty = !self.children.contains_key(field.path.as_str());
        let shape = match &field.kind {
            FieldKind::Nested if field.enabled => {
                let type_name = self.type_names.take_nested(names::container_type_name(enclosing, &field.name));
                NodeShape::Nested(self.level(&field.path, type_name, LevelKind::Nested))
            }
            FieldKind::Object if field.enabled && !is_empty => {
                let type_name = self.type_names.take_object(names::container_type_name(enclosing, &field.name));
                NodeShape::Object(self.level(&field.path, type_name, LevelKind::Object))
            }
            // An alias has the values of its target.
            _ => match GraphqlScalar::of(self.mapping.field(&field.path).unwrap_or(field)) {
                Some(scalar) => NodeShape::Scalar { scalar, list: self.arrays.contains(field.path.as_str()) },
                None => NodeShape::Json,
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
            flat_name: self.root_names.name_of(&field.path),
            shape,
            alias_of: match &field.kind {
                FieldKind::Alias { .. } => self.mapping.field(&field.path).map(|target| target.path.clone()),
                _ => None,
            },
            copied_from: copied_from.into_iter().flatten().map(|source| source.path.clone()).collect(),
            ignores_malformed: field.ignore_malformed,
        }
    }
}

/// Returns the scalars and JSON values in the containers of a level, whose own flat fields are known already.
fn flat_fields(level: &FieldLevel, flat_names: &FlatNames<'_>) -> Vec<FlatField> {
    let mut fields = Vec::new();
    for (index, container) in level.nodes.iter().enumerate() {
        let Some(inner) = container.shape.level() else { continue };
        let is_nested = matches!(container.shape, NodeShape::Nested(_));
        let mut add = |path: &str, route: &[usize], scalar: Option<GraphqlScalar>, list: bool| {
            fields.push(FlatField {
                name: flat_names.name_of(path),
                path: path.to_owned(),
                route: [&[index], route].concat(),
                scalar,
                list: list || is_nested,
            });
        };
        for (inner_index, node) in inner.nodes.iter().enumerate() {
            match node.shape {
                NodeShape::Scalar { scalar, list } => add(&node.path, &[inner_index], Some(scalar), list),
                NodeShape::Json => add(&node.path, &[inner_index], None, false),
                NodeShape::Object(_) | NodeShape::Nested(_) => {}
            }
        }
        for field in &inner.flat {
            add(&field.path, &field.route, field.scalar, field.list);
        }
    }
    fields
}
