//! Random documents and batches of them.

use cantata_mapping::{Field, FieldKind, IndexMapping};
use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Map, Value, json};

use super::super::model::Model;
use super::super::suite::{Exceptions, Options};
use super::values;
use crate::WriteOperation;

/// Returns a batch of operations on ids of a small number; ids may repeat, and some documents are rejected.
pub(super) fn batch(
    rng: &mut StdRng,
    mapping: &IndexMapping,
    ids: usize,
    size: usize,
    options: &Options,
) -> Vec<WriteOperation> {
    let mut batch: Vec<WriteOperation> = Vec::new();
    // Whether an earlier operation on an id holds when a later one is rejected is left open, so that there is none.
    let mut closed: Vec<String> = Vec::new();
    for _ in 0..size {
        let id = id(rng.random_range(0..ids));
        let operation = match rng.random_bool(0.15) {
            true => WriteOperation::Delete { id: id.clone() },
            false => WriteOperation::Put { id: id.clone(), source: source(rng, mapping, options) },
        };
        let is_rejected = is_rejected(&operation, mapping);
        let is_first = batch.iter().all(|earlier| earlier.id() != id);
        if closed.contains(&id) || (is_rejected && !is_first) {
            continue;
        }
        if is_rejected {
            closed.push(id);
        }
        batch.push(operation);
    }
    batch
}

fn source(rng: &mut StdRng, mapping: &IndexMapping, options: &Options) -> Vec<u8> {
    let mut document = Map::new();
    fill(rng, mapping, "", &mut document);
    if options.dynamic_mapping && rng.random_bool(0.1) {
        document.insert("extra".to_owned(), extra(rng));
    }
    if rng.random_bool(0.05) {
        spoil(rng, mapping, &mut document);
    }
    match rng.random_range(0..100) {
        0 => b"{\"not\": json".to_vec(),
        1 => b"[\"no object\"]".to_vec(),
        _ => {
            let mut document = Value::Object(document);
            keep_out(&mut document, options.exceptions);
            document.to_string().into_bytes()
        }
    }
}

/// Replaces the values that the engine takes in a way of its own.
fn keep_out(value: &mut Value, exceptions: Exceptions) {
    match value {
        Value::Number(number) if exceptions.negative_zero && number.as_f64() == Some(0.0) => *value = json!(0),
        Value::Number(number) if exceptions.words_only && number.as_f64() == Some(2.5) => *value = json!(2),
        Value::Array(items) => items.iter_mut().for_each(|item| keep_out(item, exceptions)),
        Value::Object(members) => members.values_mut().for_each(|member| keep_out(member, exceptions)),
        _ => {}
    }
}

/// Returns an id; they sort in another way by their bytes than by number or by letter.
fn id(number: usize) -> String {
    match number % 3 {
        0 => format!("r{number}"),
        1 => format!("R{number}"),
        _ => format!("é{number}"),
    }
}

fn is_rejected(operation: &WriteOperation, mapping: &IndexMapping) -> bool {
    match operation {
        WriteOperation::Delete { .. } => false,
        WriteOperation::Put { id, source } => Model::new(mapping.clone()).put(id, source).is_err(),
    }
}

fn fill(rng: &mut StdRng, mapping: &IndexMapping, container: &str, object: &mut Map<String, Value>) {
    for field in mapping.children(container) {
        if let Some(value) = value_of(rng, mapping, field) {
            match value {
                // A container may also be written by dots in names.
                Value::Object(inner) if field.kind == FieldKind::Object && field.enabled && rng.random_bool(0.2) => {
                    object.extend(inner.into_iter().map(|(name, value)| (format!("{}.{name}", field.name), value)));
                }
                value => {
                    object.insert(field.name.clone(), value);
                }
            }
        }
    }
}

fn value_of(rng: &mut StdRng, mapping: &IndexMapping, field: &Field) -> Option<Value> {
    if matches!(field.kind, FieldKind::Alias { .. }) || (field.path == "all" && rng.random_bool(0.8)) {
        return None;
    }
    let one = |rng: &mut StdRng| match field.kind {
        FieldKind::Object if !field.enabled => json!({"anything": [1, "two", {"three": 3}]}),
        FieldKind::Object | FieldKind::Nested => {
            let mut inner = Map::new();
            fill(rng, mapping, &field.path, &mut inner);
            Value::Object(inner)
        }
        FieldKind::Unsupported(_) => json!({"lat": 1.5, "lon": -2}),
        _ if field.ignore_malformed && rng.random_bool(0.1) => json!("malformed"),
        _ => values::document_value(rng, &field.kind),
    };
    match rng.random_range(0..20) {
        0..3 => None,
        3 => Some(Value::Null),
        4 => Some(json!([])),
        5..7 => Some(json!([one(rng), null, one(rng)])),
        7 => Some(json!([[one(rng)], [one(rng), one(rng)]])),
        8..11 => {
            let value = one(rng);
            Some(json!([value, value]))
        }
        _ if field.kind == FieldKind::Nested => {
            let elements = rng.random_range(0..=3);
            Some((0..elements).map(|_| one(rng)).collect())
        }
        _ => Some(one(rng)),
    }
}

fn extra(rng: &mut StdRng) -> Value {
    match rng.random_range(0..4) {
        0 => json!({"text": "Quick brown fox"}),
        1 => json!({"number": rng.random_range(0..3)}),
        2 => json!({"date": "2024-05-01", "flag": [true, null]}),
        _ => json!([{"fraction": 0.5}, {"fraction": 1.5, "number": 7}]),
    }
}

/// Gives some field a value that it cannot take.
fn spoil(rng: &mut StdRng, mapping: &IndexMapping, document: &mut Map<String, Value>) {
    let wrong = if rng.random_bool(0.5) { json!({"an": "object"}) } else { json!("no such value") };
    // Flattened fields and those of unsupported types take almost anything.
    let is_strict = |field: &&Field| !matches!(field.kind, FieldKind::Flattened | FieldKind::Unsupported(_));
    let fields: Vec<&Field> = mapping.children("").filter(is_strict).collect();
    let field = super::pick(rng, &fields);
    document.insert(field.name.clone(), wrong);
}
