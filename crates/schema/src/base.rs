//! The base schema that all analyses share, combined with the dynamic schema of an analysis type.
//!
//! Three schemas come from one dynamic part. The *rendered* one is shown to clients. The *submission* schema also
//! forbids names that only the server writes. The *update* schema checks the body that replaces the dynamic
//! data of an analysis: it has neither study nor files, and all other members follow the rules of a submission, so that
//! what was submitted can be updated. Definitions are merged in all three, and the base ones win, so that no type can
//! change what a file is.

use std::sync::LazyLock;

use cantata_core::SERVER_OWNED_FIELDS;
use serde_json::{Map, Value, json};

static BASE: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("base.json")).expect("the embedded base schema is an object"));

/// The names an update may not carry besides the server's own.
const NOT_UPDATABLE: [&str; 2] = ["studyId", "files"];

/// Returns the schema that clients see: the dynamic part of an analysis type laid over the base.
pub fn render_schema(dynamic: &Value) -> Value {
    let mut rendered = BASE.clone();
    merge_definitions(&mut rendered, dynamic);
    overlay_properties(&mut rendered, dynamic);
    append_required(&mut rendered, dynamic, |_| true);
    Value::Object(rendered)
}

/// Returns the schema a submission must follow.
pub(crate) fn submission_schema(dynamic: &Value) -> Value {
    let mut schema = render_schema(dynamic);
    for name in SERVER_OWNED_FIELDS {
        schema["properties"][name] = forbidden();
    }
    schema
}

/// Returns the schema an update must follow.
pub(crate) fn update_schema(dynamic: &Value) -> Value {
    let mut schema = BASE.clone();
    let mut properties: Map<String, Value> =
        NOT_UPDATABLE.into_iter().map(|name| (name.to_owned(), forbidden())).collect();
    properties.insert("analysisType".to_owned(), BASE["properties"]["analysisType"].clone());
    schema.insert("id".to_owned(), json!("analysisUpdateRequest"));
    schema.insert("required".to_owned(), json!(["analysisType"]));
    schema.insert("properties".to_owned(), Value::Object(properties));
    merge_definitions(&mut schema, dynamic);
    overlay_properties(&mut schema, dynamic);
    // A type may list what the base requires anyway; an update cannot have it.
    append_required(&mut schema, dynamic, |name| !NOT_UPDATABLE.contains(&name));
    for name in SERVER_OWNED_FIELDS {
        schema["properties"][name] = forbidden();
    }
    Value::Object(schema)
}

/// Says whether the base schema has a definition of this name.
pub(crate) fn is_base_definition(name: &str) -> bool {
    BASE["definitions"].get(name).is_some()
}

/// The schema of a member that must be absent.
fn forbidden() -> Value {
    json!({"not": {}})
}

fn merge_definitions(schema: &mut Map<String, Value>, dynamic: &Value) {
    let (Some(merged), Some(added)) = (schema["definitions"].as_object_mut(), dynamic["definitions"].as_object())
    else {
        return;
    };
    for (name, definition) in added {
        merged.entry(name).or_insert_with(|| definition.clone());
    }
}

fn overlay_properties(schema: &mut Map<String, Value>, dynamic: &Value) {
    if let Some(added) = dynamic["properties"].as_object() {
        for (name, property) in added {
            schema["properties"][name] = property.clone();
        }
    }
}

fn append_required(schema: &mut Map<String, Value>, dynamic: &Value, wanted: impl Fn(&str) -> bool) {
    let (Some(required), Some(added)) = (schema["required"].as_array_mut(), dynamic["required"].as_array()) else {
        return;
    };
    for name in added {
        if name.as_str().is_some_and(&wanted) && !required.contains(name) {
            required.push(name.clone());
        }
    }
}
