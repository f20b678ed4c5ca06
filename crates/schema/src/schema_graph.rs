//! The graph of a schema document: its subschemas and what they refer to.
//!
//! It is checked before anything is compiled: every `type` is one of the seven, every reference resolves within the
//! document, and no chain of schemas that apply to the same value is cyclic or so long that it could exhaust the stack.
//! Recursion that descends into the value is allowed. Messages are those of the original server, where it has one.

mod reference;

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde_json::Value;

use self::reference::{ReferenceTarget, plain_name, resolve};
use crate::SchemaViolation;
use crate::messages::{escape, json_type_name, truncate};
use crate::subschemas::{self, InstanceTarget, KeywordLocation};

/// How long a chain of schemas that apply to the same value may be.
const MAX_CHAIN_LENGTH: usize = 64;

/// Up to how many schemas, with all references expanded, a document needs no validation budget.
const MAX_EXPANDED_SCHEMAS: usize = 10_000;

/// Up to which depth it needs none.
const MAX_EXPANDED_DEPTH: usize = 300;

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The schemas of a document and their references; pointers are JSON pointers without the `#`.
#[derive(Debug, Default)]
pub(crate) struct SchemaGraph {
    /// Every schema.
    schemas: BTreeMap<String, SchemaEdges>,
    /// The pointer that each text of a `$ref` resolves to.
    pub(crate) targets: HashMap<String, String>,
    /// The schemas that carry a plain name, such as `"$id": "#sample"`.
    named: HashMap<String, String>,
}

/// The schemas that a schema applies.
#[derive(Debug, Default)]
struct SchemaEdges {
    /// To the same value.
    same_value: Vec<String>,
    /// To parts of the value.
    parts: Vec<String>,
}

impl SchemaGraph {
    /// Builds the graph of a document, or says what makes it unusable.
    pub(crate) fn build(document: &Value) -> Result<Self, SchemaViolation> {
        let mut graph = Self::default();
        let mut by_name = Vec::new();
        let mut waiting = VecDeque::from([String::new()]);
        while let Some(pointer) = waiting.pop_front() {
            if graph.schemas.contains_key(&pointer) {
                continue;
            }
            let Some(schema) = document.pointer(&pointer) else { continue };
            let mut edges = SchemaEdges::default();
            check_keywords(schema, &pointer)?;
            if let Value::Object(keywords) = schema {
                graph.register_name(schema, &pointer)?;
                subschemas::for_each(keywords, |applies, at, _| {
                    let below = child_pointer(&pointer, at);
                    match applies {
                        InstanceTarget::Itself => edges.same_value.push(below.clone()),
                        InstanceTarget::Nothing => {}
                        _ => edges.parts.push(below.clone()),
                    }
                    waiting.push_back(below);
                });
                if let Some(reference) = subschemas::reference(keywords) {
                    match resolve(document, reference, &pointer)? {
                        ReferenceTarget::Pointer(target) => {
                            graph.targets.insert(reference.to_owned(), target.clone());
                            edges.same_value.push(target.clone());
                            waiting.push_back(target);
                        }
                        ReferenceTarget::Name => by_name.push((pointer.clone(), reference.to_owned())),
                    }
                }
            }
            graph.schemas.insert(pointer, edges);
        }
        for (pointer, reference) in by_name {
            let Some(target) = graph.named.get(&reference) else {
                return Err(SchemaViolation::at("", format!("key [{}] not found", truncate(&reference))));
            };
            graph.targets.insert(reference, target.clone());
            graph.schemas.entry(pointer).or_default().same_value.push(target.clone());
        }
        graph.check_chains()?;
        Ok(graph)
    }

    /// Returns the pointers of all schemas; those of a schema's parts follow its own.
    pub(crate) fn pointers(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.schemas.keys().map(String::as_str)
    }

    /// Removes from every subschema the keywords that would change its dialect or base URI.
    pub(crate) fn normalize(&self, document: &mut Value) {
        for pointer in self.schemas.keys() {
            if let Some(Value::Object(schema)) = document.pointer_mut(pointer) {
                if !pointer.is_empty() {
                    schema.shift_remove("$schema");
                }
                if schema.get("$id").is_some_and(|id| plain_name(id).is_none()) {
                    schema.shift_remove("$id");
                }
            }
        }
    }

    /// Says whether the document stays small with every reference expanded; a recursive one never does.
    pub(crate) fn has_small_expansion(&self) -> bool {
        self.expanded_size("", 1, &mut HashMap::new()).is_some()
    }

    /// Returns how many schemas there are below a pointer. `sizes` has `None` for those being counted.
    fn expanded_size<'a>(
        &'a self,
        pointer: &'a str,
        depth: usize,
        sizes: &mut HashMap<&'a str, Option<usize>>,
    ) -> Option<usize> {
        if let Some(size) = sizes.get(pointer) {
            return *size;
        }
        if depth > MAX_EXPANDED_DEPTH {
            return None;
        }
        sizes.insert(pointer, None);
        let edges = self.schemas.get(pointer)?;
        let mut size = 1;
        for next in edges.same_value.iter().chain(&edges.parts) {
            size += self.expanded_size(next, depth + 1, sizes)?;
            if size > MAX_EXPANDED_SCHEMAS {
                return None;
            }
        }
        sizes.insert(pointer, Some(size));
        Some(size)
    }

    fn register_name(&mut self, schema: &Value, pointer: &str) -> Result<(), SchemaViolation> {
        let Some(name) = plain_name(&schema["$id"]) else { return Ok(()) };
        let Some(other) = self.named.insert(name.to_owned(), pointer.to_owned()) else { return Ok(()) };
        let name = truncate(name);
        let text = format!("the $id [{name}] is already that of #{other}; give each schema its own");
        Err(SchemaViolation::at(pointer, text))
    }

    fn check_chains(&self) -> Result<(), SchemaViolation> {
        let mut lengths = HashMap::new();
        for pointer in self.schemas.keys() {
            self.chain_length(pointer, 1, &mut lengths)?;
        }
        Ok(())
    }

    /// Returns the length of the longest chain from a pointer. `lengths` has `None` for those being measured.
    fn chain_length<'a>(
        &'a self,
        pointer: &'a str,
        depth: usize,
        lengths: &mut HashMap<&'a str, Option<usize>>,
    ) -> Result<usize, SchemaViolation> {
        match lengths.get(pointer) {
            Some(Some(length)) => return Ok(*length),
            Some(None) => {
                let text =
                    "the schema refers to itself without looking deeper into the value, so no value could be checked";
                return Err(SchemaViolation::at(pointer, text));
            }
            None => {}
        }
        lengths.insert(pointer, None);
        let mut length = 1;
        for next in self.schemas.get(pointer).into_iter().flat_map(|edges| &edges.same_value) {
            if depth < MAX_CHAIN_LENGTH {
                length = length.max(1 + self.chain_length(next, depth + 1, lengths)?);
            } else {
                length = MAX_CHAIN_LENGTH + 1;
            }
        }
        if length > MAX_CHAIN_LENGTH {
            let text =
                format!("more than {MAX_CHAIN_LENGTH} schemas look at one value through each other; join some of them");
            return Err(SchemaViolation::at(pointer, text));
        }
        lengths.insert(pointer, Some(length));
        Ok(length)
    }
}

fn child_pointer(pointer: &str, at: KeywordLocation<'_>) -> String {
    match at {
        KeywordLocation::Keyword(keyword) => format!("{pointer}/{keyword}"),
        KeywordLocation::Named(keyword, name) => format!("{pointer}/{keyword}/{}", escape(name)),
        KeywordLocation::Indexed(keyword, index) => format!("{pointer}/{keyword}/{index}"),
    }
}

/// Checks the keywords that decide how the rest of a schema is interpreted.
fn check_keywords(schema: &Value, pointer: &str) -> Result<(), SchemaViolation> {
    let wrong_type = |at: &str, expected: &str, found: &Value| {
        let text = format!("expected type{expected}, found: {}", schema_type_name(found));
        Err(SchemaViolation::at(&format!("{pointer}{at}"), text))
    };
    let keywords = match schema {
        Value::Object(keywords) => keywords,
        Value::Bool(_) => return Ok(()),
        _ => return wrong_type("", " is one of Boolean or JsonObject", schema),
    };
    let names = match keywords.get("type") {
        None => &[],
        Some(Value::Array(names)) => names.as_slice(),
        Some(name @ Value::String(_)) => std::slice::from_ref(name),
        Some(other) => return wrong_type("/type", " is one of JsonArray or String", other),
    };
    for name in names {
        match name {
            Value::String(name) if TYPES.contains(&name.as_str()) => {}
            Value::String(name) => {
                return Err(SchemaViolation::at(pointer, format!("unknown type: [{}]", truncate(name))));
            }
            other => return wrong_type("/type", ": String", other),
        }
    }
    match keywords.get("$ref") {
        None | Some(Value::String(_)) => Ok(()),
        Some(other) => wrong_type("/$ref", ": String", other),
    }
}

/// Names a JSON type as messages about schemas do, which is not how messages about payloads do.
fn schema_type_name(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "JsonArray",
        Value::Object(_) => "JsonObject",
        scalar => json_type_name(scalar),
    }
}
