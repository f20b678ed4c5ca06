//! The tree of a properties object.
//!
//! A name may contain dots and then stands for a field in containers, which need no definition of their own. The
//! definition of such a container may come later, so that only the finished tree knows which fields are nested.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::{describe, quote};
use crate::field::join;
use crate::{Field, FieldKind, MappingError};

use super::definition::Definition;
use super::kind::read_kind;
use super::{DEEPEST, Layout};

#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    roots: Vec<usize>,
    by_path: HashMap<String, usize>,
    errors: Vec<MappingError>,
}

struct Node {
    field: Field,
    /// Whether only dots in the name of another field imply this container so far.
    is_implied: bool,
    children: Vec<usize>,
    multi_fields: Vec<usize>,
}

impl Tree {
    /// Reads the properties of the root.
    pub(super) fn read(&mut self, properties: &Map<String, Value>) {
        self.read_properties("", None, properties);
    }

    fn read_properties(&mut self, container: &str, parent: Option<usize>, properties: &Map<String, Value>) {
        for (name, definition) in properties {
            let path = join(container, name);
            if name.split('.').any(str::is_empty) {
                self.report(container, format!("the field name {}", quote(name)), "a name without empty parts");
            } else if path.matches('.').count() >= DEEPEST {
                self.report(&path, "a field this deep", format!("at most {DEEPEST} levels"));
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
            let path = join(container, &name[..dot]);
            let place = match self.by_path.get(&path) {
                Some(&place) => place,
                None => self.add(parent, Field::bare(&path, "object", FieldKind::Object), true),
            };
            let field = &self.nodes[place].field;
            if !field.kind.is_container() {
                let found = format!("the field {} below type {}", quote(&name[dot + 1..]), field.type_name);
                self.report(&path, found, "an object or nested field around it");
                return None;
            }
            parent = Some(place);
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
        let place = match self.by_path.get(path) {
            None => self.add(parent, field, false),
            Some(&place) if self.nodes[place].is_implied && is_container => {
                self.nodes[place].field = field;
                self.nodes[place].is_implied = false;
                place
            }
            Some(_) => {
                self.report(path, "a second definition, or one for what dotted names make an object", "one definition");
                return;
            }
        };
        let mut reader = Definition::new(path, attributes, &mut self.errors);
        let properties = reader.object("properties");
        let multi_fields = reader.object("fields");
        match properties {
            Some(properties) if is_container => self.read_properties(path, Some(place), properties),
            Some(_) => self.report(path, "`properties` beside a type that holds values", "type object or nested"),
            None => {}
        }
        match multi_fields {
            Some(_) if is_container => self.report(path, "`fields` of a container", "`properties`"),
            Some(multi_fields) => self.read_multi_fields(path, place, multi_fields),
            None => {}
        }
    }

    fn read_multi_fields(&mut self, path: &str, owner: usize, definitions: &Map<String, Value>) {
        for (name, definition) in definitions {
            let multi_path = join(path, name);
            let Value::Object(attributes) = definition else {
                self.report(&multi_path, describe(definition), "an object with the attributes of the multi-field");
                continue;
            };
            if name.is_empty() || name.contains('.') || multi_path.matches('.').count() >= DEEPEST {
                self.report(path, format!("the multi-field name {}", quote(name)), "a name without dots");
                continue;
            }
            let mut field = read_attributes(&multi_path, attributes, &mut self.errors);
            if field.kind.is_container() || matches!(field.kind, FieldKind::Alias { .. }) {
                self.report(&multi_path, format!("type {}", field.type_name), "a type that holds values");
                continue;
            }
            field.multi_field_of = Some(self.nodes[owner].field.multi_field_of.as_deref().unwrap_or(path).to_owned());
            let place = self.push(field, false);
            self.nodes[owner].multi_fields.push(place);
            if let Some(deeper) = Definition::new(&multi_path, attributes, &mut self.errors).object("fields") {
                self.read_multi_fields(&multi_path, place, deeper);
            }
        }
    }

    fn add(&mut self, parent: Option<usize>, field: Field, is_implied: bool) -> usize {
        let place = self.push(field, is_implied);
        match parent {
            Some(parent) => self.nodes[parent].children.push(place),
            None => self.roots.push(place),
        }
        place
    }

    fn push(&mut self, field: Field, is_implied: bool) -> usize {
        let place = self.nodes.len();
        self.by_path.insert(field.path.clone(), place);
        self.nodes.push(Node { field, is_implied, children: Vec::new(), multi_fields: Vec::new() });
        place
    }

    fn report(&mut self, path: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.errors.push(MappingError::new(path, found, expected));
    }

    /// Returns the fields depth first, each with what it takes from the containers around it, and the problems.
    pub(super) fn lay_out(mut self) -> (Layout, Vec<MappingError>) {
        let mut listed = Vec::new();
        let mut multi_fields = Vec::new();
        for place in std::mem::take(&mut self.roots) {
            self.lay_out_below(place, &[], true, &mut listed, &mut multi_fields);
        }
        let mut layout = Layout { listed: listed.len(), fields: listed, ..Layout::default() };
        layout.fields.append(&mut multi_fields);
        layout.places = layout.fields.iter().enumerate().map(|(place, field)| (field.path.clone(), place)).collect();
        layout.longest_path = layout.fields.iter().map(|field| field.path.len()).max().unwrap_or_default();
        (layout, self.errors)
    }

    fn lay_out_below(
        &mut self,
        place: usize,
        nested: &[String],
        enabled: bool,
        fields: &mut Vec<Field>,
        multi_fields: &mut Vec<Field>,
    ) {
        let node = &mut self.nodes[place];
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
        field.multi_fields = multi.iter().map(|&place| self.nodes[place].field.path.clone()).collect();
        match field.multi_field_of {
            Some(_) => multi_fields.push(field),
            None => fields.push(field),
        }
        for place in children.into_iter().chain(multi) {
            self.lay_out_below(place, &inner, enabled, fields, multi_fields);
        }
    }
}

fn read_attributes(path: &str, attributes: &Map<String, Value>, errors: &mut Vec<MappingError>) -> Field {
    let mut definition = Definition::new(path, attributes, errors);
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
