//! Counting: for each value of a field, how many of a set of documents have it.
//!
//! There are four ways, and the cheapest is taken: over all documents the counts are stored; where most documents
//! pass, those that do not are counted and subtracted; where there are few values, their rows are compared with the
//! set sixty-four at a time; else the rows are looked at one by one. A document with several rows of a value counts
//! once, so with nested fields and several values the document counted last is remembered for each value.

use super::Matches;
use crate::bitset::{Bitset, WORD};
use crate::segment::{Code, Rows, Segment, SegmentField, with_codes};

/// Comparing a word of rows costs a fraction of looking at a row.
const WORDS_PER_ROW: usize = 8;

/// More codes than this are never compared set by set.
const FEW_CODES: u32 = 4097;

/// How the codes are put together before they are counted: for each code, and last for "no value", its group.
/// [`NO_GROUP`] is not counted.
pub(crate) type Groups<'a> = Option<&'a [u32]>;

/// A code that belongs to no group.
pub(crate) const NO_GROUP: u32 = u32::MAX;

/// Counts the documents that have each code; last, those that have a row without value.
pub(crate) fn by_code(
    segment: &Segment,
    field: &SegmentField<'_>,
    matches: &Matches,
    elements: Option<&Bitset>,
) -> Vec<u32> {
    let values = field.dictionary.len();
    if elements.is_some() {
        return count(segment, field, &matches.documents, elements, None, values + 1);
    }
    if matches.count == segment.documents() {
        return field.postings.document_counts.to_vec();
    }
    if matches.count * 2 > segment.documents() {
        let mut others = matches.documents.clone();
        others.invert();
        let mut counts = field.postings.document_counts.to_vec();
        let others = Matches { count: segment.documents() - matches.count, documents: others };
        let subtracted = directly(segment, field, &others);
        counts.iter_mut().zip(subtracted).for_each(|(count, other)| *count -= other);
        return counts;
    }
    directly(segment, field, matches)
}

fn directly(segment: &Segment, field: &SegmentField<'_>, matches: &Matches) -> Vec<u32> {
    let codes = field.dictionary.len() as u32 + 1;
    if let Some(postings) = field.document_postings().filter(|_| codes <= FEW_CODES) {
        let rows_looked_at = match segment.level(field.level).rows.checked_div(segment.documents()) {
            Some(rows_each) => matches.count * rows_each.max(1),
            None => 0,
        };
        let words = segment.documents().div_ceil(WORD) / WORDS_PER_ROW;
        let cost = |code| match postings.rows(code) {
            Rows::Bits(_) => words,
            Rows::List(rows) => rows.len(),
        };
        if (0..codes).map(cost).sum::<usize>() < rows_looked_at {
            return (0..codes).map(|code| common(&matches.documents, postings.rows(code))).collect();
        }
    }
    count(segment, field, &matches.documents, None, None, codes as usize)
}

/// Counts the documents that are in a set and among those of a value.
fn common(documents: &Bitset, rows: Rows<'_>) -> u32 {
    match rows {
        Rows::Bits(words) => documents.count_common(words) as u32,
        Rows::List(rows) => rows.iter().filter(|&&row| documents.contains(row as usize)).count() as u32,
    }
}

/// Counts the documents of each group of codes, row by row.
pub(crate) fn count(
    segment: &Segment,
    field: &SegmentField<'_>,
    documents: &Bitset,
    elements: Option<&Bitset>,
    groups: Groups<'_>,
    group_count: usize,
) -> Vec<u32> {
    let mut counts = vec![0; group_count];
    let missing = field.column.missing;
    let group_of = |code: u32| groups.map_or(code, |groups| groups[code as usize]);
    if field.level == 0 && field.column.starts.is_none() {
        // The common case, in as tight a loop as can be.
        with_codes!(field.column.codes, codes => match (groups, elements) {
            (None, None) => documents.for_each(|row| counts[codes[row].wide() as usize] += 1),
            _ => documents.for_each(|row| {
                let group = group_of(codes[row].wide());
                if group != NO_GROUP && elements.is_none_or(|elements| elements.contains(row)) {
                    counts[group as usize] += 1;
                }
            }),
        });
        return counts;
    }
    // The document, counted from one, that was counted last for each group.
    let mut last = vec![0_u32; group_count];
    let mut see = |group: u32, document: u32| {
        if group != NO_GROUP && last[group as usize] != document {
            last[group as usize] = document;
            counts[group as usize] += 1;
        }
    };
    let starts = segment.level(field.level).document_starts;
    let is_taken = |row: usize| elements.is_none_or(|elements| elements.contains(row));
    match field.column.starts {
        None => with_codes!(field.column.codes, codes => documents.for_each(|document| {
            let rows = starts[document] as usize..starts[document + 1] as usize;
            for (row, code) in rows.clone().zip(&codes[rows]) {
                if is_taken(row) {
                    see(group_of(code.wide()), document as u32 + 1);
                }
            }
        })),
        Some(places) => documents.for_each(|document| {
            for row in starts[document] as usize..starts[document + 1] as usize {
                if is_taken(row) {
                    if places[row] == places[row + 1] {
                        see(group_of(missing), document as u32 + 1);
                    }
                    for place in places[row]..places[row + 1] {
                        see(group_of(field.column.codes.get(place as usize)), document as u32 + 1);
                    }
                }
            }
        }),
    }
    counts
}

/// Counts how often each code occurs in the rows of documents; several times in one row counts each time.
pub(crate) fn occurrences(
    segment: &Segment,
    field: &SegmentField<'_>,
    documents: &Bitset,
    elements: Option<&Bitset>,
) -> Vec<u64> {
    let mut counts = vec![0; field.dictionary.len()];
    let starts = segment.level(field.level).document_starts;
    documents.for_each(|document| {
        for row in starts[document] as usize..starts[document + 1] as usize {
            if elements.is_none_or(|elements| elements.contains(row)) {
                field.column.for_each(row, |code| counts[code as usize] += 1);
            }
        }
    });
    counts
}

/// Counts the documents that have a row at a level, of those that are taken.
pub(crate) fn with_rows(segment: &Segment, level: usize, documents: &Bitset, elements: Option<&Bitset>) -> u64 {
    let starts = segment.level(level).document_starts;
    let has_row = |document: &usize| {
        let mut rows = starts[*document] as usize..starts[*document + 1] as usize;
        elements.map_or(!rows.is_empty(), |elements| rows.any(|row| elements.contains(row)))
    };
    documents.iter().filter(has_row).count() as u64
}
