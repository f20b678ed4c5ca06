//! From a JSON Schema to lists and columns.
//!
//! References within the schema and `allOf` are followed. What is described in another way than by a type, properties,
//! items or an enumeration is a cell of JSON, and so is what contains itself or is nested too deep. Schemas come from
//! outside: steps, depth and columns are bounded.

use serde_json::{Map, Value};

use super::cell_kind::{CellKind, CellType};
use super::layout::{ColumnLayout, ListLayout, MAIN_SHEET, column_name};

/// How many columns all sheets together have at most.
const MAX_COLUMNS: usize = 2_000;

/// How many sheets there are at most.
const MAX_LISTS: usize = 100;

/// How many schemas are looked at, at most.
const MAX_STEPS: usize = 50_000;

/// How many references lead to a schema, at most.
const MAX_REFERENCES: usize = 64;

/// How deep objects and lists are laid out.
const MAX_DEPTH: usize = 12;

/// The keywords in which `allOf` is gathered rather than replaced.
const GATHERED_OBJECT: &str = "properties";
const GATHERED_LIST: &str = "required";

/// Why a schema is not laid out as sheets.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// No value is valid.
    #[error("the schema allows nothing")]
    Unsatisfiable,
    /// It would have too many sheets.
    #[error("the schema has more than {MAX_LISTS} lists; submit JSON")]
    Lists,
    /// Its sheets would have too many columns.
    #[error("the schema has more than {MAX_COLUMNS} columns; submit JSON")]
    Columns,
    /// Its references lead to too many schemas.
    #[error("the schema refers to itself in too many ways for a sheet; submit JSON")]
    Steps,
}

pub(super) struct SchemaWalk<'s> {
    root: &'s Value,
    without: &'s [&'s str],
    lists: Vec<ListLayout>,
    columns: usize,
    steps: usize,
}

/// A location in a document whose schema is laid out.
struct InstanceLocation<'p> {
    /// The list whose elements are laid out, and the path in an element.
    list: usize,
    path: Vec<String>,
    /// Whether each element has what is there, and whether the object around it has.
    is_always_there: bool,
    is_required: bool,
    /// The references that were followed to it.
    references: &'p [String],
    depth: usize,
}

/// A schema without references and `allOf`.
struct Resolved {
    keywords: Map<String, Value>,
    /// The references that were followed to it and in it.
    references: Vec<String>,
    contains_itself: bool,
}

impl<'s> SchemaWalk<'s> {
    pub(super) fn new(root: &'s Value, without: &'s [&'s str]) -> Self {
        let documents = ListLayout {
            sheet: MAIN_SHEET.to_owned(),
            parent: None,
            path: Vec::new(),
            is_required: true,
            columns: Vec::new(),
            required_objects: Vec::new(),
        };
        Self { root, without, lists: vec![documents], columns: 0, steps: 0 }
    }

    /// Returns the lists of the schema.
    pub(super) fn lists(mut self) -> Result<Vec<ListLayout>, LayoutError> {
        let resolved = self.resolve(self.root, &[])?.ok_or(LayoutError::Unsatisfiable)?;
        let location = InstanceLocation {
            list: 0,
            path: Vec::new(),
            is_always_there: true,
            is_required: true,
            references: &[],
            depth: 0,
        };
        self.add_members(&resolved, &location)?;
        Ok(self.lists)
    }

    /// Adds the members of an object.
    fn add_members(&mut self, object: &Resolved, location: &InstanceLocation<'_>) -> Result<(), LayoutError> {
        let Some(Value::Object(properties)) = object.keywords.get("properties") else { return Ok(()) };
        let required = object.keywords.get("required").and_then(Value::as_array);
        for (name, schema) in properties {
            let is_left_out = location.list == 0 && location.path.is_empty() && self.without.contains(&name.as_str());
            if is_left_out || name.is_empty() {
                continue;
            }
            let is_required = required.is_some_and(|required| required.iter().any(|other| other == name));
            let member = InstanceLocation {
                list: location.list,
                path: [&location.path[..], std::slice::from_ref(name)].concat(),
                is_always_there: location.is_always_there && is_required,
                is_required,
                references: &object.references,
                depth: location.depth + 1,
            };
            self.add(schema, &member)?;
        }
        Ok(())
    }

    /// Adds what is at a location: an object, a list or a cell.
    fn add(&mut self, schema: &Value, location: &InstanceLocation<'_>) -> Result<(), LayoutError> {
        let Some(resolved) = self.resolve(schema, location.references)? else { return Ok(()) };
        let (types, is_nullable) = types(&resolved.keywords);
        let is_deep = resolved.contains_itself || location.depth > MAX_DEPTH;
        if !is_deep && is_object(&types, &resolved.keywords) {
            if location.is_always_there {
                self.lists[location.list].required_objects.push(location.path.clone());
            }
            let inner = InstanceLocation {
                list: location.list,
                path: location.path.clone(),
                is_always_there: location.is_always_there,
                is_required: location.is_required,
                references: &resolved.references,
                depth: location.depth,
            };
            return self.add_members(&resolved, &inner);
        }
        let is_list = matches!(types[..], ["array"]) || (types.is_empty() && resolved.keywords.contains_key("items"));
        if is_list && !is_deep && !resolved.keywords.contains_key("enum") {
            let items = resolved.keywords.get("items").filter(|items| items.is_object());
            let items = match items {
                Some(items) => self.resolve(items, &resolved.references)?,
                None => None,
            };
            if let Some(items) = items.filter(|items| !items.contains_itself) {
                let (item_types, has_nulls) = self::types(&items.keywords);
                if is_object(&item_types, &items.keywords) && !has_nulls {
                    return self.add_list(&items, location);
                }
                let element = cell_type(&item_types, &items.keywords);
                if !has_nulls && !matches!(element.kind, CellKind::Json { .. }) {
                    let cell = CellType { kind: CellKind::List(Box::new(element)), allowed: None };
                    return self.add_column(cell, is_nullable, location);
                }
            }
        }
        self.add_column(cell_type(&types, &resolved.keywords), is_nullable, location)
    }

    fn add_list(&mut self, items: &Resolved, location: &InstanceLocation<'_>) -> Result<(), LayoutError> {
        if self.lists.len() >= MAX_LISTS {
            return Err(LayoutError::Lists);
        }
        self.lists.push(ListLayout {
            sheet: String::new(),
            parent: Some(location.list),
            path: location.path.clone(),
            is_required: location.is_always_there,
            columns: Vec::new(),
            required_objects: Vec::new(),
        });
        let element = InstanceLocation {
            list: self.lists.len() - 1,
            path: Vec::new(),
            is_always_there: true,
            is_required: true,
            references: &items.references,
            depth: location.depth + 1,
        };
        self.add_members(items, &element)
    }

    fn add_column(
        &mut self,
        cell: CellType,
        is_nullable: bool,
        location: &InstanceLocation<'_>,
    ) -> Result<(), LayoutError> {
        self.columns += 1;
        if self.columns > MAX_COLUMNS {
            return Err(LayoutError::Columns);
        }
        self.lists[location.list].columns.push(ColumnLayout {
            name: column_name(&location.path),
            path: location.path.clone(),
            is_required: location.is_always_there,
            is_null_when_empty: is_nullable && location.is_required,
            cell,
        });
        Ok(())
    }

    /// Follows references and gathers `allOf`; nothing if the schema allows no value.
    fn resolve(&mut self, schema: &Value, references: &[String]) -> Result<Option<Resolved>, LayoutError> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(LayoutError::Steps);
        }
        let mut resolved = Resolved { keywords: Map::new(), references: references.to_vec(), contains_itself: false };
        let keywords = match schema {
            Value::Bool(false) => return Ok(None),
            Value::Object(keywords) => keywords,
            _ => return Ok(Some(resolved)),
        };
        if keywords
            .get("not")
            .is_some_and(|not| *not == Value::Bool(true) || not.as_object().is_some_and(Map::is_empty))
        {
            return Ok(None);
        }
        // In draft 7 nothing beside a reference counts.
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            let root = self.root;
            let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
            let Some(target) = target else { return Ok(Some(resolved)) };
            if references.len() >= MAX_REFERENCES || references.iter().any(|followed| followed == reference) {
                resolved.contains_itself = true;
                return Ok(Some(resolved));
            }
            resolved.references.push(reference.to_owned());
            return self.resolve(target, &resolved.references);
        }
        let own = keywords.iter().filter(|(name, _)| *name != "allOf");
        resolved.keywords = own.map(|(name, value)| (name.clone(), value.clone())).collect();
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let Some(part) = self.resolve(part, references)? else { return Ok(None) };
            resolved.contains_itself |= part.contains_itself;
            for reference in part.references {
                if !resolved.references.contains(&reference) {
                    resolved.references.push(reference);
                }
            }
            gather(&mut resolved.keywords, part.keywords);
        }
        Ok(Some(resolved))
    }
}

/// Adds the keywords of another schema that holds as well.
fn gather(keywords: &mut Map<String, Value>, others: Map<String, Value>) {
    for (name, other) in others {
        match (keywords.get_mut(&name), other) {
            (Some(Value::Object(members)), Value::Object(more)) if name == GATHERED_OBJECT => {
                for (member, schema) in more {
                    members.entry(member).or_insert(schema);
                }
            }
            (Some(Value::Array(names)), Value::Array(more)) if name == GATHERED_LIST => names.extend(more),
            (Some(_), _) => {}
            (None, other) => {
                keywords.insert(name, other);
            }
        }
    }
}

/// Returns the types that a schema allows beside null, and whether it allows null; none if it does not say.
fn types(keywords: &Map<String, Value>) -> (Vec<&str>, bool) {
    let listed: Vec<&str> = match keywords.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let values = keywords.get("enum").and_then(Value::as_array);
    let has_null_value = values.is_some_and(|values| values.contains(&Value::Null));
    let is_nullable = match values {
        Some(_) => has_null_value && (listed.is_empty() || listed.contains(&"null")),
        None => listed.contains(&"null"),
    };
    (listed.into_iter().filter(|name| *name != "null").collect(), is_nullable)
}

/// Returns whether a schema describes objects with known members.
fn is_object(types: &[&str], keywords: &Map<String, Value>) -> bool {
    let has_members = keywords.get("properties").and_then(Value::as_object).is_some_and(|members| !members.is_empty());
    has_members && (types.is_empty() || matches!(types, ["object"])) && !keywords.contains_key("enum")
}

/// Returns what a cell with values of a schema is.
fn cell_type(types: &[&str], keywords: &Map<String, Value>) -> CellType {
    let values = match (keywords.get("enum"), keywords.get("const")) {
        (Some(Value::Array(values)), _) => Some(values.clone()),
        (_, Some(value)) => Some(vec![value.clone()]),
        _ => None,
    };
    let is_listed = values.as_ref().is_some_and(|values| {
        values.iter().all(|value| !value.is_object() && !value.is_array() && value.as_str() != Some(""))
    });
    let kind = match types {
        ["string"] => CellKind::Text,
        ["integer"] => CellKind::Integer,
        ["number"] | ["integer", "number"] | ["number", "integer"] => CellKind::Number,
        ["boolean"] => CellKind::Boolean,
        [] if is_listed => CellKind::Text,
        _ => CellKind::Json { allows_text: types.is_empty() || types.contains(&"string") },
    };
    let allowed = values.filter(|_| is_listed && !matches!(kind, CellKind::Json { .. })).map(|values| {
        let texts = values.into_iter().filter(|value| !value.is_null());
        texts.map(|value| (value.as_str().map_or_else(|| value.to_string(), str::to_owned), value)).collect()
    });
    CellType { kind, allowed }
}
