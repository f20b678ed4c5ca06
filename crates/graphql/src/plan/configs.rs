//! `configs`: what portals are told, as far as it is selected.

use serde_json::{Map, Value, json};

use super::{arguments, json_bytes};
use crate::output::{JsonSelection, Output};
use crate::request::Selected;
use crate::schema::Side;

/// Answers `configs`.
pub(super) fn configs(side: &Side, field: &Selected) -> Output {
    let mut answer = Map::new();
    for child in &field.children {
        let value = match child.name.as_str() {
            "__typename" => Value::from(child.on.as_str()),
            "extended" => extended(side, child),
            name => {
                let whole = side.display.get(name).unwrap_or(&Value::Null);
                JsonSelection::pick(&JsonSelection::of(&child.children), whole)
            }
        };
        answer.insert(child.key.to_string(), value);
    }
    Output::Ready(json_bytes(&answer.into()))
}

/// Returns what is told of the fields that are named; of all if none are.
fn extended(side: &Side, field: &Selected) -> Value {
    let names: Option<Vec<String>> = arguments::list(field, "fieldNames")
        .map(|names| names.into_iter().filter_map(Value::as_str).map(str::to_owned).collect());
    json!(side.catalogue.display.extended_of(names.as_deref()).collect::<Vec<_>>())
}
