//! Documents as somebody sees them who may not see every field.
//!
//! What is covered is taken out of the document before anything reads it, so that no way to show a document can show it.
//! An object that has nothing left is taken out too, and a mask stands there whether there was a value or not: neither
//! tells whether a document has what is covered. Elements of nested containers stay, since each is a thing of its own.

use std::collections::BTreeSet;

use cantata_mapping::{Covers, IndexMapping};
use serde_json::{Map, Value};

/// What is taken out of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The path of the object in each document that holds everything.
    prefix: Vec<String>,
    covers: Covers,
    /// The paths of everything around what is covered.
    around: BTreeSet<String>,
    nested: BTreeSet<String>,
}

impl Redaction {
    /// Returns what is to be taken out of the documents of a mapping; nothing if nothing is covered.
    pub(crate) fn new(covers: &Covers, mapping: &IndexMapping, source_prefix: &str) -> Option<Self> {
        if covers.is_empty() {
            return None;
        }
        let covered = covers.hidden.iter().chain(covers.masked.keys());
        let around = covered.flat_map(|path| path.match_indices('.').map(|(dot, _)| path[..dot].to_owned())).collect();
        Some(Self {
            prefix: source_prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
            covers: covers.clone(),
            around,
            nested: mapping.nested_paths().map(str::to_owned).collect(),
        })
    }

    /// Takes everything that is covered out of a document.
    pub fn apply(&self, document: &mut Value) {
        let record = self.prefix.iter().try_fold(document, |value, name| value.get_mut(name));
        let Some(Value::Object(record)) = record else { return };
        self.clear(record, "");
        for (path, text) in &self.covers.masked {
            if let Some(text) = text.as_deref().filter(|_| !self.covers.hides(path)) {
                self.put(record, "", path, text);
            }
        }
    }

    fn clear(&self, object: &mut Map<String, Value>, path: &str) {
        object.retain(|name, value| {
            let path = join(path, name);
            let is_covered = self.covers.hides(&path) || self.covers.mask_of(&path).is_some();
            !is_covered && (!self.around.contains(&path) || self.clear_value(value, &path))
        });
    }

    /// Clears what lies around something covered; returns whether anything is left of it.
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

    /// Puts a text at a path below an object that has this path itself, making the objects on the way to it.
    fn put(&self, object: &mut Map<String, Value>, path: &str, masked: &str, text: &str) {
        let rest = if path.is_empty() { masked } else { &masked[path.len() + 1..] };
        let Some((name, _)) = rest.split_once('.') else {
            object.insert(rest.to_owned(), text.into());
            return;
        };
        let inner_path = join(path, name);
        let inner = match self.nested.contains(&inner_path) {
            true => object.get_mut(name),
            false => Some(object.entry(name).or_insert_with(|| Map::new().into())),
        };
        if let Some(inner) = inner {
            for_each_object(inner, &mut |inner| self.put(inner, &inner_path, masked, text));
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

fn join(container: &str, name: &str) -> String {
    if container.is_empty() { name.to_owned() } else { format!("{container}.{name}") }
}
