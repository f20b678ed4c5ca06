//! Dates: a date of a filter is as long as it is written.

use serde_json::json;

use super::{TestIndex, key};
use crate::{SearchEngine, SortOrder};

/// A day without a time is the whole day: `gt` and `lte` mean its end, `gte` and `lt` its start.
pub async fn a_day_is_a_whole_day(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"at": {"type": "date"}}});
    let documents = [
        json!({"at": "2024-04-30T23:59:59.999Z"}),
        json!({"at": "2024-05-01"}),
        json!({"at": "2024-05-01T23:59:59.999Z"}),
        json!({"at": "2024-05-02T00:00:00Z"}),
        json!({"at": 1_714_564_800_000_i64}),
        json!({}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    let cases = [
        ("in", "at", json!("2024-05-01"), "bce"),
        ("not-in", "at", json!("2024-05-01"), "adf"),
        ("gt", "at", json!("2024-05-01"), "d"),
        ("gte", "at", json!("2024-05-01"), "bcde"),
        ("lt", "at", json!("2024-05-01"), "a"),
        ("lte", "at", json!("2024-05-01"), "abce"),
        ("between", "at", json!(["2024-05-01", "2024-05-01"]), "bce"),
        ("between", "at", json!(["2024-05-02", "2024-05-01"]), "bcde"),
        ("in", "at", json!("2024-05"), "bcde"),
        ("in", "at", json!("2024"), "abcde"),
        ("in", "at", json!("2024-05-01T12"), "e"),
        ("in", "at", json!("2024-05-01T12:00:00.001Z"), ""),
        ("in", "at", json!(1_714_564_800_000_i64), "e"),
        ("gt", "at", json!("2024-04-30T23:59:59.999Z"), "bcde"),
        ("in", "at", json!("__missing__"), "f"),
    ];
    bench.expect(&cases).await;
}

/// Dates relative to the moment of the request, which is 2023-11-14T22:13:20Z, and to other dates.
pub async fn relative_dates(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"at": {"type": "date"}}});
    let documents = [json!({"at": "2023-11-14T22:13:20Z"}), json!({"at": "2023-11-14"}), json!({"at": "2023-10-01"})];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    let cases = [
        ("gte", "at", json!("now"), "a"),
        ("lt", "at", json!("now"), "bc"),
        ("gte", "at", json!("now/d"), "ab"),
        ("gte", "at", json!("now-30d"), "ab"),
        ("lt", "at", json!("now-30d/d"), "c"),
        ("lte", "at", json!("2023-10-01||+1M/d"), "c"),
    ];
    bench.expect(&cases).await;
}

/// Formats of their own, and moments to the nanosecond.
pub async fn formats_and_nanoseconds(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {
        "day": {"type": "date", "format": "dd.MM.yyyy"},
        "exact": {"type": "date_nanos"},
    }});
    let documents = [
        json!({"day": "01.05.2024", "exact": "2024-05-01T00:00:00.000000001Z"}),
        json!({"day": "02.05.2024", "exact": "2024-05-01T00:00:00.000000002Z"}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    let cases = [
        ("in", "day", json!("01.05.2024"), "a"),
        ("gt", "day", json!("2024-05-01"), "b"),
        ("in", "exact", json!("2024-05-01T00:00:00.000000002Z"), "b"),
        ("gt", "exact", json!("2024-05-01T00:00:00.000000001Z"), "b"),
        ("in", "exact", json!("2024-05-01"), "ab"),
        ("lt", "exact", json!("1970-01-01"), ""),
        ("gte", "exact", json!("1970-01-01"), "ab"),
        ("gt", "exact", json!("2262-04-11T23:47:16.854775807Z"), ""),
        ("lte", "exact", json!("2262-04-11T23:47:16.854775807Z"), "ab"),
    ];
    bench.expect(&cases).await;
    assert_eq!(bench.sorted(&[key("exact", SortOrder::Descending)]).await, "ba");
}
