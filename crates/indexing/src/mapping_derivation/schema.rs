//! Reads the fields that a JSON Schema (draft 7) describes.
//!
//! Alternatives are joined: a field accepts whatever one of them accepts. References are followed within the document, not
//! recursively, and within limits of depth and number, so that every schema terminates. Where nothing is known, anything
//! is expected.

use serde_json::{Map, Value};

use super::field_node::{FieldNode, FieldRole, Fields, NodeKind, merge_values};

/// The maximum depth of fields; engines allow 20.
const MAX_DEPTH: usize = 16;

/// How many schemas are read for one analysis type; references can make a short text endless.
const MAX_VISITS: usize = 20_000;

/// What a schema says about a value.
enum SchemaInfo {
    /// It may be anything.
    Unknown,
    /// There is no value, or null.
    NoValue,
    Value(FieldNode),
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
                SchemaInfo::Value(node) => node,
                SchemaInfo::Unknown => FieldNode::new(NodeKind::Opaque),
                SchemaInfo::NoValue => continue,
            };
            let last = name.rsplit('.').next().unwrap_or(name);
            if node.role == FieldRole::Normal && is_id(last) {
                node.role = FieldRole::Identifier;
            }
            fields.join_at(name, node, "", &mut Vec::new());
        }
        fields
    }

    fn read(&mut self, schema: &'a Value, depth: usize) -> SchemaInfo {
        self.visits += 1;
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(false) => return SchemaInfo::NoValue,
            _ => return SchemaInfo::Unknown,
        };
        if depth > MAX_DEPTH || self.visits > MAX_VISITS {
            return SchemaInfo::Unknown;
        }
        let mut info = match schema.get("$ref") {
            Some(Value::String(reference)) => self.read_reference(reference, depth),
            _ => self.read_keywords(schema, depth),
        };
        if let SchemaInfo::Value(node) = &mut info {
            let said = |keyword: &str| -> Option<String> {
                let text = schema.get(keyword)?.as_str()?.trim();
                (!text.is_empty()).then(|| text.to_owned())
            };
            node.title = said("title").or(node.title.take());
            // Beside a single value it says what the value means.
            let meaning = said("description").filter(|_| !schema.contains_key("const"));
            node.description = meaning.or(node.description.take());
        }
        info
    }

    fn read_reference(&mut self, reference: &'a str, depth: usize) -> SchemaInfo {
        let target = reference.strip_prefix('#').and_then(|pointer| self.document.pointer(pointer));
        let Some(target) = target.filter(|_| !self.open.contains(&reference)) else { return SchemaInfo::Unknown };
        self.open.push(reference);
        let info = self.read(target, depth);
        self.open.pop();
        info
    }

    fn read_keywords(&mut self, schema: &'a Map<String, Value>, depth: usize) -> SchemaInfo {
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
        let is_known = all.iter().any(|info| matches!(info, SchemaInfo::Value(_)));
        for keyword in ["anyOf", "oneOf"] {
            let branches = list(schema, keyword).map(|branch| self.read(branch, depth));
            // Where the kind is known, an unknown branch only requires what others describe.
            let branches = branches.filter(|branch| !is_known || !matches!(branch, SchemaInfo::Unknown)).collect();
            all.push(any_of(branches));
        }
        all_of(all)
    }

    /// Reads what the schema says itself, without its branches.
    fn read_own(&mut self, schema: &'a Map<String, Value>, depth: usize) -> SchemaInfo {
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains_key(*keyword));
        let values = enumerated_values(schema);
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if !values.is_empty() => values.iter().map(|(value, _)| type_of(value)).collect(),
            _ if has(&["properties", "patternProperties", "additionalProperties"]) => vec!["object"],
            _ if has(&["items", "contains"]) => vec!["array"],
            _ if has(&["format", "pattern", "minLength", "maxLength"]) => vec!["string"],
            _ if has(&["minimum", "maximum", "multipleOf"]) => vec!["number"],
            _ => return SchemaInfo::Unknown,
        };
        let mut all = Vec::new();
        for name in types {
            all.push(match name {
                "string" => SchemaInfo::Value(FieldNode::new(string_kind(schema))),
                "integer" => SchemaInfo::Value(FieldNode::new(NodeKind::Long)),
                "number" => SchemaInfo::Value(FieldNode::new(NodeKind::Double)),
                "boolean" => SchemaInfo::Value(FieldNode::new(NodeKind::Boolean)),
                "object" => {
                    let properties = schema.get("properties").and_then(Value::as_object);
                    let fields = properties.map(|properties| self.fields(properties, depth + 1));
                    SchemaInfo::Value(FieldNode::new(NodeKind::Object(fields.unwrap_or_default())))
                }
                "array" => SchemaInfo::Value(self.read_items(schema, depth)),
                _ => SchemaInfo::NoValue,
            });
        }
        let mut info = any_of(all);
        if let SchemaInfo::Value(node) = &mut info
            && !matches!(node.kind, NodeKind::Object(_) | NodeKind::Opaque)
            && !values.is_empty()
        {
            node.values = values.into_iter().filter_map(|(value, label)| Some((text_of(value)?, label))).collect();
        }
        info
    }

    fn read_items(&mut self, schema: &'a Map<String, Value>, depth: usize) -> FieldNode {
        let items = match schema.get("items") {
            Some(Value::Array(items)) => {
                let more = schema.get("additionalItems").filter(|more| more.is_object());
                any_of(items.iter().chain(more).map(|item| self.read(item, depth)).collect())
            }
            Some(item) => self.read(item, depth),
            None => SchemaInfo::Unknown,
        };
        match items {
            SchemaInfo::Value(node) => node.list(),
            SchemaInfo::Unknown | SchemaInfo::NoValue => FieldNode::new(NodeKind::Opaque).list(),
        }
    }
}

/// Joins the alternatives of a value; if one is unknown, the value is.
fn any_of(branches: Vec<SchemaInfo>) -> SchemaInfo {
    if branches.iter().any(|branch| matches!(branch, SchemaInfo::Unknown)) {
        return SchemaInfo::Unknown;
    }
    join(branches, |node, more| node.join(more, "", &mut Vec::new()))
}

/// Joins the parts that all describe one value; enumerations are merged.
fn all_of(parts: Vec<SchemaInfo>) -> SchemaInfo {
    join(parts, |node, more| {
        let values = merge_values(node.values.clone(), more.values.clone());
        node.join(more, "", &mut Vec::new());
        node.values = values;
    })
}

fn join(all: Vec<SchemaInfo>, mut merge: impl FnMut(&mut FieldNode, FieldNode)) -> SchemaInfo {
    let mut joined = SchemaInfo::Unknown;
    for info in all {
        match (&mut joined, info) {
            (SchemaInfo::Value(node), SchemaInfo::Value(more)) => merge(node, more),
            (SchemaInfo::Value(_), _) | (_, SchemaInfo::Unknown) => {}
            (_, info) => joined = info,
        }
    }
    joined
}

fn list<'a>(schema: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

fn string_kind(schema: &Map<String, Value>) -> NodeKind {
    match schema.get("format").and_then(Value::as_str) {
        Some("date" | "date-time") => NodeKind::Date,
        Some("ipv4" | "ipv6") => NodeKind::Ip,
        _ => NodeKind::Keyword,
    }
}

/// Returns the values that a schema enumerates, with their titles.
fn enumerated_values(schema: &Map<String, Value>) -> Vec<(&Value, Option<String>)> {
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

/// Returns whether a name can be that of a field; dots separate objects.
fn is_usable(name: &str) -> bool {
    name.split('.').all(|part| !part.trim().is_empty())
}

/// Returns whether a name is that of an identifier.
fn is_id(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower == "id" || name.ends_with("Id") || name.ends_with("ID") || lower.ends_with("_id") || lower.ends_with("-id")
}
