//! The mapping as somebody sees it who may not see every field.
//!
//! What is said of a field holds for everything that has its values: what lies in it, its multi-fields, aliases that
//! lead to it, and fields that it is copied to. A container in which nothing is left goes too, since that it is there
//! would tell of what was in it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::field::join;
use crate::{Field, FieldKind, IndexMapping, MappingError, raw};

/// The type of a field whose values are replaced: it is shown, and cannot be searched.
pub const MASKED: &str = "masked";

/// Which fields are hidden, and which are shown with something else in place of their values, by dotted path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Covers {
    /// The fields that are not there.
    pub hidden: BTreeSet<String>,
    /// The fields that are shown with this text, or with nothing.
    pub masked: BTreeMap<String, Option<String>>,
}

impl Covers {
    /// Returns whether everything is shown as it is.
    pub fn is_empty(&self) -> bool {
        self.hidden.is_empty() && self.masked.is_empty()
    }

    /// Returns whether a path is hidden or lies in something hidden.
    pub fn hides(&self, path: &str) -> bool {
        around(path).any(|path| self.hidden.contains(path))
    }

    /// Returns the masked path that a path is or lies in.
    pub fn mask_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        around(path).find(|path| self.masked.contains_key(*path))
    }

    fn hide(&mut self, path: &str) -> bool {
        !self.hides(path) && self.hidden.insert(path.to_owned())
    }

    fn mask(&mut self, path: &str, text: Option<String>) -> bool {
        let is_new = !self.hides(path) && self.mask_of(path).is_none();
        is_new && self.masked.insert(path.to_owned(), text).is_none()
    }
}

/// Returns the paths of everything around a path, and the path itself.
fn around(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('.').map(|(dot, _)| &path[..dot]).chain([path])
}

impl IndexMapping {
    /// Returns what is covered where some fields are: these, and whatever has their values.
    #[must_use]
    pub fn covers(&self, asked: &Covers) -> Covers {
        let mut covers = asked.clone();
        // What one pass covers may be what something before it has the values of.
        while self.fields().any(|field| self.cover(field, &mut covers)) {}
        covers
    }

    /// Covers what has the values of a field; returns whether something was added.
    fn cover(&self, field: &Field, covers: &mut Covers) -> bool {
        let mut grew = false;
        if let FieldKind::Alias { .. } = field.kind
            && let Some(target) = self.field(&field.path)
        {
            let mask = covers.mask_of(&target.path).and_then(|mask| covers.masked.get(mask)).cloned();
            grew |= match mask {
                _ if covers.hides(&target.path) => covers.hide(&field.path),
                Some(text) => covers.mask(&field.path, text),
                None => false,
            };
        }
        for copy in &field.copy_to {
            if covers.hides(&field.path) {
                grew |= covers.hide(copy);
            } else if covers.mask_of(&field.path).is_some() {
                grew |= covers.mask(copy, None);
            }
        }
        if field.kind.is_container() && !covers.hides(&field.path) {
            let mut children = self.children(&field.path).peekable();
            if children.peek().is_some() && children.all(|child| covers.hides(&child.path)) {
                grew |= covers.hide(&field.path);
            }
        }
        grew
    }

    /// Returns the mapping without what is hidden, and with what is masked as fields of the type [`MASKED`]. The covers
    /// are those that [`IndexMapping::covers`] gives.
    ///
    /// # Errors
    ///
    /// Whatever of the rest would not be a mapping; nothing, as far as is known.
    pub fn redacted(&self, covers: &Covers) -> Result<IndexMapping, Vec<MappingError>> {
        let mut kept = self.kept(&self.raw, "", covers);
        for path in covers.masked.keys().filter(|path| self.entry(path).is_some() && !covers.hides(path)) {
            if raw::find(&kept, path).is_none() {
                raw::insert(&mut kept, path, masked());
            }
        }
        IndexMapping::build(kept, self.settings.clone())
    }

    fn kept(&self, properties: &Map<String, Value>, container: &str, covers: &Covers) -> Map<String, Value> {
        let mut kept = Map::new();
        for (name, definition) in properties {
            let path = join(container, name);
            if covers.hides(&path) {
                continue;
            }
            match covers.mask_of(&path) {
                Some(mask) if mask == path => drop(kept.insert(name.clone(), masked())),
                Some(_) => {}
                None => drop(kept.insert(name.clone(), self.kept_definition(definition, &path, covers))),
            }
        }
        kept
    }

    fn kept_definition(&self, definition: &Value, path: &str, covers: &Covers) -> Value {
        let mut definition = definition.clone();
        if let Some(Value::Object(properties)) = definition.get_mut("properties") {
            *properties = self.kept(properties, path, covers);
        }
        if let Some(attributes) = definition.as_object_mut()
            && let Some(copies) = attributes.get("copy_to")
        {
            let is_kept = |copy: &&Value| {
                let copy = copy.as_str().unwrap_or_default();
                let copy = copy.strip_prefix(&self.settings.envelope).unwrap_or(copy).trim_start_matches('.');
                !covers.hides(copy) && covers.mask_of(copy).is_none()
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
    json!({ "type": MASKED })
}
