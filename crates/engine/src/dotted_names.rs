//! Documents whose members are named by dotted paths (`{"donor.age": 61}`), as their readers expect them.
//!
//! Such a member is the same as a member in an object to every index, and is found and counted alike. Readers of values
//! look for it where the mapping has the field: in the object.

use cantata_mapping::{IndexMapping, join_path};
use serde_json::{Map, Value};

/// Moves every member whose name is a dotted path into the containers of the mapping that the path leads through. Names
/// in everything that is no container, such as a flattened field, stay as they are.
pub fn nest_dotted_names(record: &mut Value, mapping: &IndexMapping) {
    nest(record, "", mapping);
}

/// Returns whether a name of a member anywhere in a value has a dot.
pub(crate) fn has_dotted_names(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().any(has_dotted_names),
        Value::Object(members) => members.iter().any(|(name, value)| name.contains('.') || has_dotted_names(value)),
        _ => false,
    }
}

fn nest(value: &mut Value, path: &str, mapping: &IndexMapping) {
    let is_container = |path: &str| mapping.entry(path).is_some_and(|field| field.kind.is_container() && field.enabled);
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| nest(element, path, mapping)),
        Value::Object(members) => {
            if members.keys().any(|name| name.contains('.')) {
                for (name, value) in std::mem::take(members) {
                    match name.split_once('.').filter(|(first, _)| is_container(&join_path(path, first))) {
                        Some((first, rest)) => {
                            let inner = Map::from_iter([(rest.to_owned(), value)]);
                            add(members, first, Value::Object(inner));
                        }
                        None => add(members, &name, value),
                    }
                }
            }
            for (name, value) in members.iter_mut() {
                let path = join_path(path, name);
                if is_container(&path) {
                    nest(value, &path, mapping);
                }
            }
        }
        _ => {}
    }
}

/// Adds a member, to that of the same name if there is one: objects become one object, other values a list.
fn add(members: &mut Map<String, Value>, name: &str, value: Value) {
    let Some(existing) = members.get_mut(name) else {
        members.insert(name.to_owned(), value);
        return;
    };
    match (existing, value) {
        (_, Value::Null) => {}
        (Value::Object(existing), Value::Object(more)) => {
            more.into_iter().for_each(|(name, value)| add(existing, &name, value));
        }
        (existing, value) if existing.is_null() => *existing = value,
        (existing, value) => {
            let mut list = as_list(existing.take());
            list.extend(as_list(value));
            *existing = Value::Array(list);
        }
    }
}

fn as_list(value: Value) -> Vec<Value> {
    match value {
        Value::Array(elements) => elements,
        value => vec![value],
    }
}
