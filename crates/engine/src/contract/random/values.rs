//! The values that documents and filters draw from.

use cantata_mapping::FieldKind;
use rand::rngs::StdRng;
use rand::{Rng, seq::IndexedRandom};
use serde_json::{Value, json};

use super::pick_value;

/// The keys in flattened fields, as filters name them.
pub(super) const FLATTENED_KEYS: [&str; 4] = ["a", "b.c", "b.d", "e.f"];

const TEXTS: [&str; 12] =
    ["alpha", "Alpha", "beta", "gamma delta", "", "äÖ", "x*y", "1", "true", "alphabet", "0123456789abcdef", "betta"];

const SENTENCES: [&str; 6] = ["Quick brown fox", "quick", "Brown-Dog 42", "", "Äpfel und Birnen", "alpha"];

/// Returns a value that a document may give to a field.
pub(super) fn document_value(rng: &mut StdRng, kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Keyword | FieldKind::Wildcard => {
            if rng.random_bool(0.1) {
                return pick_value(rng, &json!([1, true, 2.5, -7]));
            }
            Value::from(*TEXTS.choose(rng).unwrap_or(&""))
        }
        FieldKind::Text => Value::from(*SENTENCES.choose(rng).unwrap_or(&"")),
        FieldKind::Boolean => pick_value(rng, &json!([true, true, false, "true", "false", ""])),
        FieldKind::Byte => pick_value(rng, &json!([-128, -1, 0, 1, 2, 3, 127, "2", 2.7])),
        FieldKind::Short => pick_value(rng, &json!([-32768, 0, 1, 2, 300, 32767, "-2.9"])),
        FieldKind::Integer => pick_value(rng, &json!([-2_147_483_648_i64, -5, 0, 1, 2, 70_000, 2_147_483_647])),
        FieldKind::Long => pick_value(
            rng,
            &json!([
                i64::MIN,
                i64::MAX,
                i64::MAX - 1,
                9_007_199_254_740_993_i64,
                9_007_199_254_740_992_i64,
                0,
                1,
                2,
                "2"
            ]),
        ),
        FieldKind::UnsignedLong => {
            pick_value(rng, &json!([0, 1, 2, u64::MAX, u64::MAX - 1, 9_223_372_036_854_775_808_u64]))
        }
        FieldKind::HalfFloat | FieldKind::Float => pick_value(rng, &json!([0, 0.5, -1.25, 2, 0.1, 100.5, "0.5", -0.0])),
        FieldKind::Double => pick_value(rng, &json!([0, 0.1, -0.0, -2.5, 3, 1e300, 5e-324, "3", 0.30000000000000004])),
        FieldKind::ScaledFloat { .. } => pick_value(rng, &json!([0.25, 1.5, -3.75, 10, 0.1, "0.25"])),
        FieldKind::Date { format } if format.as_str().contains('/') => {
            pick_value(rng, &json!(["2024/05/01", "2024/05/02", "2023/12/31", 1_714_521_600_000_i64]))
        }
        FieldKind::Date { .. } => pick_value(
            rng,
            &json!([
                "2024-05-01",
                "2024-05-01T12:30:00Z",
                "2024-05-01T23:59:59.999Z",
                "2024-05-02T00:30:00+01:00",
                "2024-05",
                "2023",
                "1969-12-31T23:59:59Z",
                1_714_521_600_000_i64,
                "2024-05-01T12:30:00.123456Z"
            ]),
        ),
        FieldKind::DateNanos { .. } => pick_value(
            rng,
            &json!([
                "2024-05-01T00:00:00.123456789Z",
                "2024-05-01T00:00:00.123456788Z",
                "2024-05-01",
                "1970-01-01",
                "2024-05-01T12:30:00Z"
            ]),
        ),
        FieldKind::Ip => {
            pick_value(rng, &json!(["10.0.0.1", "10.0.0.2", "192.168.1.7", "::1", "2001:db8::1", "::ffff:10.0.0.1"]))
        }
        FieldKind::Flattened => flattened(rng),
        _ => json!("anything"),
    }
}

fn flattened(rng: &mut StdRng) -> Value {
    let text = |rng: &mut StdRng| document_value(rng, &FieldKind::Keyword);
    match rng.random_range(0..5) {
        0 => json!({}),
        1 => json!({"a": text(rng), "unasked": {"deep": [text(rng)]}}),
        2 => json!({"a": [text(rng), text(rng)], "b": {"c": text(rng), "d": [text(rng), null, true]}}),
        3 => json!({"e.f": text(rng), "b": [{"c": text(rng)}, {"c": text(rng), "d": 1}]}),
        _ => json!({"e": {"f": text(rng)}, "a": null}),
    }
}

/// Returns a value that a filter may name.
pub(super) fn filter_value(rng: &mut StdRng, kind: &FieldKind) -> Value {
    let others = match kind {
        FieldKind::Keyword | FieldKind::Wildcard | FieldKind::Flattened => {
            return match rng.random_range(0..10) {
                0 => pick_value(rng, &json!([1, true, 2.5, -7, "no such"])),
                _ => Value::from(*TEXTS.choose(rng).unwrap_or(&"")),
            };
        }
        FieldKind::Text => json!(["quick", "brown", "Brown", "42", "dog", "birnen", "äpfel", "no such"]),
        FieldKind::Boolean => return pick_value(rng, &json!([true, false, "true", "false", 0, 1, "0", "1"])),
        FieldKind::Byte | FieldKind::Short | FieldKind::Integer => {
            json!([2.5, -0.5, 300, 1e20, -1e20, "3", 2.0, 126.5, 5_000_000_000_i64])
        }
        FieldKind::Long | FieldKind::UnsignedLong => {
            json!([2.5, -0.5, -1, 1e30, -1e30, "9007199254740993", 2.0, 9.3e18])
        }
        FieldKind::HalfFloat | FieldKind::Float => json!([0.1, 1e39, -1e39, "2", 70_000]),
        FieldKind::Double => json!([0.3, 1e308, -7, "0.1"]),
        FieldKind::ScaledFloat { .. } => json!([0.5, 11, -100]),
        FieldKind::Date { format } if format.as_str().contains('/') => json!(["2024-05", "2024/05/01||+1d", "now-1y"]),
        FieldKind::Date { .. } | FieldKind::DateNanos { .. } => json!([
            "2024",
            "2024-05",
            "2024-05-01",
            "2024-05-01T12",
            "2024-05-01T12:30",
            "2024-04-30||+1d/d",
            "2024-05-01||/M",
            "now-30d",
            "now/y",
            1_714_521_600_000_i64,
            "1960-01-01"
        ]),
        FieldKind::Ip => json!(["10.0.0.0/8", "10.0.0.0/31", "::/0", "2001:db8::/32", "0.0.0.0/0", "9.9.9.9"]),
        _ => json!(["anything"]),
    };
    if rng.random_bool(0.4) { pick_value(rng, &others) } else { filter_value_of_document(rng, kind) }
}

/// Returns a value of a document in a form that suits a filter.
fn filter_value_of_document(rng: &mut StdRng, kind: &FieldKind) -> Value {
    match document_value(rng, kind) {
        Value::String(text) if text.is_empty() && !kind.is_string() => json!(0),
        value => value,
    }
}

/// Returns a pattern for texts.
pub(super) fn pattern(rng: &mut StdRng) -> Value {
    pick_value(rng, &json!(["al*", "*a", "*", "*eta", "A*", "*m*d*", "x*y", "qu*", "*Ö", "b*a", "**", "0*f"]))
}

/// Returns a pattern for the operator `wildcard`.
pub(super) fn wildcard(rng: &mut StdRng) -> Value {
    pick_value(rng, &json!(["al*", "?lpha", "*ETA", "alpha", "ÄÖ", "*", "", "?", "*o?", "qu?ck*", "x*y", "b?*ta"]))
}
