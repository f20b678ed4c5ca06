//! Redaction of documents: removes hidden fields and masks others.
//!
//! It is applied before anything reads the document, so no output format can leak a hidden field. An object that becomes
//! empty is removed too, and a mask is set whether there was a value or not: neither reveals whether a document has a
//! value there. Elements of nested containers stay, since their number is visible anyway.

use std::collections::BTreeSet;

use cantata_mapping::{IndexMapping, RedactedFields, join_path};
use serde_json::{Map, Value};

/// What is removed from documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The path of the record in its document.
    prefix: Vec<String>,
    hidden_fields: RedactedFields,
    /// The containers of restricted fields.
    containers: BTreeSet<String>,
    nested: BTreeSet<String>,
}

impl Redaction {
    /// Returns the redaction of the documents of a mapping; `None` if no field is restricted.
    pub(crate) fn new(hidden_fields: &RedactedFields, mapping: &IndexMapping, source_prefix: &str) -> Option<Self> {
        if hidden_fields.is_empty() {
            return None;
        }
        let restricted = hidden_fields.hidden.iter().chain(hidden_fields.masked.keys());
        let containers =
            restricted.flat_map(|path| path.match_indices('.').map(|(dot, _)| path[..dot].to_owned())).collect();
        Some(Self {
            prefix: source_prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            hidden_fields: hidden_fields.clone(),
            containers,
            nested: mapping.nested_paths().map(str::to_owned).collect(),
        })
    }

    /// Redacts a document.
    pub fn apply(&self, document: &mut Value) {
        let record = self.prefix.iter().try_fold(document, |value, name| value.get_mut(name));
        let Some(Value::Object(record)) = record else { return };
        self.clear(record, "");
        for (path, text) in &self.hidden_fields.masked {
            if let Some(text) = text.as_deref().filter(|_| !self.hidden_fields.hides(path)) {
                self.mask(record, "", path, text);
            }
        }
    }

    fn clear(&self, object: &mut Map<String, Value>, path: &str) {
        object.retain(|name, value| {
            let path = join_path(path, name);
            let is_restricted = self.hidden_fields.hides(&path) || self.hidden_fields.mask_of(&path).is_some();
            !is_restricted && (!self.containers.contains(&path) || self.clear_value(value, &path))
        });
    }

    /// Clears a container of restricted fields; returns whether anything is left.
    fn clear_value(&self, value: &mut Value, path: &str) -> bool {
        let is_nested = self.nested.contains(path);
        match value {
            Value::Object(object) => {
                self.clear(object, path);
                is_nested || !object.is_empty()
            }
            Value::Array(elements) => {
                elements.retain_mut(|element| self.clear_value(element, path) || is_nested);
                is_nested || !elements.is_empty()
            }
            Value::Null => false,
            Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
    }

    /// Sets a mask below an object with this path, creating the objects in between.
    fn mask(&self, object: &mut Map<String, Value>, path: &str, masked: &str, text: &str) {
        let rest = if path.is_empty() { masked } else { &masked[path.len() + 1..] };
        let Some((name, _)) = rest.split_once('.') else {
            object.insert(rest.to_owned(), text.into());
            return;
        };
        let inner_path = join_path(path, name);
        let inner = match self.nested.contains(&inner_path) {
            true => object.get_mut(name),
            false => Some(object.entry(name).or_insert_with(|| Map::new().into())),
        };
        if let Some(inner) = inner {
            for_each_object(inner, &mut |inner| self.mask(inner, &inner_path, masked, text));
        }
    }
}

fn for_each_object(value: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => visit(object),
        Value::Array(elements) => elements.iter_mut().for_each(|element| for_each_object(element, visit)),
        _ => {}
    }
}
