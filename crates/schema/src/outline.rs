//! The outline of a schema document: which of its parts are schemas, and what refers to what.
//!
//! It answers, before anything is compiled, whether every `type` is one of the seven, every reference leads to a
//! place in the same document, and no chain of schemas that look at the same value runs in a circle or grows so long
//! that following it could exhaust the stack. Recursion that descends into the value is fine. The texts are those
//! clients of the original server know, where it has one.

mod reference;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};

use serde_json::Value;

use self::reference::{Target, plain_name, resolve};
use crate::Violation;
use crate::subschemas::{self, Applies, Place};
use crate::wording::{cut, escape};

/// How many schemas may look at one value through each other.
const LONGEST_CHAIN: usize = 64;

/// How many schemas a document may hold once its references are written out, for nobody to count them again.
const FEW_SCHEMAS: usize = 10_000;

/// How deep those may lie within each other.
const SMALL_DEPTH: usize = 300;

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The schemas of a document and their references; places are JSON pointers without the `#`.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Every schema.
    schemas: BTreeMap<String, Links>,
    /// Where each text of a `$ref` leads.
    pub(crate) targets: HashMap<String, String>,
    /// The schemas that carry a plain name, such as `"$id": "#sample"`.
    named: HashMap<String, String>,
}

/// The schemas that one schema applies.
#[derive(Debug, Default)]
struct Links {
    /// To the value it looks at itself.
    same_value: Vec<String>,
    /// To parts of that value.
    parts: Vec<String>,
}

impl Outline {
    /// Reads the outline of a document, or says what makes it unusable.
    pub(crate) fn read(document: &Value) -> Result<Self, Violation> {
        let mut outline = Self::default();
        let mut by_name = Vec::new();
        let mut waiting = VecDeque::from([String::new()]);
        while let Some(place) = waiting.pop_front() {
            if outline.schemas.contains_key(&place) {
                continue;
            }
            let Some(schema) = document.pointer(&place) else {
                continue;
            };
            let mut links = Links::default();
            check_keywords(schema, &place)?;
            if let Value::Object(keywords) = schema {
                outline.note_name(schema, &place)?;
                subschemas::for_each(keywords, |applies, at, _| {
                    let below = child(&place, at);
                    match applies {
                        Applies::Itself => links.same_value.push(below.clone()),
                        Applies::Nothing => {}
                        _ => links.parts.push(below.clone()),
                    }
                    waiting.push_back(below);
                });
                if let Some(reference) = subschemas::reference(keywords) {
                    match resolve(document, reference, &place)? {
                        Target::Place(target) => {
                            outline.targets.insert(reference.to_owned(), target.clone());
                            links.same_value.push(target.clone());
                            waiting.push_back(target);
                        }
                        Target::Name => by_name.push((place.clone(), reference.to_owned())),
                    }
                }
            }
            outline.schemas.insert(place, links);
        }
        for (place, reference) in by_name {
            let Some(target) = outline.named.get(&reference) else {
                return Err(Violation::at("", format!("key [{}] not found", cut(&reference))));
            };
            outline.targets.insert(reference, target.clone());
            outline.schemas.entry(place).or_default().same_value.push(target.clone());
        }
        outline.check_chains()?;
        Ok(outline)
    }

    /// Takes out of every schema what would give it another dialect or another base address than the document's.
    pub(crate) fn unify(&self, document: &mut Value) {
        for place in self.schemas.keys() {
            if let Some(Value::Object(schema)) = document.pointer_mut(place) {
                if !place.is_empty() {
                    schema.shift_remove("$schema");
                }
                if schema.get("$id").is_some_and(|id| plain_name(id).is_none()) {
                    schema.shift_remove("$id");
                }
            }
        }
    }

    /// Says whether the document stays small when every reference is written out; a recursive one never does.
    pub(crate) fn stays_small(&self) -> bool {
        self.written_out("", 1, &mut HashMap::new()).is_some()
    }

    /// Returns how many schemas there are from here on. `sizes` has `None` for those being counted.
    fn written_out<'a>(
        &'a self,
        place: &'a str,
        depth: usize,
        sizes: &mut HashMap<&'a str, Option<usize>>,
    ) -> Option<usize> {
        if let Some(size) = sizes.get(place) {
            return *size;
        }
        if depth > SMALL_DEPTH {
            return None;
        }
        sizes.insert(place, None);
        let links = self.schemas.get(place)?;
        let mut size = 1;
        for next in links.same_value.iter().chain(&links.parts) {
            size += self.written_out(next, depth + 1, sizes)?;
            if size > FEW_SCHEMAS {
                return None;
            }
        }
        sizes.insert(place, Some(size));
        Some(size)
    }

    fn note_name(&mut self, schema: &Value, place: &str) -> Result<(), Violation> {
        let Some(name) = plain_name(&schema["$id"]) else {
            return Ok(());
        };
        match self.named.entry(name.to_owned()) {
            Entry::Vacant(free) => {
                free.insert(place.to_owned());
                Ok(())
            }
            Entry::Occupied(taken) => Err(Violation::at(
                place,
                format!("the $id [{}] is already that of #{}; give each schema its own", cut(name), taken.get()),
            )),
        }
    }

    fn check_chains(&self) -> Result<(), Violation> {
        let mut lengths = HashMap::new();
        for place in self.schemas.keys() {
            self.chain_length(place, 1, &mut lengths)?;
        }
        Ok(())
    }

    /// Returns how many schemas look at one value from here on. `lengths` has `None` for those being measured.
    fn chain_length<'a>(
        &'a self,
        place: &'a str,
        depth: usize,
        lengths: &mut HashMap<&'a str, Option<usize>>,
    ) -> Result<usize, Violation> {
        match lengths.get(place) {
            Some(Some(length)) => return Ok(*length),
            Some(None) => {
                return Err(Violation::at(
                    place,
                    "the schema refers to itself without looking deeper into the value, so no value could be checked",
                ));
            }
            None => {}
        }
        lengths.insert(place, None);
        let mut length = 1;
        for next in self.schemas.get(place).into_iter().flat_map(|links| &links.same_value) {
            if depth < LONGEST_CHAIN {
                length = length.max(1 + self.chain_length(next, depth + 1, lengths)?);
            } else {
                length = LONGEST_CHAIN + 1;
            }
        }
        if length > LONGEST_CHAIN {
            return Err(Violation::at(
                place,
                format!("more than {LONGEST_CHAIN} schemas look at one value through each other; join some of them"),
            ));
        }
        lengths.insert(place, Some(length));
        Ok(length)
    }
}

fn child(place: &str, at: Place<'_>) -> String {
    match at {
        Place::Keyword(keyword) => format!("{place}/{keyword}"),
        Place::Named(keyword, name) => format!("{place}/{keyword}/{}", escape(name)),
        Place::Indexed(keyword, index) => format!("{place}/{keyword}/{index}"),
    }
}

/// Checks what decides how the rest of a schema is read.
fn check_keywords(schema: &Value, place: &str) -> Result<(), Violation> {
    let keywords = match schema {
        Value::Object(keywords) => keywords,
        Value::Bool(_) => return Ok(()),
        _ => {
            let found = loader_type(schema);
            return Err(Violation::at(place, format!("expected type is one of Boolean or JsonObject, found: {found}")));
        }
    };
    let names = match keywords.get("type") {
        None => &[],
        Some(Value::Array(names)) => names.as_slice(),
        Some(name @ Value::String(_)) => std::slice::from_ref(name),
        Some(other) => {
            return Err(Violation::at(
                &format!("{place}/type"),
                format!("expected type is one of JsonArray or String, found: {}", loader_type(other)),
            ));
        }
    };
    for name in names {
        match name {
            Value::String(name) if TYPES.contains(&name.as_str()) => {}
            Value::String(name) => return Err(Violation::at(place, format!("unknown type: [{}]", cut(name)))),
            other => {
                let found = loader_type(other);
                return Err(Violation::at(&format!("{place}/type"), format!("expected type: String, found: {found}")));
            }
        }
    }
    match keywords.get("$ref") {
        None | Some(Value::String(_)) => Ok(()),
        Some(other) => Err(Violation::at(
            &format!("{place}/$ref"),
            format!("expected type: String, found: {}", loader_type(other)),
        )),
    }
}

/// Names a JSON type as messages about schemas do, which is not how messages about payloads do.
fn loader_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "Null",
        Value::Bool(_) => "Boolean",
        Value::Number(number) if number.is_f64() => "Double",
        Value::Number(_) => "Integer",
        Value::String(_) => "String",
        Value::Array(_) => "JsonArray",
        Value::Object(_) => "JsonObject",
    }
}
