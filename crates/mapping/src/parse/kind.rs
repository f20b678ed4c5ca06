//! The kind of one field definition.

use serde_json::Value;

use crate::error::describe;
use crate::{DateFormat, FieldKind};

use super::definition::DefinitionReader;

/// Returns the type name and the kind of a field; a field whose type cannot be read is unsupported, which only
/// matters if other problems are to be found too.
pub(super) fn read_kind(definition: &mut DefinitionReader<'_, '_>) -> (String, FieldKind) {
    if !definition.attributes.contains_key("type") {
        let is_container = ["properties", "enabled", "dynamic"].iter().any(|k| definition.attributes.contains_key(*k));
        if !is_container {
            definition.report("neither `type` nor `properties`", "one of them");
        }
        return ("object".to_owned(), FieldKind::Object);
    }
    let Some(type_name) = definition.text("type") else {
        if definition.attributes["type"].is_null() {
            definition.report("`type`: null", "the name of a type");
        }
        return ("object".to_owned(), FieldKind::Object);
    };
    (type_name.to_owned(), kind_of(type_name, definition))
}

fn kind_of(type_name: &str, definition: &mut DefinitionReader<'_, '_>) -> FieldKind {
    match type_name {
        "keyword" => FieldKind::Keyword,
        "text" => FieldKind::Text,
        "boolean" => FieldKind::Boolean,
        "byte" => FieldKind::Byte,
        "short" => FieldKind::Short,
        "integer" => FieldKind::Integer,
        "long" => FieldKind::Long,
        "unsigned_long" => FieldKind::UnsignedLong,
        "half_float" => FieldKind::HalfFloat,
        "float" => FieldKind::Float,
        "double" => FieldKind::Double,
        "scaled_float" => scaled_float(definition),
        "date" => FieldKind::Date { format: date_format(definition) },
        "date_nanos" => FieldKind::DateNanos { format: date_format(definition) },
        "ip" => FieldKind::Ip,
        "flattened" | "flat_object" => FieldKind::Flattened,
        "wildcard" => FieldKind::Wildcard,
        "constant_keyword" => constant_keyword(definition),
        "alias" => alias(definition),
        "object" => FieldKind::Object,
        "nested" => FieldKind::Nested,
        other => FieldKind::Unsupported(other.to_owned()),
    }
}

fn scaled_float(definition: &mut DefinitionReader<'_, '_>) -> FieldKind {
    if definition.attributes.get("scaling_factor").is_none_or(Value::is_null) {
        definition.report("no `scaling_factor`", "one, as the type is scaled_float");
    }
    FieldKind::ScaledFloat { scaling_factor: definition.positive_number("scaling_factor").unwrap_or(1.0) }
}

fn date_format(definition: &mut DefinitionReader<'_, '_>) -> DateFormat {
    definition.text("format").map_or_else(DateFormat::default, DateFormat::parse)
}

fn constant_keyword(definition: &mut DefinitionReader<'_, '_>) -> FieldKind {
    let value = match definition.attributes.get("value") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(scalar @ (Value::Number(_) | Value::Bool(_))) => Some(scalar.to_string()),
        Some(other) => {
            definition.report(format!("`value`: {}", describe(other)), "a string");
            None
        }
    };
    FieldKind::ConstantKeyword { value }
}

fn alias(definition: &mut DefinitionReader<'_, '_>) -> FieldKind {
    if definition.attributes.get("path").is_none_or(Value::is_null) {
        definition.report("no `path`", "the path of the field that the alias refers to");
    }
    FieldKind::Alias { target: definition.text("path").unwrap_or_default().to_owned() }
}
