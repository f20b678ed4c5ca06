//! Where a draft 7 schema holds other schemas, and to which part of a value each of them applies.

use serde_json::{Map, Value};

/// The part of a value that a subschema looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applies<'a> {
    /// The value itself.
    Itself,
    /// The member of this name.
    Member(&'a str),
    /// Any member.
    AnyMember,
    /// The name of any member.
    MemberName,
    /// The item at this place.
    Item(usize),
    /// Any item.
    AnyItem,
    /// Nothing, unless something refers to it.
    Nothing,
}

/// The place of a subschema within the schema that holds it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The value of a keyword.
    Keyword(&'a str),
    /// A named member of the value of a keyword.
    Named(&'a str, &'a str),
    /// An item of the value of a keyword.
    Indexed(&'a str, usize),
}

/// Returns the text of the schema's reference, in whose presence draft 7 ignores every other keyword.
pub(crate) fn reference(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref")?.as_str()
}

/// Calls `visit` with every subschema. Keywords whose values have the wrong shape are passed over.
pub(crate) fn for_each<'a>(schema: &'a Map<String, Value>, mut visit: impl FnMut(Applies<'a>, Place<'a>, &'a Value)) {
    if reference(schema).is_some() {
        return;
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("not" | "if" | "then" | "else", _) => visit(Applies::Itself, Place::Keyword(keyword), value),
            ("additionalProperties", _) => visit(Applies::AnyMember, Place::Keyword(keyword), value),
            ("propertyNames", _) => visit(Applies::MemberName, Place::Keyword(keyword), value),
            ("items", Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    visit(Applies::Item(index), Place::Indexed(keyword, index), item);
                }
            }
            ("items" | "additionalItems" | "contains", _) => visit(Applies::AnyItem, Place::Keyword(keyword), value),
            ("allOf" | "anyOf" | "oneOf", Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    visit(Applies::Itself, Place::Indexed(keyword, index), item);
                }
            }
            ("properties" | "patternProperties" | "definitions" | "dependencies", Value::Object(members)) => {
                for (name, member) in members {
                    let applies = match keyword.as_str() {
                        "properties" => Applies::Member(name),
                        "patternProperties" => Applies::AnyMember,
                        "definitions" => Applies::Nothing,
                        _ if member.is_array() => continue,
                        _ => Applies::Itself,
                    };
                    visit(applies, Place::Named(keyword, name), member);
                }
            }
            _ => {}
        }
    }
}
