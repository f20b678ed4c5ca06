//! Conditions whose documents are known from a segment as it is: all of them, or a stored bitmap.
//!
//! Most conditions of a portal are a frequent value of a field. The match sets of a plan are narrowed by its postings
//! in place, without a copy that is looked up for every filter of the plan.

use cantata_engine::Filter;
use cantata_mapping::{RECORD_ID, TypedValue};

use super::filter::ordinal_range;
use crate::segment::{PostingList, Segment, SegmentField};
use crate::value_encoding::ValueClass;

/// The documents that pass a condition, deleted ones included.
pub(super) enum StoredRows<'a> {
    All,
    Bitmap(&'a [u64]),
}

/// Returns the documents that pass a condition; nothing if they have to be found.
pub(super) fn stored_rows<'a>(segment: &'a Segment, condition: &Filter) -> Option<StoredRows<'a>> {
    match condition {
        Filter::All => Some(StoredRows::All),
        Filter::Exists { field } => {
            let field = segment.field(field)?;
            has_every_document(&field).then_some(StoredRows::All)
        }
        Filter::Range { field, range } => {
            let field = segment.field(field)?;
            let all = (0, field.dictionary.len() as u32);
            (has_every_document(&field) && ordinal_range(&field, range) == all).then_some(StoredRows::All)
        }
        Filter::Terms { field, values } if field != RECORD_ID => documents_of(&segment.field(field)?, values, 0),
        Filter::Nested { path, inner } => match &**inner {
            Filter::Terms { field, values } => documents_of(&segment.field(field)?, values, segment.level_of(path)?),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether every document has a value in a field of records.
fn has_every_document(field: &SegmentField<'_>) -> bool {
    field.level == 0 && field.postings.count(field.column.missing) == 0
}

/// Returns the documents of one value, if they are a bitmap.
fn documents_of<'a>(field: &SegmentField<'a>, values: &[TypedValue], level: usize) -> Option<StoredRows<'a>> {
    let [value] = values else { return None };
    // A text is found by its words, too.
    if field.level != level || field.class == ValueClass::Text {
        return None;
    }
    let ordinal = field.dictionary.find(value).ok()?;
    match field.document_postings()?.rows(ordinal) {
        PostingList::Dense(words) => Some(StoredRows::Bitmap(words)),
        PostingList::Sparse(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::ValueRange;
    use serde_json::{Value, json};

    use super::*;
    use crate::bitset::Bitset;
    use crate::cancellation::CancelOnDrop;
    use crate::search::filter;
    use crate::test_index::TestIndex;

    const DOCUMENTS: usize = 200;

    fn has_value(field: &str, value: &str) -> Filter {
        Filter::Terms { field: field.to_owned(), values: vec![TypedValue::Text(value.to_owned())] }
    }

    fn in_things(inner: Filter) -> Filter {
        Filter::Nested { path: "things".to_owned(), inner: Box::new(inner) }
    }

    fn exists(field: &str) -> Filter {
        Filter::Exists { field: field.to_owned() }
    }

    fn at_least(field: &str, number: i64) -> Filter {
        let range = ValueRange { from: Some((TypedValue::Integer(number), true)), to: None };
        Filter::Range { field: field.to_owned(), range }
    }

    #[tokio::test]
    async fn what_is_stored_is_what_evaluation_finds() {
        let (kind, number) = (json!({ "type": "keyword" }), json!({ "type": "long" }));
        let things = json!({ "type": "nested", "properties": { "kind": kind } });
        let text = json!({ "type": "text" });
        let fields = json!({ "kind": kind, "n": number, "gap": number, "words": text, "things": things });
        let index = TestIndex::new(&fields);
        let document = |number: usize| {
            json!({
                "kind": if number == 7 { "rare" } else { "often" },
                "n": number,
                "gap": if number == 3 { Value::Null } else { json!(1) },
                "words": "often seen",
                "things": [{ "kind": (number % 2).to_string() }, { "kind": "x" }],
            })
        };
        index.write((0..DOCUMENTS).map(document)).await;
        let snapshot = index.snapshot();
        let segment = &snapshot.segments[0].segment;
        let request = CancelOnDrop::default();
        for (condition, is_stored) in [
            (Filter::All, true),
            (Filter::None, false),
            (has_value("kind", "often"), true),
            (has_value("kind", "rare"), false),
            (has_value("kind", "unknown"), false),
            (has_value("words", "often"), false),
            (has_value(RECORD_ID, "7"), false),
            (in_things(has_value("things.kind", "0")), true),
            (in_things(exists("things.kind")), false),
            (exists("n"), true),
            (exists("gap"), false),
            (exists("unknown"), false),
            (at_least("n", 0), true),
            (at_least("n", 1), false),
            (at_least("gap", 0), false),
        ] {
            let rows = match stored_rows(segment, &condition) {
                Some(StoredRows::All) => Some(Bitset::full(DOCUMENTS)),
                Some(StoredRows::Bitmap(words)) => Some(Bitset::from_words(words, DOCUMENTS)),
                None => None,
            };
            let expected = is_stored.then(|| filter::evaluate(segment, &condition, 0, &request.token()));
            assert_eq!(rows, expected, "{condition:?}");
        }
    }
}
