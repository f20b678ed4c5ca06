//! Dynamic mapping: adding the fields that documents have and the mapping lacks.
//!
//! The rules are those of the engines' default: the first value that is not null decides, a list counts as its
//! elements, and objects never become nested by themselves. Other numbers than integers become `double`, which keeps
//! them as they are. A value that contradicts the mapping changes nothing here; it is rejected when it is read.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::field::{DynamicMapping, RECORD_ID, parent_of};
use crate::parse::MAX_DEPTH;
use crate::{DateFormat, IndexMapping, properties};

static DETECTED_DATES: LazyLock<DateFormat> = LazyLock::new(|| DateFormat::parse("strict_date_optional_time"));

impl IndexMapping {
    /// Adds the fields that a document has and the mapping has not, and returns their paths, containers included.
    ///
    /// Nothing is added below a container that says `"dynamic": false` or `"strict"`, below a disabled one, or deeper
    /// than a mapping may be. Names with dots are paths through containers, as in a mapping; a name with empty parts and
    /// the `_id` of the document are no fields.
    pub fn extend_from(&mut self, document: &Value) -> Vec<String> {
        let Some((extended, added)) = self.extended_by(document) else { return Vec::new() };
        *self = extended;
        added
    }

    /// Returns the mapping with these fields and their paths, if there are any.
    pub fn extended_by(&self, document: &Value) -> Option<(Self, Vec<String>)> {
        let additions = self.discover(document).additions;
        if additions.is_empty() {
            return None;
        }
        let mut properties = self.raw.clone();
        for (index, (path, definition)) in additions.iter().enumerate() {
            match definition {
                Some(definition) => properties::insert(&mut properties, path, definition.clone()),
                // A container with fields is made by the first of them, which follows it at once.
                None if additions.get(index + 1).is_some_and(|(next, _)| lies_below(next, path)) => {}
                None => properties::insert(&mut properties, path, json!({"type": "object"})),
            }
        }
        // This fails if the document contradicts the mapping, such as by an object where another field copies values to.
        let extended = Self::build(properties, self.settings.clone()).ok()?;
        Some((extended, additions.into_iter().map(|(path, _)| path).collect()))
    }

    /// Returns the paths in a document that `"dynamic": "strict"` forbids; a document that has any is to be rejected.
    pub fn forbidden_fields(&self, document: &Value) -> Vec<String> {
        if !self.fields().any(|field| field.dynamic == Some(DynamicMapping::Strict))
            && self.settings.dynamic != Some(DynamicMapping::Strict)
        {
            return Vec::new();
        }
        self.discover(document).forbidden
    }

    /// Returns what happens to unknown names in a container, where it or one around it says so.
    pub fn dynamic_at(&self, container: &str) -> Option<DynamicMapping> {
        let mut path = container;
        while !path.is_empty() {
            if let Some(dynamic) = self.entry(path).and_then(|field| field.dynamic) {
                return Some(dynamic);
            }
            path = parent_of(path);
        }
        self.settings.dynamic
    }

    fn discover(&self, document: &Value) -> FieldDiscovery<'_> {
        let mut discovery = FieldDiscovery {
            mapping: self,
            path: String::new(),
            new: HashMap::new(),
            additions: Vec::new(),
            forbidden: Vec::new(),
        };
        if let Value::Object(members) = document {
            discovery.visit_members(members);
        }
        discovery
    }
}

/// A walk through one document.
struct FieldDiscovery<'m> {
    mapping: &'m IndexMapping,
    /// The path of the value that is visited.
    path: String,
    /// The paths that this document adds, and whether they are containers.
    new: HashMap<String, bool>,
    /// The same in order, with their definitions; a container has none.
    additions: Vec<(String, Option<Value>)>,
    forbidden: Vec<String>,
}

impl FieldDiscovery<'_> {
    fn visit_members(&mut self, members: &Map<String, Value>) {
        let length = self.path.len();
        for (name, value) in members {
            if (length == 0 && name == RECORD_ID) || name.split('.').any(str::is_empty) {
                continue;
            }
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
            self.visit(value);
            self.path.truncate(length);
        }
    }

    fn visit(&mut self, value: &Value) {
        match value {
            Value::Null => return,
            Value::Array(items) => return items.iter().for_each(|item| self.visit(item)),
            _ => {}
        }
        if let Some(field) = self.mapping.entry(&self.path) {
            match value {
                Value::Object(members) if field.kind.is_container() && field.enabled => self.visit_members(members),
                Value::Object(_) => {}
                scalar => self.visit_copies(&field.copy_to, scalar),
            }
            return;
        }
        match self.new.get(&self.path).copied() {
            Some(true) => {}
            Some(false) => return,
            None if !self.may_add() => return,
            None => {
                let definition = (!value.is_object()).then(|| self.infer(value));
                self.add(self.path.clone(), definition);
            }
        }
        if let Value::Object(members) = value {
            self.visit_members(members);
        }
    }

    fn visit_copies(&mut self, targets: &[String], value: &Value) {
        for target in targets {
            if self.mapping.entry(target).is_none() && !target.split('.').any(str::is_empty) {
                let source = std::mem::replace(&mut self.path, target.clone());
                self.visit(value);
                self.path = source;
            }
        }
    }

    /// Returns whether the path may become a field, and makes the containers that it lies in.
    fn may_add(&mut self) -> bool {
        if self.path.matches('.').count() >= MAX_DEPTH {
            return false;
        }
        let mut around = parent_of(&self.path);
        while !around.is_empty() && !self.new.contains_key(around) && self.mapping.entry(around).is_none() {
            around = parent_of(around);
        }
        let is_open = match (self.new.get(around), self.mapping.entry(around)) {
            (Some(is_container), _) => *is_container,
            (None, Some(field)) => field.kind.is_container() && field.enabled,
            (None, None) => true,
        };
        if !is_open {
            return false;
        }
        match self.mapping.dynamic_at(around).unwrap_or(DynamicMapping::Add) {
            DynamicMapping::Ignore => return false,
            DynamicMapping::Strict => {
                if !self.forbidden.contains(&self.path) {
                    self.forbidden.push(self.path.clone());
                }
                return false;
            }
            DynamicMapping::Add => {}
        }
        let missing: Vec<String> = self
            .path
            .match_indices('.')
            .filter(|(dot, _)| *dot > around.len())
            .map(|(dot, _)| self.path[..dot].to_owned())
            .collect();
        for container in missing {
            self.add(container, None);
        }
        true
    }

    fn add(&mut self, path: String, definition: Option<Value>) {
        self.new.insert(path.clone(), definition.is_none());
        self.additions.push((path, definition));
    }

    /// Returns the definition that fits a scalar.
    fn infer(&self, scalar: &Value) -> Value {
        match scalar {
            Value::Bool(_) => json!({"type": "boolean"}),
            Value::Number(number) if number.is_i64() => json!({"type": "long"}),
            Value::Number(number) if number.is_u64() => json!({"type": "unsigned_long"}),
            Value::Number(_) => json!({"type": "double"}),
            Value::String(text) if self.mapping.settings.date_detection != Some(false) && looks_like_date(text) => {
                json!({"type": "date"})
            }
            _ => json!({"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}),
        }
    }
}

/// Returns whether a string is a date and could not be meant as a number, as a bare year could.
fn looks_like_date(text: &str) -> bool {
    text.as_bytes().get(4) == Some(&b'-') && DETECTED_DATES.read(text).is_some()
}

fn lies_below(path: &str, container: &str) -> bool {
    path.strip_prefix(container).is_some_and(|rest| rest.starts_with('.'))
}
