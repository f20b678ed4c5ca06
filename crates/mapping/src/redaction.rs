//! Redaction: the mapping without hidden fields, and with masked ones.
//!
//! Redacting a field redacts everything that has its values: fields in it, multi-fields, aliases of it, and `copy_to`
//! targets. A container in which no field is left is hidden too, since its presence would reveal what was in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::field::join_path;
use crate::{Field, FieldKind, IndexMapping, MappingError, properties};

/// The type of a masked field: it is shown, and cannot be searched.
pub const MASKED_TYPE: &str = "masked";

/// Hidden and masked fields, by dotted path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct RedactedFields {
    /// The hidden fields.
    pub hidden: BTreeSet<String>,
    /// The masked fields, each with the text shown instead of its values, if any.
    pub masked: BTreeMap<String, Option<String>>,
}

impl RedactedFields {
    /// Returns whether nothing is redacted.
    pub fn is_empty(&self) -> bool {
        self.hidden.is_empty() && self.masked.is_empty()
    }

    /// Returns whether a path or a container of it is hidden.
    pub fn hides(&self, path: &str) -> bool {
        ancestors(path).any(|path| self.hidden.contains(path))
    }

    /// Returns the masked path that is this path or a container of it.
    pub fn mask_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        ancestors(path).find(|path| self.masked.contains_key(*path))
    }

    fn hide(&mut self, path: &str) -> bool {
        !self.hides(path) && self.hidden.insert(path.to_owned())
    }

    fn mask(&mut self, path: &str, text: Option<String>) -> bool {
        let is_new = !self.hides(path) && self.mask_of(path).is_none();
        is_new && self.masked.insert(path.to_owned(), text).is_none()
    }
}

/// Returns the paths of the containers of a path, and the path itself.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('.').map(|(dot, _)| &path[..dot]).chain([path])
}

impl IndexMapping {
    /// Returns the requested redactions together with those that follow from them.
    #[must_use]
    pub fn expand_redactions(&self, requested: &RedactedFields) -> RedactedFields {
        let mut redactions = requested.clone();
        // What one pass adds may concern fields before it.
        while self.fields().any(|field| self.redact_dependents(field, &mut redactions)) {}
        redactions
    }

    /// Redacts what has the values of a redacted field; returns whether something was added.
    fn redact_dependents(&self, field: &Field, redactions: &mut RedactedFields) -> bool {
        let mut grew = false;
        if let FieldKind::Alias { .. } = field.kind
            && let Some(target) = self.field(&field.path)
        {
            let mask = redactions.mask_of(&target.path).and_then(|mask| redactions.masked.get(mask)).cloned();
            grew |= match mask {
                _ if redactions.hides(&target.path) => redactions.hide(&field.path),
                Some(text) => redactions.mask(&field.path, text),
                None => false,
            };
        }
        for copy in &field.copy_to {
            if redactions.hides(&field.path) {
                grew |= redactions.hide(copy);
            } else if redactions.mask_of(&field.path).is_some() {
                grew |= redactions.mask(copy, None);
            }
        }
        if field.kind.is_container() && !redactions.hides(&field.path) {
            let mut children = self.children(&field.path).peekable();
            if children.peek().is_some() && children.all(|child| redactions.hides(&child.path)) {
                grew |= redactions.hide(&field.path);
            }
        }
        grew
    }

    /// Returns the mapping without hidden fields, and with masked ones as fields of the type [`MASKED_TYPE`]. The
    /// redactions are those of [`IndexMapping::expand_redactions`].
    ///
    /// # Errors
    ///
    /// If the rest is no valid mapping; no such case is known.
    pub fn redacted(&self, redactions: &RedactedFields) -> Result<IndexMapping, Vec<MappingError>> {
        let mut kept = self.redacted_properties(&self.raw, "", redactions);
        for path in redactions.masked.keys().filter(|path| self.entry(path).is_some() && !redactions.hides(path)) {
            if properties::find(&kept, path).is_none() {
                properties::insert(&mut kept, path, masked());
            }
        }
        IndexMapping::build(kept, self.settings.clone())
    }

    fn redacted_properties(
        &self,
        properties: &Map<String, Value>,
        container: &str,
        redactions: &RedactedFields,
    ) -> Map<String, Value> {
        let mut kept = Map::new();
        for (name, definition) in properties {
            let path = join_path(container, name);
            if redactions.hides(&path) {
                continue;
            }
            match redactions.mask_of(&path) {
                Some(mask) if mask == path => drop(kept.insert(name.clone(), masked())),
                Some(_) => {}
                None => drop(kept.insert(name.clone(), self.redacted_definition(definition, &path, redactions))),
            }
        }
        kept
    }

    fn redacted_definition(&self, definition: &Value, path: &str, redactions: &RedactedFields) -> Value {
        let mut definition = definition.clone();
        if let Some(Value::Object(properties)) = definition.get_mut("properties") {
            *properties = self.redacted_properties(properties, path, redactions);
        }
        if let Some(attributes) = definition.as_object_mut()
            && let Some(copies) = attributes.get("copy_to")
        {
            let is_kept = |copy: &&Value| {
                let copy = copy.as_str().unwrap_or_default();
                let copy = copy.strip_prefix(&self.settings.prefix).unwrap_or(copy).trim_start_matches('.');
                !redactions.hides(copy) && redactions.mask_of(copy).is_none()
            };
            let copies: Vec<Value> = match copies {
                Value::Array(copies) => copies.iter().filter(is_kept).cloned().collect(),
                single => [single].into_iter().filter(is_kept).cloned().collect(),
            };
            if copies.is_empty() {
                attributes.shift_remove("copy_to");
            } else {
                attributes.insert("copy_to".to_owned(), copies.into());
            }
        }
        definition
    }
}

fn masked() -> Value {
    json!({ "type": MASKED_TYPE })
}
