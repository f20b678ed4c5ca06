//! Evaluating a filter on one segment: the bitmap of the rows of a level that match it.

use cantata_engine::matching::WildcardPattern;
use cantata_engine::{Filter, ValueRange};
use cantata_mapping::{RECORD_ID, TypedValue};

use super::term_matching::{self, Alternatives};
use crate::bitset::{Bitset, WORD_BITS};
use crate::cancellation::CancellationToken;
use crate::segment::{Ordinal, Segment, SegmentField, with_ordinals};
use crate::value_encoding::ValueClass;

/// A bitmap of fewer than one row in this many rows of the other level is lifted or lowered row by row.
pub(super) const SPARSE_ROWS_RATIO: usize = 64;

/// The cost of one posting, in rows of a column scan.
const POSTING_COST_ROWS: usize = 4;

/// Returns the rows of a level that match a filter; they are incomplete if the search was cancelled.
pub(crate) fn evaluate(segment: &Segment, filter: &Filter, level: usize, cancellation: &CancellationToken) -> Bitset {
    let evaluate = |filter: &Filter, level: usize| evaluate(segment, filter, level, cancellation);
    let rows = segment.level(level).rows;
    match filter {
        Filter::All => Bitset::full(rows),
        Filter::None => Bitset::empty(rows),
        Filter::And(parts) => {
            let mut parts = parts.iter().map(|part| evaluate(part, level));
            let Some(mut all) = parts.next() else { return Bitset::full(rows) };
            parts.for_each(|part| all.intersect_with(&part));
            all
        }
        Filter::Or(parts) => {
            let mut any = Bitset::empty(rows);
            let Alternatives { patterns, others } = Alternatives::new(parts);
            others.into_iter().for_each(|part| any.union_with(&evaluate(part, level)));
            for (field, patterns) in &patterns {
                if let Some(field) = segment.field(field).filter(|field| field.level == level) {
                    let ordinals = term_matching::match_any_pattern(&field, patterns, cancellation);
                    any.union_with(&rows_with_any(&field, &ordinals, rows));
                }
            }
            any
        }
        Filter::Not(inner) => {
            let mut set = evaluate(inner, level);
            set.invert();
            set
        }
        Filter::Nested { path, inner } => match segment.level_of(path) {
            Some(inner_level) if level == 0 => match by_document_postings(segment, inner, inner_level) {
                Some(documents) => documents,
                None => lift(segment, &evaluate(inner, inner_level), inner_level, 0),
            },
            Some(inner_level) => lift(segment, &evaluate(inner, inner_level), inner_level, level),
            None => Bitset::empty(rows),
        },
        Filter::Terms { field, values } if field == RECORD_ID => rows_by_id(segment, values),
        leaf => match leaf_field(segment, leaf, level) {
            Some(field) => leaf_rows(leaf, &field, rows, cancellation),
            None => Bitset::empty(rows),
        },
    }
}

/// Returns the documents of ids.
pub(super) fn rows_by_id(segment: &Segment, ids: &[TypedValue]) -> Bitset {
    let mut rows = Bitset::empty(segment.document_count());
    for id in ids {
        if let TypedValue::Text(id) = id
            && let Ok(row) = segment.ids().find_bytes(id.as_bytes())
        {
            rows.insert(row as usize);
        }
    }
    rows
}

/// Returns the documents with a row that matches a filter, if document postings answer that: for terms of a field that
/// has them.
fn by_document_postings(segment: &Segment, filter: &Filter, level: usize) -> Option<Bitset> {
    let (field, values) = match filter {
        Filter::Terms { field, values } => (field, values),
        Filter::Or(parts) => {
            let mut any = Bitset::empty(segment.document_count());
            for part in parts {
                any.union_with(&by_document_postings(segment, part, level)?);
            }
            return Some(any);
        }
        _ => return None,
    };
    let field = segment.field(field).filter(|field| field.level == level && field.class != ValueClass::Text)?;
    let postings = field.document_postings()?;
    let mut documents = Bitset::empty(segment.document_count());
    for value in values {
        if let Ok(ordinal) = field.dictionary.find(value) {
            postings.union_into(ordinal, &mut documents);
        }
    }
    Some(documents)
}

/// Lifts a bitmap of child rows to a parent level: the parent rows that have one of them.
pub(super) fn lift(segment: &Segment, set: &Bitset, from: usize, to: usize) -> Bitset {
    if from == to {
        return set.clone();
    }
    let level = segment.level(from);
    let (starts, next) = if to == 0 { (level.document_starts, 0) } else { (level.starts, level.parent) };
    let rows = starts.len().saturating_sub(1);
    let outer = if set.count() * SPARSE_ROWS_RATIO < rows {
        lift_sparse(set, starts)
    } else if to == 0 {
        segment.rows_by_document(from).lift(set)
    } else {
        segment.rows_by_parent(from).lift(set)
    };
    lift(segment, &outer, next, to)
}

/// Gallops from the parent of one child row to that of the next.
fn lift_sparse(set: &Bitset, starts: &[u32]) -> Bitset {
    let mut outer = Bitset::empty(starts.len().saturating_sub(1));
    let mut row = 0;
    set.for_each(|inner| {
        if starts[row + 1] as usize <= inner {
            row += 1;
            let mut step = 1;
            while starts.get(row + step).is_some_and(|&start| start as usize <= inner) {
                row += step;
                step *= 2;
            }
            while step > 0 {
                if starts.get(row + step).is_some_and(|&start| start as usize <= inner) {
                    row += step;
                }
                step /= 2;
            }
        }
        outer.insert(row);
    });
    outer
}

/// Lowers a bitmap of rows to a level below theirs: the rows that lie in one of them.
pub(super) fn lower(segment: &Segment, set: &Bitset, from: usize, to: usize) -> Bitset {
    let mut levels = Vec::new();
    let mut at = to;
    while at != from && at != 0 {
        levels.push(at);
        at = segment.level(at).parent;
    }
    let rows = segment.level(to).rows;
    if set.count() * SPARSE_ROWS_RATIO >= rows {
        return levels.iter().rev().fold(set.clone(), |set, &level| segment.rows_by_parent(level).lower(&set));
    }
    let starts: Vec<&[u32]> = levels.iter().rev().map(|&level| segment.level(level).starts).collect();
    let mut lowered = Bitset::empty(rows);
    set.for_each(|row| {
        let ends =
            starts.iter().fold((row, row + 1), |(first, end), starts| (starts[first] as usize, starts[end] as usize));
        lowered.insert_range(ends.0..ends.1);
    });
    lowered
}

/// Returns the field that a leaf filter tests, if the segment has it at this level.
pub(super) fn leaf_field<'a>(segment: &'a Segment, leaf: &Filter, level: usize) -> Option<SegmentField<'a>> {
    match leaf {
        Filter::Terms { field, .. }
        | Filter::Range { field, .. }
        | Filter::Exists { field }
        | Filter::Pattern { field, .. }
        | Filter::Wildcard { field, .. }
        | Filter::Fuzzy { field, .. } => segment.field(field).filter(|field| field.level == level),
        _ => None,
    }
}

fn leaf_rows(filter: &Filter, field: &SegmentField<'_>, rows: usize, cancellation: &CancellationToken) -> Bitset {
    match filter {
        Filter::Range { range, .. } => {
            let (from, to) = ordinal_range(field, range);
            rows_in_range(field, from, to, rows)
        }
        Filter::Exists { .. } => field.rows_with_value(rows),
        _ => rows_with_any(field, &matching_ordinals(filter, field, cancellation), rows),
    }
}

/// Returns the ordinals of the values that a leaf filter matches.
pub(super) fn matching_ordinals(
    filter: &Filter,
    field: &SegmentField<'_>,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    match filter {
        Filter::Terms { values, .. } if field.class == ValueClass::Text => {
            term_matching::match_words(field, values, cancellation)
        }
        Filter::Terms { values, .. } => values.iter().filter_map(|value| field.dictionary.find(value).ok()).collect(),
        Filter::Pattern { pattern, .. } => {
            term_matching::match_pattern(field, &WildcardPattern::case_sensitive(pattern), cancellation)
        }
        Filter::Wildcard { pattern, .. } => {
            term_matching::match_pattern(field, &WildcardPattern::wildcard(pattern), cancellation)
        }
        Filter::Fuzzy { text, distance, .. } => term_matching::match_fuzzy(field, text, *distance, cancellation),
        _ => Vec::new(),
    }
}

/// Returns the rows that have one of the ordinals.
fn rows_with_any(field: &SegmentField<'_>, ordinals: &[u32], rows: usize) -> Bitset {
    let mut set = Bitset::empty(rows);
    ordinals.iter().for_each(|&ordinal| field.postings.union_into(ordinal, &mut set));
    set
}

/// Returns the ordinals within a range, from the first to the one after the last.
pub(crate) fn ordinal_range(field: &SegmentField<'_>, range: &ValueRange) -> (u32, u32) {
    let from = range.from.as_ref().map_or(0, |(value, included)| match field.dictionary.find(value) {
        Ok(ordinal) => ordinal + u32::from(!included),
        Err(next) => next,
    });
    let to = range.to.as_ref().map_or(field.dictionary.len() as u32, |(value, included)| {
        match field.dictionary.find(value) {
            Ok(ordinal) => ordinal + u32::from(*included),
            Err(next) => next,
        }
    });
    (from, to)
}

/// Returns whether a range has all values of a field, or no row has the field: the rows are then known from postings.
pub(super) fn has_all_values(segment: &Segment, field: &str, range: &ValueRange) -> bool {
    segment.field(field).is_none_or(|field| ordinal_range(&field, range) == (0, field.dictionary.len() as u32))
}

fn rows_in_range(field: &SegmentField<'_>, from: u32, to: u32, rows: usize) -> Bitset {
    if from >= to {
        return Bitset::empty(rows);
    }
    if from == 0 && to as usize == field.dictionary.len() {
        return field.rows_with_value(rows);
    }
    let max_postings = rows / POSTING_COST_ROWS;
    let postings = || (from..to).map(|ordinal| field.postings.count(ordinal)).sum::<usize>();
    if (to - from) as usize <= max_postings && postings() <= max_postings {
        let ordinals: Vec<u32> = (from..to).collect();
        return rows_with_any(field, &ordinals, rows);
    }
    let width = to - from;
    match field.column.starts {
        None => with_ordinals!(field.column.ordinals, ordinals => Bitset::from_fn(rows, |index| {
            let chunk = &ordinals[index * WORD_BITS..((index + 1) * WORD_BITS).min(rows)];
            chunk.iter().enumerate().fold(0, |word, (bit, &ordinal)| {
                word | u64::from(ordinal.to_u32().wrapping_sub(from) < width) << bit
            })
        })),
        Some(_) => {
            let mut set = Bitset::empty(rows);
            for row in 0..rows {
                field.column.for_each(row, |ordinal| {
                    if ordinal.wrapping_sub(from) < width {
                        set.insert(row);
                    }
                });
            }
            set
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::search::row_filter;
    use crate::test_index::TestIndex;

    #[tokio::test]
    async fn a_range_of_all_values_is_told_from_others_and_matches_the_same_rows_either_way() {
        let index = TestIndex::new(&json!({ "n": { "type": "long" } }));
        index.write((0..200).map(|number| if number == 5 { json!({}) } else { json!({ "n": number }) })).await;
        let snapshot = index.snapshot();
        let segment = &snapshot.segments[0].segment;
        let end = |number: Option<i64>, included: bool| number.map(|number| (TypedValue::Integer(number), included));
        let request = CancelOnDrop::default();
        for (from, to, has_all) in [
            (None, None, true),
            (Some(0), Some(199), true),
            (None, Some(1 << 50), true),
            (Some(1), None, false),
            (None, Some(198), false),
            (Some(300), None, false),
        ] {
            let range = ValueRange { from: end(from, true), to: end(to, true) };
            assert_eq!(has_all_values(segment, "n", &range), has_all, "{range:?}");
            let filter = Filter::Range { field: "n".to_owned(), range };
            let mut tested = Bitset::full(segment.document_count());
            row_filter::narrow(segment, &filter, &mut tested, &request.token());
            assert_eq!(evaluate(segment, &filter, 0, &request.token()), tested, "{filter:?}");
        }
        let open = ValueRange { from: None, to: end(Some(199), false) };
        assert!(!has_all_values(segment, "n", &open));
        assert!(has_all_values(segment, "unknown", &open), "no row has a value");
    }
}
