//! The order of records: the keys of the sort, then the id by its bytes.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use cantata_mapping::{IndexMapping, TypedValue};

use super::Record;
use super::json::below;
use crate::{Cursor, Document, ExportRequest, Hit, HitsRequest, MissingOrder, SortKey, SortMode, SortOrder, SortValue};

/// The scores of records by their ids; empty where none are wanted.
pub(crate) type Scores = BTreeMap<String, f32>;

/// Returns a page of the records, in order.
pub(crate) fn page(
    mapping: &IndexMapping,
    records: Vec<(&str, &Record)>,
    scores: &Scores,
    request: &HitsRequest,
) -> Vec<Hit> {
    let HitsRequest { sort, after, offset, size, documents, .. } = request;
    let mut sorted: Vec<(Cursor, &Record)> =
        records.into_iter().map(|(id, record)| (cursor(mapping, sort, id, record, scores), record)).collect();
    sorted.sort_by(|(one, _), (other, _)| compare(sort, one, other));
    let is_after = |cursor: &Cursor| after.as_ref().is_none_or(|after| compare(sort, cursor, after).is_gt());
    let selected = sorted.into_iter().filter(|(cursor, _)| is_after(cursor)).skip(*offset).take(*size);
    let document = |record: &Record| documents.then(|| Document::from(record.source.clone()));
    let hit = |(cursor, record): (Cursor, &Record)| Hit {
        score: scores.get(&cursor.id).copied(),
        document: document(record),
        cursor,
    };
    selected.map(hit).collect()
}

/// Returns an export as one page.
pub(crate) fn export_page(request: &ExportRequest) -> HitsRequest {
    let size = request.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
    HitsRequest { sort: request.sort.clone(), size, documents: true, ..HitsRequest::default() }
}

fn cursor(mapping: &IndexMapping, sort: &[SortKey], id: &str, record: &Record, scores: &Scores) -> Cursor {
    let values = sort.iter().map(|key| match &key.field {
        None => Some(TypedValue::Text(id.to_owned())),
        Some(_) if key.is_score() => scores.get(id).map(|score| TypedValue::Double(f64::from(*score))),
        Some(field) => sort_value(mapping, field, key.mode, record),
    });
    Cursor { values: values.collect(), id: id.to_owned() }
}

fn sort_value(mapping: &IndexMapping, field: &str, mode: SortMode, record: &Record) -> SortValue {
    let (path, level) = read_path(mapping, field);
    let elements = record.row.elements_at(&level);
    let values: Vec<&TypedValue> = elements.into_iter().flat_map(|element| element.values(&path)).collect();
    let sum = || values.iter().filter_map(|value| value.as_number()).sum::<f64>();
    match mode {
        _ if values.is_empty() => None,
        SortMode::Min => values.into_iter().min().cloned(),
        SortMode::Max => values.into_iter().max().cloned(),
        SortMode::Sum => Some(TypedValue::Double(sum())),
        SortMode::Avg => Some(TypedValue::Double(sum() / values.len() as f64)),
    }
}

fn compare(sort: &[SortKey], one: &Cursor, other: &Cursor) -> Ordering {
    for ((key, one), other) in sort.iter().zip(&one.values).zip(&other.values) {
        let missing = if key.missing == MissingOrder::First { Ordering::Less } else { Ordering::Greater };
        let order = match (one, other) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => missing,
            (Some(_), None) => missing.reverse(),
            (Some(one), Some(other)) if key.order == SortOrder::Ascending => one.cmp(other),
            (Some(one), Some(other)) => other.cmp(one),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    one.id.as_bytes().cmp(other.id.as_bytes())
}

/// Returns the path under which a row keeps the values of a field, aliases followed, and the level of the row.
pub(crate) fn read_path(mapping: &IndexMapping, name: &str) -> (String, String) {
    match (mapping.field(name), mapping.flattened_key(name)) {
        (Some(field), _) => (field.path.clone(), field.row_path().to_owned()),
        (None, Some((field, key))) => (format!("{}.{key}", field.path), field.row_path().to_owned()),
        (None, None) => {
            // What the mapping does not have lies in the containers that its name says.
            let around = mapping.nested_paths().filter(|path| below(name, path).is_some());
            (name.to_owned(), around.max_by_key(|path| path.len()).unwrap_or_default().to_owned())
        }
    }
}
