//! A small index, and short forms for filters and their translation.

use std::collections::HashMap;

use cantata_engine::{Filter, FilterTranslator, TranslationError, ValueRange};
use cantata_mapping::{IndexMapping, TypedValue, UtcDateTime};
use cantata_sqon::Sqon;
use serde_json::{Value, json};

/// 2024-06-15T10:30:00Z.
pub(crate) const NOW: i64 = 1_718_447_400_000;

/// Files with donors, their specimens, and tags.
pub(crate) fn mapping() -> IndexMapping {
    let properties = json!({
        "study": {"type": "keyword"},
        "study_name": {"type": "alias", "path": "study"},
        "title": {"type": "text"},
        "open": {"type": "boolean"},
        "rank": {"type": "byte"},
        "size": {"type": "long"},
        "reads": {"type": "unsigned_long"},
        "score": {"type": "double"},
        "ratio": {"type": "float"},
        "half": {"type": "half_float"},
        "price": {"type": "scaled_float", "scaling_factor": 100},
        "created": {"type": "date"},
        "due": {"type": "date", "format": "dd.MM.uuuu"},
        "measured": {"type": "date_nanos"},
        "host": {"type": "ip"},
        "info": {"type": "flattened"},
        "place": {"type": "geo_point"},
        "hidden": {"type": "object", "enabled": false},
        "analysis": {"properties": {
            "type": {"type": "keyword"},
            "tool": {"properties": {"name": {"type": "keyword"}}},
            "runs": {"type": "nested", "properties": {"id": {"type": "keyword"}}},
        }},
        "donors": {"type": "nested", "properties": {
            "gender": {"type": "keyword"},
            "age": {"type": "integer"},
            "notes": {"type": "text"},
            "specimens": {"type": "nested", "properties": {
                "type": {"type": "keyword"},
                "weight": {"type": "double"},
            }},
        }},
        "tags": {"type": "nested", "properties": {"name": {"type": "keyword"}}},
    });
    IndexMapping::parse(&json!({ "properties": properties })).unwrap()
}

/// Runs a translation with the small index and a few sets.
pub(crate) fn translating<T>(run: impl FnOnce(&FilterTranslator<'_>) -> T) -> T {
    let mapping = mapping();
    let sets = HashMap::from([
        ("mine".to_owned(), vec!["b".to_owned(), "a".to_owned()]),
        ("mixed".to_owned(), vec!["7".to_owned(), "seven".to_owned()]),
        ("none".to_owned(), Vec::new()),
    ]);
    run(&FilterTranslator::new(&mapping, UtcDateTime::from_millis(NOW).unwrap(), &sets))
}

/// Reads a filter as the service does.
#[track_caller]
pub(crate) fn sqon(filter: &Value) -> Option<Sqon> {
    let read = Sqon::parse(filter).unwrap_or_else(|error| panic!("{filter} was refused: {error}"));
    read.map(Sqon::normalise)
}

/// Returns what a filter becomes.
#[track_caller]
pub(crate) fn translated(filter: &Value) -> Result<Filter, TranslationError> {
    let sqon = sqon(filter);
    translating(|translation| translation.filter(sqon.as_ref()))
}

/// Checks what filters become.
#[track_caller]
pub(crate) fn check(cases: impl IntoIterator<Item = (Value, Filter)>) {
    for (filter, expected) in cases {
        assert_eq!(translated(&filter), Ok(expected), "{filter}");
    }
}

/// A leaf on one field.
pub(crate) fn leaf(op: &str, field: &str, value: Value) -> Value {
    json!({"op": op, "content": {"fieldName": field, "value": value}})
}

/// A group without a pivot.
pub(crate) fn group(op: &str, content: Value) -> Value {
    json!({"op": op, "content": content})
}

/// A group with a pivot.
pub(crate) fn pivoted(op: &str, pivot: &str, content: Value) -> Value {
    json!({"op": op, "content": content, "pivot": pivot})
}

/// A string of an index.
pub(crate) fn text(text: &str) -> TypedValue {
    TypedValue::Text(text.to_owned())
}

/// One of these values.
pub(crate) fn terms(field: &str, values: impl IntoIterator<Item = TypedValue>) -> Filter {
    Filter::Terms { field: field.to_owned(), values: values.into_iter().collect() }
}

/// One of these strings.
pub(crate) fn strings(field: &str, values: &[&str]) -> Filter {
    terms(field, values.iter().map(|value| text(value)))
}

/// A range.
pub(crate) fn range(field: &str, from: Option<(TypedValue, bool)>, to: Option<(TypedValue, bool)>) -> Filter {
    Filter::Range { field: field.to_owned(), range: ValueRange { from, to } }
}

/// Any value.
pub(crate) fn exists(field: &str) -> Filter {
    Filter::Exists { field: field.to_owned() }
}

/// A pattern.
pub(crate) fn pattern(field: &str, pattern: &str) -> Filter {
    Filter::Pattern { field: field.to_owned(), pattern: pattern.to_owned() }
}

/// An element that passes.
pub(crate) fn nested(path: &str, inner: Filter) -> Filter {
    Filter::Nested { path: path.to_owned(), inner: Box::new(inner) }
}

/// The opposite.
pub(crate) fn not(filter: Filter) -> Filter {
    Filter::Not(Box::new(filter))
}

/// All of these.
pub(crate) fn and(filters: impl IntoIterator<Item = Filter>) -> Filter {
    Filter::And(filters.into_iter().collect())
}

/// One of these.
pub(crate) fn or(filters: impl IntoIterator<Item = Filter>) -> Filter {
    Filter::Or(filters.into_iter().collect())
}
