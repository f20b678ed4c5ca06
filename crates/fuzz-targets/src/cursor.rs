//! Cursors of pages.

use cantata_engine::{Cursor, MissingOrder, RECORD_SCORE, SortKey, SortMode, SortOrder};
use serde_json::Value;

use crate::sample::MAPPING;

/// The fields of the sorts; the empty one is the id of the record.
const FIELDS: [&str; 13] = [
    "",
    RECORD_SCORE,
    "analysis_id",
    "size",
    "reads",
    "quality",
    "released",
    "created",
    "measured",
    "address",
    "info.key",
    "place",
    "unknown",
];

/// Reads a cursor for many sorts. One that fits a sort is written as it was read.
pub fn target(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    check(&value, &[]);
    for field in FIELDS {
        for mode in [SortMode::Min, SortMode::Avg] {
            check(&value, &[key(field, mode)]);
            check(&value, &[key(field, mode), key("size", SortMode::Max)]);
        }
    }
}

fn key(field: &str, mode: SortMode) -> SortKey {
    let field = (!field.is_empty()).then(|| field.to_owned());
    SortKey { field, order: SortOrder::Ascending, mode, missing: MissingOrder::Last }
}

fn check(value: &Value, sort: &[SortKey]) {
    if let Ok(cursor) = Cursor::parse(value, sort, &MAPPING) {
        assert_eq!(cursor.values.len(), sort.len());
        assert_eq!(Cursor::parse(&cursor.to_json(), sort, &MAPPING), Ok(cursor));
    }
}
