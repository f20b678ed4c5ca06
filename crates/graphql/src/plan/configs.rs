//! `configs`: the selected display configuration.

use serde_json::{Map, Value, json};

use super::{arguments, json_bytes};
use crate::output::{JsonBytes, JsonSelection};
use crate::request::SelectedField;
use crate::schema::IndexSchema;

/// Compiles `configs`, whose value is known before the search.
pub(super) fn configs(schema: &IndexSchema, field: &SelectedField) -> JsonBytes {
    let mut answer = Map::new();
    for child in field.children.iter() {
        let value = match child.name.as_str() {
            "__typename" => Value::from(child.on.as_str()),
            "extended" => extended(schema, child),
            name => {
                let whole = schema.display.get(name).unwrap_or(&Value::Null);
                json!(JsonSelection::pick(&JsonSelection::of(&child.children), whole))
            }
        };
        answer.insert(child.key.to_string(), value);
    }
    json_bytes(&answer.into())
}

/// Returns the display configuration of the named fields; of all if none are named.
fn extended(schema: &IndexSchema, field: &SelectedField) -> Value {
    let names: Option<Vec<String>> = arguments::list(field, "fieldNames")
        .map(|names| names.into_iter().filter_map(Value::as_str).map(str::to_owned).collect());
    json!(schema.catalogue.display.extended_of(names.as_deref()).collect::<Vec<_>>())
}
