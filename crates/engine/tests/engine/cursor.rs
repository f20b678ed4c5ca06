//! Cursors as clients keep them.

use cantata_engine::{Cursor, MissingOrder, SortKey, SortMode, SortOrder};
use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use crate::support::{mapping, text};

fn key(field: Option<&str>, mode: SortMode) -> SortKey {
    SortKey { field: field.map(str::to_owned), order: SortOrder::Ascending, mode, missing: MissingOrder::Last }
}

#[test]
fn a_cursor_reads_back_as_it_was() {
    let cases: [(&str, SortMode, TypedValue, Value); 10] = [
        ("study", SortMode::Min, text("a"), json!("a")),
        ("info.key", SortMode::Min, text("a"), json!("a")),
        ("open", SortMode::Max, TypedValue::Bool(true), json!(true)),
        ("size", SortMode::Min, TypedValue::Integer(i64::MIN), json!(i64::MIN)),
        ("reads", SortMode::Min, TypedValue::Unsigned(u64::MAX), json!(u64::MAX)),
        ("score", SortMode::Min, TypedValue::Double(0.1), json!(0.1)),
        ("size", SortMode::Avg, TypedValue::Double(2.5), json!(2.5)),
        ("created", SortMode::Min, TypedValue::DateMillis(-1), json!(-1)),
        ("measured", SortMode::Min, TypedValue::DateNanos(i64::MAX), json!(i64::MAX)),
        ("host", SortMode::Min, TypedValue::Ip("10.0.0.1".parse().unwrap()), json!("10.0.0.1")),
    ];
    for (field, mode, value, json) in cases {
        let sort = [key(Some(field), mode), key(None, SortMode::Min), key(Some("study"), SortMode::Min)];
        let cursor = Cursor { values: vec![Some(value), Some(text("id")), None], id: "id".to_owned() };
        assert_eq!(cursor.to_json(), json!([json, "id", null, "id"]), "{field}");
        assert_eq!(Cursor::parse(&cursor.to_json(), &sort, &mapping()), Ok(cursor), "{field}");
    }
}

#[test]
fn a_cursor_of_another_sort_is_refused() {
    let sort = [key(Some("size"), SortMode::Min)];
    let cases = [
        (json!("x"), "searchAfter: found a string; expected"),
        (json!([]), "searchAfter: found a list of 0 values; expected"),
        (json!([1, 2]), "searchAfter: the last value is not the id of a record; expected"),
        (json!(["id"]), "searchAfter: found a list of 1 values; expected"),
        (json!([1, 2, "id"]), "searchAfter: found a list of 3 values; expected"),
        (json!(["x", "id"]), "searchAfter[0]: found \"x\", which cannot stand there; expected"),
        (json!([1.5, "id"]), "searchAfter[0]: found 1.5, which cannot stand there; expected"),
    ];
    for (value, message) in cases {
        let error = Cursor::parse(&value, &sort, &mapping()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{value}: {error}");
    }
    for field in ["unknown", "donors", "place"] {
        assert!(Cursor::parse(&json!([1, "id"]), &[key(Some(field), SortMode::Min)], &mapping()).is_err(), "{field}");
    }
}
