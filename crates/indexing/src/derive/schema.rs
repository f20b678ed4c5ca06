//! What a JSON Schema (draft 7) says of the values that follow it.
//!
//! Alternatives are joined: a place takes whatever one of them takes. References are followed within the document, never
//! twice within each other, and within limits of depth and effort, so that every schema comes to an end. Where nothing is
//! known, anything is expected.

use serde_json::{Map, Value};

use super::node::{Fields, Kind, Node, Role, united};

/// How deep fields may lie in one another; engines allow 20.
const DEEPEST: usize = 16;

/// How many schemas are looked at for one analysis type; references can make a short text endless.
const MOST_VISITS: usize = 20_000;

/// What a schema says of a value.
enum Said {
    /// Nothing: it may be anything.
    Nothing,
    /// There is no value, or null.
    NoValue,
    Value(Node),
}

/// Reads the schemas of one document.
pub(super) struct SchemaReader<'a> {
    document: &'a Value,
    /// The references that are being followed.
    open: Vec<&'a str>,
    visits: usize,
}

impl<'a> SchemaReader<'a> {
    /// Reads schemas that refer to this document.
    pub(super) fn new(document: &'a Value) -> Self {
        Self { document, open: Vec::new(), visits: 0 }
    }

    /// Returns the fields that the properties of an object schema make.
    pub(super) fn fields(&mut self, properties: &'a Map<String, Value>, depth: usize) -> Fields {
        let mut fields = Fields::default();
        for (name, schema) in properties.iter().filter(|(name, _)| is_usable(name)) {
            let mut node = match self.read(schema, depth + name.matches('.').count()) {
                Said::Value(node) => node,
                Said::Nothing => Node::new(Kind::Opaque),
                Said::NoValue => continue,
            };
            let last = name.rsplit('.').next().unwrap_or(name);
            if node.role == Role::Usual && is_id(last) {
                node.role = Role::Id;
            }
            fields.join_at(name, node, "", &mut Vec::new());
        }
        fields
    }

    fn read(&mut self, schema: &'a Value, depth: usize) -> Said {
        self.visits += 1;
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(false) => return Said::NoValue,
            _ => return Said::Nothing,
        };
        if depth > DEEPEST || self.visits > MOST_VISITS {
            return Said::Nothing;
        }
        let mut said = match schema.get("$ref") {
            Some(Value::String(reference)) => self.read_reference(reference, depth),
            _ => self.read_keywords(schema, depth),
        };
        if let (Said::Value(node), Some(Value::String(title))) = (&mut said, schema.get("title"))
            && !title.trim().is_empty()
        {
            node.title = Some(title.trim().to_owned());
        }
        said
    }

    fn read_reference(&mut self, reference: &'a str, depth: usize) -> Said {
        let target = reference.strip_prefix('#').and_then(|pointer| self.document.pointer(pointer));
        let Some(target) = target.filter(|_| !self.open.contains(&reference)) else { return Said::Nothing };
        self.open.push(reference);
        let said = self.read(target, depth);
        self.open.pop();
        said
    }

    fn read_keywords(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Said {
        let mut all = vec![self.read_own(schema, depth)];
        for keyword in ["then", "else"] {
            all.extend(schema.get(keyword).map(|branch| self.read(branch, depth)));
        }
        for branch in list(schema, "allOf") {
            all.push(self.read(branch, depth));
        }
        if let Some(Value::Object(dependencies)) = schema.get("dependencies") {
            for branch in dependencies.values().filter(|branch| branch.is_object()) {
                all.push(self.read(branch, depth));
            }
        }
        let is_known = all.iter().any(|said| matches!(said, Said::Value(_)));
        for keyword in ["anyOf", "oneOf"] {
            let branches = list(schema, keyword).map(|branch| self.read(branch, depth));
            // Where the kind is known, a branch that says nothing only asks for what others describe.
            let branches = branches.filter(|branch| !is_known || !matches!(branch, Said::Nothing)).collect();
            all.push(any_of(branches));
        }
        all_of(all)
    }

    /// Reads what the schema says itself, without its branches.
    fn read_own(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Said {
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains_key(*keyword));
        let values = counted_up(schema);
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if !values.is_empty() => values.iter().map(|(value, _)| type_of(value)).collect(),
            _ if has(&["properties", "patternProperties", "additionalProperties"]) => vec!["object"],
            _ if has(&["items", "contains"]) => vec!["array"],
            _ if has(&["format", "pattern", "minLength", "maxLength"]) => vec!["string"],
            _ if has(&["minimum", "maximum", "multipleOf"]) => vec!["number"],
            _ => return Said::Nothing,
        };
        let mut all = Vec::new();
        for name in types {
            all.push(match name {
                "string" => Said::Value(Node::new(string_kind(schema))),
                "integer" => Said::Value(Node::new(Kind::Long)),
                "number" => Said::Value(Node::new(Kind::Double)),
                "boolean" => Said::Value(Node::new(Kind::Boolean)),
                "object" => {
                    let properties = schema.get("properties").and_then(Value::as_object);
                    let fields = properties.map(|properties| self.fields(properties, depth + 1));
                    Said::Value(Node::new(Kind::Object(fields.unwrap_or_default())))
                }
                "array" => Said::Value(self.read_items(schema, depth)),
                _ => Said::NoValue,
            });
        }
        let mut said = any_of(all);
        if let Said::Value(node) = &mut said
            && !matches!(node.kind, Kind::Object(_) | Kind::Opaque)
            && !values.is_empty()
        {
            node.values = values.into_iter().filter_map(|(value, label)| Some((text_of(value)?, label))).collect();
        }
        said
    }

    fn read_items(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Node {
        let items = match schema.get("items") {
            Some(Value::Array(places)) => {
                let more = schema.get("additionalItems").filter(|more| more.is_object());
                any_of(places.iter().chain(more).map(|item| self.read(item, depth)).collect())
            }
            Some(item) => self.read(item, depth),
            None => Said::Nothing,
        };
        match items {
            Said::Value(node) => node.list(),
            Said::Nothing | Said::NoValue => Node::new(Kind::Opaque).list(),
        }
    }
}

/// Joins what is said of a value that follows one of several schemas; one that says nothing lets anything pass.
fn any_of(branches: Vec<Said>) -> Said {
    if branches.iter().any(|branch| matches!(branch, Said::Nothing)) {
        return Said::Nothing;
    }
    join(branches, |node, more| node.join(more, "", &mut Vec::new()))
}

/// Joins what is said of a value that follows all of several schemas; what one of them counts up is all there is.
fn all_of(parts: Vec<Said>) -> Said {
    join(parts, |node, more| {
        let values = united(node.values.clone(), more.values.clone());
        node.join(more, "", &mut Vec::new());
        node.values = values;
    })
}

fn join(all: Vec<Said>, mut take_in: impl FnMut(&mut Node, Node)) -> Said {
    let mut joined = Said::Nothing;
    for said in all {
        match (&mut joined, said) {
            (Said::Value(node), Said::Value(more)) => take_in(node, more),
            (Said::Value(_), _) | (_, Said::Nothing) => {}
            (_, said) => joined = said,
        }
    }
    joined
}

fn list<'a>(schema: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

fn string_kind(schema: &Map<String, Value>) -> Kind {
    match schema.get("format").and_then(Value::as_str) {
        Some("date" | "date-time") => Kind::Date,
        Some("ipv4" | "ipv6") => Kind::Ip,
        _ => Kind::Keyword,
    }
}

/// Returns the values that a schema counts up; one with a title is called so.
fn counted_up(schema: &Map<String, Value>) -> Vec<(&Value, Option<String>)> {
    match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(values)), _) => values.iter().map(|value| (value, None)).collect(),
        (_, Some(value)) => vec![(value, schema.get("title").and_then(Value::as_str).map(str::to_owned))],
        _ => Vec::new(),
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns whether a name can be that of a field; dots in it stand for objects.
fn is_usable(name: &str) -> bool {
    name.split('.').all(|part| !part.trim().is_empty())
}

/// Returns whether a name is that of something that tells one thing from another.
fn is_id(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower == "id" || name.ends_with("Id") || name.ends_with("ID") || lower.ends_with("_id") || lower.ends_with("-id")
}
