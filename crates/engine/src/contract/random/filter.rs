//! Random filters: every operator, special values, groups and pivots.

use cantata_mapping::{FieldKind, IndexMapping};
use cantata_sqon::Sqon;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

use super::{UsableField, pick, values};

const MAX_DEPTH: usize = 4;

/// Returns a filter, as the service hands it on: parsed and normalised; now and then there is none.
pub(super) fn random(rng: &mut StdRng, usable: &[UsableField], mapping: &IndexMapping) -> Option<Sqon> {
    if usable.is_empty() || rng.random_bool(0.1) {
        return None;
    }
    let levels: Vec<&str> = mapping.nested_paths().collect();
    let filter = match rng.random_range(0..10) {
        0..2 => leaf(rng, usable),
        // What portals send: one `and` of a few conditions.
        2..6 => {
            let parts: Vec<Value> = (0..rng.random_range(1..=4)).map(|_| leaf(rng, usable)).collect();
            json!({"op": "and", "content": parts})
        }
        _ => node(rng, usable, &levels, 1),
    };
    match Sqon::parse(&filter) {
        Ok(sqon) => sqon.map(Sqon::normalise),
        Err(error) => panic!("a wrong filter: {error:?}\n{filter}"),
    }
}

fn node(rng: &mut StdRng, usable: &[UsableField], levels: &[&str], depth: usize) -> Value {
    if depth >= MAX_DEPTH || (depth > 1 && rng.random_bool(0.6)) {
        return leaf(rng, usable);
    }
    let op = *pick(rng, &["and", "and", "or", "not"]);
    let pivot = levels.choose(rng).filter(|_| rng.random_bool(0.4));
    let size = rng.random_range(if pivot.is_some() { 1 } else { 0 }..=3);
    // In a group with a pivot, most parts lie in it.
    let inside: Vec<UsableField> = match pivot {
        Some(pivot) => {
            let is_inside = |field: &&UsableField| {
                field.level == **pivot || field.level.strip_prefix(pivot).is_some_and(|rest| rest.starts_with('.'))
            };
            usable.iter().filter(is_inside).cloned().collect()
        }
        None => Vec::new(),
    };
    let content: Vec<Value> = (0..size)
        .map(|_| {
            let usable = if !inside.is_empty() && rng.random_bool(0.8) { &inside } else { usable };
            node(rng, usable, levels, depth + 1)
        })
        .collect();
    let mut group = json!({"op": op, "content": content});
    match pivot {
        Some(pivot) => group["pivot"] = json!(pivot),
        None if rng.random_bool(0.1) => group["pivot"] = json!("."),
        None => {}
    }
    group
}

fn leaf(rng: &mut StdRng, usable: &[UsableField]) -> Value {
    let field = pick(rng, usable);
    let is_ordered = field.kind.is_numeric() || field.kind.is_date();
    let has_texts = field.kind.is_string();
    match rng.random_range(0..10) {
        0..2 if is_ordered => {
            let op = *pick(rng, &["gt", "gte", "lt", "lte"]);
            let bounds: Vec<Value> =
                (0..rng.random_range(0..=2)).map(|_| values::filter_value(rng, &field.kind)).collect();
            json!({"op": op, "content": {"fieldName": field.path, "value": bounds}})
        }
        2 if is_ordered => {
            let bounds = [values::filter_value(rng, &field.kind), values::filter_value(rng, &field.kind)];
            json!({"op": "between", "content": {"fieldName": field.path, "value": bounds}})
        }
        0 if has_texts => {
            json!({"op": "wildcard", "content": {"fieldNames": names(rng, usable, field), "value": values::wildcard(rng)}})
        }
        1 if has_texts => {
            let text = *pick(rng, &["alpha", "alhpa", "bta", "quikc", "1", "gamma dleta", "Äpfel", ""]);
            let mut content = json!({"fieldNames": names(rng, usable, field), "value": text});
            if rng.random_bool(0.5) {
                content["fuzziness"] = json!(rng.random_range(0..=2));
            }
            json!({"op": "fuzzy", "content": content})
        }
        2 if matches!(field.kind, FieldKind::Keyword | FieldKind::Wildcard) => {
            let op = *pick(rng, &["gt", "lte", "between"]);
            let count = if op == "between" { 2 } else { 1 };
            let bounds: Vec<Value> = (0..count).map(|_| values::filter_value(rng, &field.kind)).collect();
            json!({"op": op, "content": {"fieldName": field.path, "value": bounds}})
        }
        _ => {
            let op = *pick(rng, &["in", "in", "in", "not-in", "some-not-in", "all"]);
            let least = usize::from(op == "all");
            let values: Vec<Value> = (0..rng.random_range(least..=3)).map(|_| tested(rng, field)).collect();
            json!({"op": op, "content": {"fieldName": field.path, "value": values}})
        }
    }
}

/// Returns some fields of texts, the given one among them.
fn names(rng: &mut StdRng, usable: &[UsableField], field: &UsableField) -> Vec<String> {
    let texts: Vec<&UsableField> = usable.iter().filter(|field| field.kind.is_string()).collect();
    let mut names: Vec<String> = (0..rng.random_range(0..=2)).map(|_| pick(rng, &texts).path.clone()).collect();
    names.push(field.path.clone());
    names
}

/// Returns a value for an in-like operator.
fn tested(rng: &mut StdRng, field: &UsableField) -> Value {
    match rng.random_range(0..10) {
        _ if field.kind.is_container() => json!("__missing__"),
        0 => json!("__missing__"),
        1 if field.kind.is_string() => values::pattern(rng),
        2 if field.kind.is_string() => json!(*pick(rng, &["set_id:s1", "set_id:s2"])),
        _ => values::filter_value(rng, &field.kind),
    }
}
