//! The selection of a value that is JSON already: display configuration and saved sets.

use apollo_compiler::Name;
use serde_json::Value;

use crate::request::SelectedField;

/// One selected member.
#[derive(Debug)]
pub(crate) struct JsonSelection {
    key: Name,
    name: Name,
    on: Name,
    children: Vec<JsonSelection>,
}

impl JsonSelection {
    /// Returns the selection of an object.
    pub(crate) fn of(selected: &[SelectedField]) -> Vec<Self> {
        let child = |field: &SelectedField| Self {
            key: field.key.clone(),
            name: field.name.clone(),
            on: field.on.clone(),
            children: Self::of(&field.children),
        };
        selected.iter().map(child).collect()
    }

    /// Returns the selected part of a value; all of it if the selection is empty.
    pub(crate) fn pick(selection: &[Self], value: &Value) -> Value {
        match value {
            value if selection.is_empty() => value.clone(),
            Value::Array(list) => list.iter().map(|element| Self::pick(selection, element)).collect(),
            Value::Object(object) => {
                let members = selection.iter().map(|field| {
                    let value = match field.name.as_str() {
                        "__typename" => Value::from(field.on.as_str()),
                        name => object.get(name).map_or(Value::Null, |value| Self::pick(&field.children, value)),
                    };
                    (field.key.to_string(), value)
                });
                Value::Object(members.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Value::Null,
        }
    }
}
