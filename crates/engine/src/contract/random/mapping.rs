//! Random mappings: every type, objects, nested containers up to three deep, and everything that lets a value be found
//! under another name.

use cantata_mapping::join_path;
use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Map, Value, json};

use super::super::suite::{Exceptions, Options};
use super::pick;

const MAX_DEPTH: usize = 4;
const MAX_NESTED_DEPTH: usize = 3;

const TYPES: [&str; 21] = [
    "keyword",
    "keyword",
    "keyword",
    "text",
    "boolean",
    "byte",
    "short",
    "integer",
    "long",
    "unsigned_long",
    "half_float",
    "float",
    "double",
    "scaled_float",
    "date",
    "date",
    "date_nanos",
    "ip",
    "flattened",
    "wildcard",
    "geo_point",
];

/// Returns a mapping; a field `all` at the root takes copies.
pub(super) fn random(rng: &mut StdRng, options: &Options) -> Value {
    let mut properties = container(rng, "", 0, 0, options.exceptions);
    let all = if rng.random_bool(0.5) { "keyword" } else { "text" };
    let mut definition = json!({"type": all});
    if all == "text" && options.exceptions.words_only {
        definition["fields"] = whole_texts();
    }
    properties.insert("all".to_owned(), definition);
    properties.insert("off".to_owned(), json!({"type": "object", "enabled": false}));
    let mut mapping = json!({"properties": properties});
    if !options.dynamic_mapping || rng.random_bool(0.5) {
        mapping["dynamic"] = if rng.random_bool(0.8) { json!(false) } else { json!("strict") };
    }
    mapping
}

fn container(rng: &mut StdRng, path: &str, depth: usize, nested: usize, exceptions: Exceptions) -> Map<String, Value> {
    let mut properties = Map::new();
    for index in 0..rng.random_range(2..=6) {
        let kind = *pick(rng, &TYPES);
        if !exceptions.absent_types.contains(&kind) {
            properties.insert(format!("{kind}{index}"), field(rng, kind, exceptions));
        }
    }
    if depth < MAX_DEPTH && rng.random_bool(if depth == 0 { 0.9 } else { 0.5 }) && nested < MAX_NESTED_DEPTH {
        let name = format!("n{depth}");
        let inner = container(rng, &join_path(path, &name), depth + 1, nested + 1, exceptions);
        properties.insert(name, json!({"type": "nested", "properties": inner}));
    }
    if depth < MAX_DEPTH && rng.random_bool(0.3) {
        let name = format!("o{depth}");
        let inner = container(rng, &join_path(path, &name), depth + 1, nested, exceptions);
        properties.insert(name, json!({"properties": inner}));
    }
    if rng.random_bool(0.3)
        && let Some((name, _)) = properties.iter().find(|(_, definition)| has_values(definition))
    {
        let target = join_path(path, name);
        properties.insert("other_name".to_owned(), json!({"type": "alias", "path": target}));
    }
    properties
}

fn has_values(definition: &Value) -> bool {
    definition.get("properties").is_none() && definition["type"] != "geo_point"
}

fn field(rng: &mut StdRng, kind: &str, exceptions: Exceptions) -> Value {
    let mut definition = json!({"type": kind});
    match kind {
        "keyword" | "wildcard" => {
            if rng.random_bool(0.3) {
                definition["ignore_above"] = json!(*pick(rng, &[4, 10]));
            }
            if rng.random_bool(0.2) {
                definition["null_value"] = json!("none");
            }
            let is_whole = kind == "keyword" && definition.as_object().is_some_and(|definition| definition.len() == 1);
            if rng.random_bool(0.3) && (is_whole || !exceptions.words_only) {
                definition["fields"] = json!({"words": {"type": "text"}});
            }
        }
        "text" if exceptions.words_only => definition["fields"] = whole_texts(),
        "text" if rng.random_bool(0.7) => {
            let limit = if rng.random_bool(0.3) { 5 } else { 256 };
            definition["fields"] = json!({"keyword": {"type": "keyword", "ignore_above": limit}});
        }
        "integer" | "long" => {
            if rng.random_bool(0.2) {
                definition["null_value"] = json!(1);
            }
            if rng.random_bool(0.2) {
                definition["ignore_malformed"] = json!(true);
            }
            if rng.random_bool(0.2) {
                definition["fields"] = json!({"keyword": {"type": "keyword"}});
            }
        }
        "scaled_float" => definition["scaling_factor"] = json!(100),
        "date" if rng.random_bool(0.3) => definition["format"] = json!("yyyy/MM/dd||epoch_millis"),
        _ => {}
    }
    if matches!(kind, "keyword" | "text" | "integer" | "boolean") && rng.random_bool(0.3) {
        definition["copy_to"] = json!(["all"]);
    }
    definition
}

/// Returns the multi-fields of a text field that hold its texts as a whole.
fn whole_texts() -> Value {
    json!({"keyword": {"type": "keyword"}})
}
