//! Filters at the limits and beyond.

use cantata_sqon::{MAX_LEVELS, MAX_NODES, MAX_VALUES, Sqon, SqonErrorKind};
use serde_json::{Value, json};

fn leaf(values: usize) -> Value {
    json!({ "op": "in", "content": { "fieldName": "size", "value": vec![1; values] } })
}

fn deep(levels: usize) -> Value {
    (1..levels).fold(leaf(1), |inner, _| json!({ "op": "and", "content": [inner] }))
}

fn wide(leaves: usize) -> Value {
    json!({ "op": "or", "content": vec![leaf(1); leaves] })
}

#[track_caller]
fn limited(filter: &Value, pointer: &str, message: &str) {
    let error = Sqon::parse(filter).unwrap_err();
    assert_eq!(error.kind, SqonErrorKind::TooLarge);
    assert_eq!((error.pointer.as_str(), error.message.as_str()), (pointer, message));
}

#[test]
fn levels() {
    assert!(Sqon::parse(&deep(MAX_LEVELS)).is_ok());
    limited(
        &deep(MAX_LEVELS + 1),
        &"/content/0".repeat(MAX_LEVELS),
        "the filter has more than 100 levels of groups and leaves; a filter may have at most 100",
    );
    assert!(Sqon::parse(&deep(500)).is_err());
}

#[test]
fn nodes() {
    assert!(Sqon::parse(&wide(MAX_NODES - 1)).is_ok());
    limited(
        &wide(MAX_NODES),
        "/content/9999",
        "the filter has more than 10000 groups and leaves; a filter may have at most 10000",
    );
}

#[test]
fn values() {
    assert!(Sqon::parse(&leaf(MAX_VALUES)).is_ok());
    let message = "the filter has more than 100000 values; a filter may have at most 100000";
    limited(&leaf(MAX_VALUES + 1), "/content/value", message);
    limited(&json!({ "op": "and", "content": [leaf(MAX_VALUES), leaf(1)] }), "/content/1/content/value", message);
    let names = json!({ "op": "wildcard", "content": { "fieldNames": vec!["a"; MAX_VALUES + 1], "value": "x" } });
    limited(&names, "/content/fieldNames", message);
}
