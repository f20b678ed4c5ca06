//! Finding and changing definitions in a properties object, whose names may contain dots.

use serde_json::{Map, Value, json};

/// Returns the definition of a path; nothing for a container that only dots imply.
pub(crate) fn find<'r>(properties: &'r Map<String, Value>, path: &str) -> Option<&'r Value> {
    if let Some(definition) = properties.get(path) {
        return Some(definition);
    }
    path.match_indices('.').find_map(|(dot, _)| {
        let inner = properties.get(&path[..dot])?.get("properties")?.as_object()?;
        find(inner, &path[dot + 1..])
    })
}

/// Returns the definition of a path, to be changed.
pub(crate) fn find_mut<'r>(properties: &'r mut Map<String, Value>, path: &str) -> Option<&'r mut Value> {
    if properties.contains_key(path) {
        return properties.get_mut(path);
    }
    let dot = path.match_indices('.').map(|(dot, _)| dot).find(|&dot| {
        let inner = properties.get(&path[..dot]).and_then(|outer| outer.get("properties")?.as_object());
        inner.is_some_and(|inner| find(inner, &path[dot + 1..]).is_some())
    })?;
    let inner = properties.get_mut(&path[..dot])?.get_mut("properties")?.as_object_mut()?;
    find_mut(inner, &path[dot + 1..])
}

/// Adds the definition of a path that is not there yet; containers that are missing are made.
pub(crate) fn insert(properties: &mut Map<String, Value>, path: &str, definition: Value) {
    // The longest name is the one that may define the container; a shorter one has it only if none does.
    let around = path.rmatch_indices('.').map(|(dot, _)| dot).find(|&dot| properties.contains_key(&path[..dot]));
    let Some(dot) = around.or_else(|| path.find('.')) else {
        properties.insert(path.to_owned(), definition);
        return;
    };
    let container = properties.entry(&path[..dot]).or_insert_with(|| json!({}));
    let Value::Object(container) = container else { return };
    if let Value::Object(inner) = container.entry("properties").or_insert_with(|| json!({})) {
        insert(inner, &path[dot + 1..], definition);
    }
}

/// Returns the properties below a container, in the order in which they stand.
pub(crate) fn below(properties: &Map<String, Value>, container: &str) -> Map<String, Value> {
    let mut found = Map::new();
    for (name, definition) in properties {
        let inner = || definition.get("properties").and_then(Value::as_object);
        if name == container {
            found.extend(inner().cloned().unwrap_or_default());
        } else if let Some(rest) = name.strip_prefix(container).and_then(|rest| rest.strip_prefix('.')) {
            found.insert(rest.to_owned(), definition.clone());
        } else if let Some(rest) = container.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
            found.extend(inner().map(|inner| below(inner, rest)).unwrap_or_default());
        }
    }
    found
}
