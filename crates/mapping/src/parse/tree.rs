//! The tree of a properties object.
//!
//! A name may contain dots and is then the path of a field in containers, which need no definition of their own. The
//! definition of such a container may come later, so that only the finished tree knows which fields are nested.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::{describe, quote};
use crate::field::join_path;
use crate::{Field, FieldKind, MappingError};

use super::definition::DefinitionReader;
use super::kind::read_kind;
use super::{FieldTable, MAX_DEPTH};

#[derive(Default)]
pub(super) struct DefinitionTree {
    nodes: Vec<TreeNode>,
    roots: Vec<usize>,
    by_path: HashMap<String, usize>,
    errors: Vec<MappingError>,
}

struct TreeNode {
    field: Field,
    /// Whether only dots in the name of another field imply this container so far.
    is_implied: bool,
    children: Vec<usize>,
    multi_fields: Vec<usize>,
}

impl DefinitionTree {
    /// Reads the properties of the root.
    pub(super) fn read(&mut self, properties: &Map<String, Value>) {
        self.read_properties("", None, properties);
    }

    fn read_properties(&mut self, container: &str, parent: Option<usize>, properties: &Map<String, Value>) {
        for (name, definition) in properties {
            let path = join_path(container, name);
            if name.split('.').any(str::is_empty) {
                self.report(container, format!("the field name {}", quote(name)), "a name without empty parts");
            } else if path.matches('.').count() >= MAX_DEPTH {
                self.report(&path, "a field this deep", format!("at most {MAX_DEPTH} levels"));
            } else if let Some(parent) = self.implied_containers(parent, container, name) {
                self.read_field(&path, parent, definition);
            }
        }
    }

    /// Returns the container that a name with dots stands in, made if it is not there; nothing if that is no
    /// container. The root is `Some(None)`.
    fn implied_containers(&mut self, start: Option<usize>, container: &str, name: &str) -> Option<Option<usize>> {
        let mut parent = start;
        for (dot, _) in name.match_indices('.') {
            let path = join_path(container, &name[..dot]);
            let index = match self.by_path.get(&path) {
                Some(&index) => index,
                None => self.add(parent, Field::bare(&path, "object", FieldKind::Object), true),
            };
            let field = &self.nodes[index].field;
            if !field.kind.is_container() {
                let found = format!("the field {} below type {}", quote(&name[dot + 1..]), field.type_name);
                self.report(&path, found, "an object or nested field around it");
                return None;
            }
            parent = Some(index);
        }
        Some(parent)
    }

    fn read_field(&mut self, path: &str, parent: Option<usize>, definition: &Value) {
        let Value::Object(attributes) = definition else {
            self.report(path, describe(definition), "an object with the attributes of the field");
            return;
        };
        let field = read_attributes(path, attributes, &mut self.errors);
        let is_container = field.kind.is_container();
        let index = match self.by_path.get(path) {
            None => self.add(parent, field, false),
            Some(&index) if self.nodes[index].is_implied && is_container => {
                self.nodes[index].field = field;
                self.nodes[index].is_implied = false;
                index
            }
            Some(_) => {
                self.report(path, "a second definition, or one for what dotted names make an object", "one definition");
                return;
            }
        };
        let mut reader = DefinitionReader::new(path, attributes, &mut self.errors);
        let properties = reader.object("properties");
        let multi_fields = reader.object("fields");
        match properties {
            Some(properties) if is_container => self.read_properties(path, Some(index), properties),
            Some(_) => self.report(path, "`properties` beside a type that holds values", "type object or nested"),
            None => {}
        }
        match multi_fields {
            Some(_) if is_container => self.report(path, "`fields` of a container", "`properties`"),
            Some(multi_fields) => self.read_multi_fields(path, index, multi_fields),
            None => {}
        }
    }

    fn read_multi_fields(&mut self, path: &str, owner: usize, definitions: &Map<String, Value>) {
        for (name, definition) in definitions {
            let multi_path = join_path(path, name);
            let Value::Object(attributes) = definition else {
                self.report(&multi_path, describe(definition), "an object with the attributes of the multi-field");
                continue;
            };
            if name.is_empty() || name.contains('.') || multi_path.matches('.').count() >= MAX_DEPTH {
                self.report(path, format!("the multi-field name {}", quote(name)), "a name without dots");
                continue;
            }
            let mut field = read_attributes(&multi_path, attributes, &mut self.errors);
            if field.kind.is_container() || matches!(field.kind, FieldKind::Alias { .. }) {
                self.report(&multi_path, format!("type {}", field.type_name), "a type that holds values");
                continue;
            }
            field.multi_field_of = Some(self.nodes[owner].field.multi_field_of.as_deref().unwrap_or(path).to_owned());
            let index = self.push(field, false);
            self.nodes[owner].multi_fields.push(index);
            if let Some(deeper) = DefinitionReader::new(&multi_path, attributes, &mut self.errors).object("fields") {
                self.read_multi_fields(&multi_path, index, deeper);
            }
        }
    }

    fn add(&mut self, parent: Option<usize>, field: Field, is_implied: bool) -> usize {
        let index = self.push(field, is_implied);
        match parent {
            Some(parent) => self.nodes[parent].children.push(index),
            None => self.roots.push(index),
        }
        index
    }

    fn push(&mut self, field: Field, is_implied: bool) -> usize {
        let index = self.nodes.len();
        self.by_path.insert(field.path.clone(), index);
        self.nodes.push(TreeNode { field, is_implied, children: Vec::new(), multi_fields: Vec::new() });
        index
    }

    fn report(&mut self, path: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.errors.push(MappingError::new(path, found, expected));
    }

    /// Returns the fields depth first, each with what it takes from the containers around it, and the problems.
    pub(super) fn flatten(mut self) -> (FieldTable, Vec<MappingError>) {
        let mut own_count = Vec::new();
        let mut multi_fields = Vec::new();
        for index in std::mem::take(&mut self.roots) {
            self.flatten_below(index, &[], true, &mut own_count, &mut multi_fields);
        }
        let mut table = FieldTable { own_count: own_count.len(), fields: own_count, ..FieldTable::default() };
        table.fields.append(&mut multi_fields);
        table.index_by_path =
            table.fields.iter().enumerate().map(|(index, field)| (field.path.clone(), index)).collect();
        table.max_path_bytes = table.fields.iter().map(|field| field.path.len()).max().unwrap_or_default();
        (table, self.errors)
    }

    fn flatten_below(
        &mut self,
        index: usize,
        nested: &[String],
        enabled: bool,
        fields: &mut Vec<Field>,
        multi_fields: &mut Vec<Field>,
    ) {
        let node = &mut self.nodes[index];
        let children = std::mem::take(&mut node.children);
        let multi = std::mem::take(&mut node.multi_fields);
        let mut field = node.field.clone();
        field.nested = nested.to_vec();
        field.enabled &= enabled;
        let enabled = field.enabled;
        let inner = match field.kind {
            FieldKind::Nested => [nested, std::slice::from_ref(&field.path)].concat(),
            _ => nested.to_vec(),
        };
        field.multi_fields = multi.iter().map(|&index| self.nodes[index].field.path.clone()).collect();
        match field.multi_field_of {
            Some(_) => multi_fields.push(field),
            None => fields.push(field),
        }
        for index in children.into_iter().chain(multi) {
            self.flatten_below(index, &inner, enabled, fields, multi_fields);
        }
    }
}

fn read_attributes(path: &str, attributes: &Map<String, Value>, errors: &mut Vec<MappingError>) -> Field {
    let mut definition = DefinitionReader::new(path, attributes, errors);
    let (type_name, kind) = read_kind(&mut definition);
    let mut field = Field::bare(path, &type_name, kind);
    field.copy_to = definition.texts("copy_to");
    field.ignore_above = definition.count("ignore_above");
    field.ignore_malformed = definition.flag("ignore_malformed").unwrap_or(false);
    field.dynamic = definition.dynamic();
    field.enabled = definition.flag("enabled").unwrap_or(true);
    field.indexed = definition.flag("index").unwrap_or(true);
    field.doc_values = definition.flag("doc_values").unwrap_or(true);
    if let Some(null_value) = attributes.get("null_value") {
        match field.read_strictly(null_value) {
            Ok(value) => field.null_value = value,
            Err(error) => definition.report(format!("`null_value`: {}", error.found), error.expected),
        }
    }
    field
}
