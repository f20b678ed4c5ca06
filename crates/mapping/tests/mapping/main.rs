//! The mapping as its users see it.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "test helpers read better this way")]

mod alias;
mod dates;
mod dynamic;
mod errors;
mod expressions;
mod forms;
mod hostile;
mod kinds;
mod lookup;
mod merging;
mod prefix;
mod redact;
mod values;

use cantata_mapping::{Field, IndexMapping, MappingError};
use serde_json::{Value, json};

/// Returns the mapping of a properties object.
fn mapping(properties: Value) -> IndexMapping {
    IndexMapping::parse(&json!({ "properties": properties })).unwrap()
}

/// Returns the problems of a properties object.
fn problems(properties: Value) -> Vec<MappingError> {
    IndexMapping::parse(&json!({ "properties": properties })).unwrap_err()
}

/// Returns a field `x` of that definition.
fn field(definition: Value) -> Field {
    mapping(json!({ "x": definition })).field("x").unwrap().clone()
}

/// Returns the paths of the fields in order.
fn paths(mapping: &IndexMapping) -> Vec<&str> {
    mapping.fields().map(|field| field.path.as_str()).collect()
}
