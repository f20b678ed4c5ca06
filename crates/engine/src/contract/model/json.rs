//! Finding values in a document.

use serde_json::Value;

/// Returns everything at a dotted path: lists count as their elements, and a name in the document may contain dots.
pub(super) fn find<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let mut found = Vec::new();
    collect(value, path, &mut found);
    found
}

fn collect<'v>(value: &'v Value, path: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, path, found)),
        value if path.is_empty() => found.push(value),
        Value::Object(members) => {
            for (name, inner) in members {
                match path.strip_prefix(name.as_str()) {
                    Some("") => collect(inner, "", found),
                    Some(rest) => {
                        if let Some(rest) = rest.strip_prefix('.') {
                            collect(inner, rest, found);
                        }
                    }
                    None => {}
                }
            }
        }
        _ => {}
    }
}

/// Returns all scalars in a value, each with the dotted path that leads to it.
pub(super) fn leaves(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(name, inner)| {
                let join = move |rest: String| if rest.is_empty() { name.clone() } else { format!("{name}.{rest}") };
                leaves(inner).into_iter().map(move |(rest, leaf)| (join(rest), leaf))
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        scalar => vec![(String::new(), scalar)],
    }
}

/// Returns a path as seen from a container; the root has the empty path.
pub(super) fn below<'p>(path: &'p str, container: &str) -> Option<&'p str> {
    if container.is_empty() { Some(path) } else { path.strip_prefix(container)?.strip_prefix('.') }
}
