//! Changes of a valid request.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

use super::seeds::{Request, escaped};

const TEXTS: [&str; 16] = [
    "",
    "null",
    "-1",
    "0",
    "18446744073709551616",
    "9223372036854775807",
    "1e400",
    "true",
    "*",
    "../../etc/passwd",
    "\u{0}",
    "\u{feff}é𝄞",
    "{}",
    "[]",
    "$.a[*]",
    "' OR 1=1 --",
];

const CONTENT_TYPES: [&str; 5] =
    ["application/json", "text/plain", "application/x-www-form-urlencoded", "application/x-ndjson", ""];

const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// How deep a value is put into itself.
const MAX_NESTING: usize = 300;

/// Changes one or a few things of a request.
pub(super) fn mutate(request: &mut Request, random: &mut StdRng) {
    // Most parameters are optional, and wrong ones hide what comes after them.
    request.query.retain(|_| random.random_bool(0.2));
    for (_, value) in &mut request.query {
        *value = text(random);
    }
    if random.random_bool(0.1) {
        mutate_path(request, random);
    }
    if random.random_bool(0.03) {
        request.method = METHODS.choose(random).copied().unwrap_or("GET").to_owned();
    }
    if random.random_bool(0.03) {
        request.content_type = CONTENT_TYPES.choose(random).copied().unwrap_or_default().to_owned();
    }
    if let Some(json) = &mut request.json {
        for _ in 0..random.random_range(0..4) {
            mutate_json(json, random);
        }
        let mut bytes = json.to_string().into_bytes();
        if random.random_bool(0.2) {
            mutate_bytes(&mut bytes, random);
        }
        request.body = Some(bytes);
    }
}

fn text(random: &mut StdRng) -> String {
    match random.random_range(0..10) {
        0 => "x".repeat(random.random_range(0..5_000)),
        1 => random.random::<i64>().to_string(),
        2 => random.random_range(0..100).to_string(),
        _ => TEXTS.choose(random).copied().unwrap_or_default().to_owned(),
    }
}

fn mutate_path(request: &mut Request, random: &mut StdRng) {
    let mut segments: Vec<String> = request.path.split('/').map(str::to_owned).collect();
    let nth = random.random_range(0..segments.len());
    match random.random_range(0..4) {
        0 => segments[nth] = escaped(&text(random)),
        1 => segments.insert(nth, escaped(&text(random))),
        2 => drop(segments.remove(nth)),
        _ => segments[nth].push_str(&escaped(&text(random))),
    }
    request.path = format!("/{}", segments.join("/").trim_start_matches('/'));
}

/// Replaces, removes, renames or doubles something at a random place.
fn mutate_json(value: &mut Value, random: &mut StdRng) {
    match value {
        Value::Object(members) if !members.is_empty() && random.random_bool(0.8) => {
            let nth = random.random_range(0..members.len());
            let Some(name) = members.keys().nth(nth).cloned() else { return };
            match random.random_range(0..10) {
                0 => drop(members.remove(&name)),
                1 => {
                    let member = members.remove(&name).unwrap_or_default();
                    members.insert(text(random), member);
                }
                _ => {
                    if let Some(member) = members.get_mut(&name) {
                        mutate_json(member, random);
                    }
                }
            }
        }
        Value::Array(elements) if !elements.is_empty() && random.random_bool(0.8) => {
            let nth = random.random_range(0..elements.len());
            match random.random_range(0..6) {
                0 => drop(elements.remove(nth)),
                1 => elements.insert(nth, elements[nth].clone()),
                _ => mutate_json(&mut elements[nth], random),
            }
        }
        other => *other = replacement(other, random),
    }
}

fn replacement(value: &Value, random: &mut StdRng) -> Value {
    match random.random_range(0..9) {
        0 => Value::Null,
        1 => json!(random.random::<i64>()),
        2 => json!(random.random::<f64>()),
        3 => json!(random.random::<bool>()),
        4 => json!([value.clone()]),
        5 => json!({"a": value.clone()}),
        6 => {
            let depth = random.random_range(0..MAX_NESTING);
            (0..depth).fold(value.clone(), |inner, _| json!([inner]))
        }
        _ => json!(text(random)),
    }
}

fn mutate_bytes(bytes: &mut Vec<u8>, random: &mut StdRng) {
    if bytes.is_empty() {
        return;
    }
    let at = random.random_range(0..bytes.len());
    match random.random_range(0..4) {
        0 => bytes[at] ^= 1 << random.random_range(0..8),
        1 => bytes.truncate(at),
        2 => bytes.insert(at, random.random()),
        _ => {
            let end = random.random_range(at..bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
    }
}
