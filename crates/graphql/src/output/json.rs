//! The selection of a value that is JSON already: display configuration, saved sets, and answers of a network.

use apollo_compiler::Name;
use serde::ser::{Serialize, SerializeMap, Serializer};
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
    pub(crate) fn pick<'a>(selection: &'a [Self], value: &'a Value) -> PickedJson<'a> {
        PickedJson { selection, limit: usize::MAX, value }
    }
}

/// The selected part of a value, which is written without a copy of it.
pub(crate) struct PickedJson<'a> {
    selection: &'a [JsonSelection],
    limit: usize,
    value: &'a Value,
}

impl Serialize for PickedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Array(list) => {
                let elements = list.iter().take(self.limit);
                serializer.collect_seq(elements.map(|element| JsonSelection::pick(self.selection, element)))
            }
            value if self.selection.is_empty() => value.serialize(serializer),
            Value::Object(object) => {
                let mut members = serializer.serialize_map(Some(self.selection.len()))?;
                for field in self.selection {
                    let key = field.key.as_str();
                    match field.name.as_str() {
                        "__typename" => members.serialize_entry(key, field.on.as_str())?,
                        name => {
                            let picked = |value| PickedJson { selection: &field.children, limit: field.limit, value };
                            members.serialize_entry(key, &object.get(name).map(picked))?;
                        }
                    }
                }
                members.end()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => serializer.serialize_unit(),
        }
    }
}
