//! From field nodes to the properties of an index mapping.
//!
//! The mapping suits every engine: types that all of them have, within their default limits. A value that its schema allows
//! and its field cannot hold, such as a number of 100 digits, is shown and not found; it never gets the document rejected.

use serde_json::{Map, Value, json};

use super::field_node::{FieldNode, Fields, NodeKind, join_path};

/// How many fields there are at most, containers included; engines allow 1000, and an override may add some.
const MAX_FIELDS: usize = 900;

/// How many nested containers there are at most; engines allow 50.
const MAX_NESTED: usize = 40;

/// The longest string that is indexed, in UTF-16 units: engines refuse more than 32766 bytes, of which a unit has up to
/// three.
const MAX_KEYWORD_UTF16: u32 = 10_000;

/// Renders properties and counts them.
#[derive(Default)]
pub(super) struct Renderer {
    fields: usize,
    nested: usize,
    pub(super) notes: Vec<String>,
}

impl Renderer {
    /// Returns the properties for fields; the path is that of their container.
    pub(super) fn properties(&mut self, fields: &Fields, above: &str) -> Map<String, Value> {
        let mut properties = Map::new();
        for (name, node) in &fields.0 {
            let path = join_path(above, name);
            self.fields += 1;
            if self.fields > MAX_FIELDS {
                if self.fields == MAX_FIELDS + 1 {
                    self.notes
                        .push(format!("there are more than {MAX_FIELDS} fields; from `{path}` on they are left out"));
                }
                continue;
            }
            properties.insert(name.clone(), self.definition(node, &path));
        }
        properties
    }

    fn definition(&mut self, node: &FieldNode, path: &str) -> Value {
        match &node.kind {
            NodeKind::Keyword => json!({"type": "keyword", "ignore_above": MAX_KEYWORD_UTF16}),
            NodeKind::Boolean => json!({"type": "boolean"}),
            NodeKind::Long | NodeKind::Double | NodeKind::Date | NodeKind::Ip => {
                json!({"type": node.type_name(), "ignore_malformed": true})
            }
            NodeKind::Object(fields) if !fields.0.is_empty() => {
                if !node.is_list {
                    return json!({"properties": self.properties(fields, path)});
                }
                self.nested += 1;
                if self.nested > MAX_NESTED {
                    if self.nested == MAX_NESTED + 1 {
                        let note = format!("there are more than {MAX_NESTED} lists of objects");
                        self.notes.push(format!("{note}; from `{path}` on they are shown and not searched"));
                    }
                    return not_indexed();
                }
                json!({"type": "nested", "properties": self.properties(fields, path)})
            }
            NodeKind::Object(_) | NodeKind::Opaque => not_indexed(),
        }
    }
}

/// The definition of what can be anything: it is shown as it is.
fn not_indexed() -> Value {
    json!({"type": "object", "enabled": false})
}

/// Applies overrides to properties: a definition replaces the other, but the fields of containers are merged. Dots in
/// names separate containers.
pub(super) fn overlay(properties: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (name, definition) in over {
        if let Some((container, rest)) = name.split_once('.') {
            let inner = Map::from_iter([(rest.to_owned(), definition.clone())]);
            let around = Map::from_iter([(container.to_owned(), json!({"properties": inner}))]);
            overlay(properties, &around);
            continue;
        }
        let Some(new) = definition.get("properties").and_then(Value::as_object) else {
            properties.insert(name.clone(), definition.clone());
            continue;
        };
        let mut inner =
            properties.get(name).and_then(|old| old.get("properties")?.as_object()).cloned().unwrap_or_default();
        overlay(&mut inner, new);
        let mut merged = properties.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        let is_container = merged.contains_key("properties");
        if !is_container {
            merged.clear();
        }
        merged.extend(definition.as_object().cloned().unwrap_or_default());
        merged.insert("properties".to_owned(), inner.into());
        properties.insert(name.clone(), merged.into());
    }
}
