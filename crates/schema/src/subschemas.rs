//! The subschemas of a draft 7 schema, and to which part of a value each of them applies.

use serde_json::{Map, Value};

/// The part of a value that a subschema applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstanceTarget<'a> {
    /// The value itself.
    Itself,
    /// The member of this name.
    Member(&'a str),
    /// Any member.
    AnyMember,
    /// The name of any member.
    MemberName,
    /// The item at this index.
    Item(usize),
    /// Any item.
    AnyItem,
    /// Nothing, unless a reference applies it.
    Nothing,
}

/// The location of a subschema within its schema.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeywordLocation<'a> {
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

/// Calls `visit` with every subschema. Keywords whose values have the wrong type are skipped.
pub(crate) fn for_each<'a>(
    schema: &'a Map<String, Value>,
    mut visit: impl FnMut(InstanceTarget<'a>, KeywordLocation<'a>, &'a Value),
) {
    if reference(schema).is_some() {
        return;
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("not" | "if" | "then" | "else", _) => {
                visit(InstanceTarget::Itself, KeywordLocation::Keyword(keyword), value)
            }
            ("additionalProperties", _) => visit(InstanceTarget::AnyMember, KeywordLocation::Keyword(keyword), value),
            ("propertyNames", _) => visit(InstanceTarget::MemberName, KeywordLocation::Keyword(keyword), value),
            ("items", Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    visit(InstanceTarget::Item(index), KeywordLocation::Indexed(keyword, index), item);
                }
            }
            ("items" | "additionalItems" | "contains", _) => {
                visit(InstanceTarget::AnyItem, KeywordLocation::Keyword(keyword), value)
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    visit(InstanceTarget::Itself, KeywordLocation::Indexed(keyword, index), item);
                }
            }
            ("properties" | "patternProperties" | "definitions" | "dependencies", Value::Object(members)) => {
                for (name, member) in members {
                    let applies = match keyword.as_str() {
                        "properties" => InstanceTarget::Member(name),
                        "patternProperties" => InstanceTarget::AnyMember,
                        "definitions" => InstanceTarget::Nothing,
                        _ if member.is_array() => continue,
                        _ => InstanceTarget::Itself,
                    };
                    visit(applies, KeywordLocation::Named(keyword, name), member);
                }
            }
            _ => {}
        }
    }
}
