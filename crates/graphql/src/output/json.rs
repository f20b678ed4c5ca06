//! The selection of a value that is JSON already: display configuration, saved sets, and answers of a network.

use apollo_compiler::Name;
use serde_json::Value;

use crate::request::SelectedField;

/// One selected member.
#[derive(Debug)]
pub(crate) struct JsonSelection {
    key: Name,
    name: Name,
    on: Name,
    /// How many elements of a list are selected.
    limit: usize,
    children: Vec<JsonSelection>,
}

impl JsonSelection {
    /// Returns the selection of an object.
    pub(crate) fn of(selected: &[SelectedField]) -> Vec<Self> {
        selected.iter().map(|field| Self::new(field, field.name.clone(), Self::of(&field.children))).collect()
    }

    /// Returns the selection of one member, which the value has under this name.
    pub(crate) fn new(field: &SelectedField, name: Name, children: Vec<Self>) -> Self {
        Self { key: field.key.clone(), name, on: field.on.clone(), limit: usize::MAX, children }
    }

    /// Limits the elements of a list.
    pub(crate) fn limited(self, limit: Option<usize>) -> Self {
        Self { limit: limit.unwrap_or(self.limit), ..self }
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
                        name => match object.get(name) {
                            Some(Value::Array(list)) => {
                                let elements = list.iter().take(field.limit);
                                elements.map(|element| Self::pick(&field.children, element)).collect()
                            }
                            Some(value) => Self::pick(&field.children, value),
                            None => Value::Null,
                        },
                    };
                    (field.key.to_string(), value)
                });
                Value::Object(members.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Value::Null,
        }
    }
}
