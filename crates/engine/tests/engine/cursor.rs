//! Cursors as clients keep them.

use cantata_engine::{Cursor, MissingOrder, RECORD_SCORE, SortKey, SortMode, SortOrder};
use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use crate::support::{mapping, text};

/// The greatest integer that JavaScript keeps apart from its neighbours.
const MAX_SAFE: i64 = 9_007_199_254_740_991;

fn key(field: Option<&str>, mode: SortMode) -> SortKey {
    SortKey { field: field.map(str::to_owned), order: SortOrder::Ascending, mode, missing: MissingOrder::Last }
}

#[test]
fn a_cursor_reads_back_as_it_was() {
    let cases: [(&str, SortMode, TypedValue, Value); 11] = [
        ("study", SortMode::Min, text("a"), json!("a")),
        ("info.key", SortMode::Min, text("a"), json!("a")),
        ("open", SortMode::Max, TypedValue::Bool(true), json!(true)),
        ("size", SortMode::Min, TypedValue::Integer(i64::MIN), json!("-9223372036854775808")),
        ("size", SortMode::Min, TypedValue::Integer(MAX_SAFE), json!(MAX_SAFE)),
        ("reads", SortMode::Min, TypedValue::Unsigned(u64::MAX), json!("18446744073709551615")),
        ("score", SortMode::Min, TypedValue::Double(0.1), json!(0.1)),
        ("size", SortMode::Avg, TypedValue::Double(2.5), json!(2.5)),
        ("created", SortMode::Min, TypedValue::DateMillis(-1), json!(-1)),
        ("measured", SortMode::Min, TypedValue::DateNanos(i64::MAX), json!("9223372036854775807")),
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
fn large_integers_may_be_numbers_or_texts() {
    for (field, value) in [
        ("size", TypedValue::Integer(i64::MAX)),
        ("reads", TypedValue::Unsigned(u64::MAX)),
        ("measured", TypedValue::DateNanos(i64::MAX)),
        ("created", TypedValue::DateMillis(5)),
    ] {
        let sort = [key(Some(field), SortMode::Min)];
        let number = Value::from(&value);
        let cursor = Cursor { values: vec![Some(value)], id: "id".to_owned() };
        for written in [json!(number.to_string()), number] {
            assert_eq!(Cursor::parse(&json!([written, "id"]), &sort, &mapping()), Ok(cursor.clone()), "{field}");
        }
    }
}

#[test]
fn clients_make_cursors_of_one_value_for_each_key() {
    let (size, id) = (key(Some("size"), SortMode::Min), key(None, SortMode::Min));
    let parse = |value: Value, sort: &[SortKey]| Cursor::parse(&value, sort, &mapping()).unwrap();
    let five = Some(TypedValue::Integer(5));
    let with_id = Cursor { values: vec![five.clone(), Some(text("x"))], id: "x".to_owned() };
    assert_eq!(parse(json!([5, "x"]), &[size.clone(), id]), with_id);
    // After all records with the value.
    let without = parse(json!([5]), &[size]);
    assert_eq!(without.values, [five]);
    assert!(without.id.as_str() > "zzz");
}

#[test]
fn scores_are_read_back_in_single_precision() {
    let sort = [key(Some(RECORD_SCORE), SortMode::Max)];
    let score = f64::from(0.1_f32);
    let cursor = Cursor { values: vec![Some(TypedValue::Double(score))], id: "id".to_owned() };
    // The neighbours in double precision are the same score: not every reader of JSON keeps the last bit.
    for written in [score, f64::from_bits(score.to_bits() + 1), 0.1] {
        assert_eq!(Cursor::parse(&json!([written, "id"]), &sort, &mapping()), Ok(cursor.clone()), "{written}");
    }
    assert_eq!(Cursor::parse(&cursor.to_json(), &sort, &mapping()), Ok(cursor));
    for written in [json!(null), json!("x"), json!(1e300)] {
        assert!(Cursor::parse(&json!([written, "id"]), &sort, &mapping()).is_err(), "{written}");
    }
}

#[test]
fn a_cursor_of_another_sort_is_refused() {
    let sort = [key(Some("size"), SortMode::Min)];
    let cases = [
        (json!("x"), "searchAfter: found a string; expected"),
        (json!([]), "searchAfter: found a list of 0 values; expected"),
        (json!([1, 2]), "searchAfter: the last value is not the id of a record; expected"),
        (json!(["id"]), "searchAfter[0]: found \"id\", which cannot stand there; expected"),
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
