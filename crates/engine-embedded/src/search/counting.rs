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

/// Counts the documents of each group of codes, row by row. Elements, where given, are rows of these documents, and
/// they alone are looked at.
pub(crate) fn count(
    segment: &Segment,
    field: &SegmentField<'_>,
    documents: &Bitset,
    elements: Option<&Bitset>,
    groups: Groups<'_>,
    group_count: usize,
) -> Vec<u32> {
    if field.level == 0 && field.column.starts.is_none() {
        return count_records(field, elements.unwrap_or(documents), groups, group_count);
    }
    let mut seen = Seen { counts: vec![0; group_count], last: vec![0; group_count] };
    let group_of = |code: u32| groups.map_or(code, |groups| groups[code as usize]);
    match (field.column.starts, elements) {
        (None, Some(elements)) => with_codes!(field.column.codes, codes => {
            each_element(elements, segment.first_rows(field.level), |row, document| {
                seen.see(group_of(codes[row].wide()), document);
            });
        }),
        (None, None) => with_codes!(field.column.codes, codes => {
            let starts = segment.level(field.level).document_starts;
            documents.for_each(|document| {
                for code in &codes[starts[document] as usize..starts[document + 1] as usize] {
                    seen.see(group_of(code.wide()), document as u32 + 1);
                }
            });
        }),
        (Some(places), elements) => {
            let mut see_row = |row: usize, document: u32| {
                if places[row] == places[row + 1] {
                    seen.see(group_of(field.column.missing), document);
                }
                for place in places[row]..places[row + 1] {
                    seen.see(group_of(field.column.codes.get(place as usize)), document);
                }
            };
            match elements {
                Some(elements) => each_element(elements, segment.first_rows(field.level), see_row),
                None => {
                    let starts = segment.level(field.level).document_starts;
                    documents.for_each(|document| {
                        let rows = starts[document] as usize..starts[document + 1] as usize;
                        rows.for_each(|row| see_row(row, document as u32 + 1));
                    });
                }
            }
        }
    }
    seen.counts
}

/// The common case, records with one value, in as tight a loop as can be.
fn count_records(field: &SegmentField<'_>, records: &Bitset, groups: Groups<'_>, group_count: usize) -> Vec<u32> {
    let mut counts = vec![0; group_count];
    with_codes!(field.column.codes, codes => match groups {
        None => records.for_each(|row| counts[codes[row].wide() as usize] += 1),
        Some(groups) => records.for_each(|row| {
            if let Some(count) = counts.get_mut(groups[codes[row].wide() as usize] as usize) {
                *count += 1;
            }
        }),
    });
    counts
}

/// Counts of documents by group, where a document may show a group several times, but one after the other with no
/// other document between.
struct Seen {
    counts: Vec<u32>,
    /// The document that was counted last for each group; none has the number zero.
    last: Vec<u32>,
}

impl Seen {
    #[inline]
    fn see(&mut self, group: u32, document: u32) {
        let (Some(last), Some(count)) = (self.last.get_mut(group as usize), self.counts.get_mut(group as usize)) else {
            return;
        };
        *count += u32::from(*last != document);
        *last = document;
    }
}

/// Shows elements in order, each with a number that is another one for every document, from one on.
#[inline]
fn each_element(elements: &Bitset, first_rows: &Bitset, mut visit: impl FnMut(usize, u32)) {
    let mut document = 0;
    // Whether a document began after the last element.
    let mut has_begun = false;
    for (place, (&elements, &first)) in elements.words().iter().zip(first_rows.words()).enumerate() {
        let (mut left, mut begun) = (elements, first);
        while left != 0 {
            let up_to = left ^ (left - 1);
            document += u32::from(has_begun || begun & up_to != 0);
            has_begun = false;
            begun &= !up_to;
            visit(place * WORD + left.trailing_zeros() as usize, document);
            left &= left - 1;
        }
        has_begun |= begun != 0;
    }
}

/// Counts how often each code occurs in the rows of documents; several times in one row counts each time. Elements,
/// where given, are rows of these documents, and they alone are looked at.
pub(crate) fn occurrences(
    segment: &Segment,
    field: &SegmentField<'_>,
    documents: &Bitset,
    elements: Option<&Bitset>,
) -> Vec<u64> {
    let mut counts = vec![0; field.dictionary.len()];
    let mut see_row = |row: usize| field.column.for_each(row, |code| counts[code as usize] += 1);
    match elements {
        Some(elements) => elements.for_each(see_row),
        None => {
            let starts = segment.level(field.level).document_starts;
            documents.for_each(|document| {
                (starts[document] as usize..starts[document + 1] as usize).for_each(&mut see_row);
            });
        }
    }
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
