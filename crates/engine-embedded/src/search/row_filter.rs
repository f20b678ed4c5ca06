//! Row filters: testing single rows by their doc values.
//!
//! A bitmap of all matching rows of a level ([`super::filter`]) is faster when many rows matter; when other filters have
//! left few documents, only their rows are tested.

use std::ops::Range;

use cantata_engine::Filter;
use cantata_mapping::RECORD_ID;

use super::filter::{SPARSE_ROWS_RATIO, leaf_field, matching_ordinals, ordinal_range, rows_by_id};
use super::term_matching::{self, Alternatives};
use crate::bitset::{Bitset, WORD_BITS};
use crate::cancellation::CancellationToken;
use crate::segment::{NestingLevel, PostingList, Segment, SegmentField};

/// A filter compiled for the rows of one level of a segment.
pub(super) enum RowFilter<'a> {
    All,
    None,
    And(Vec<RowFilter<'a>>),
    Or(Vec<RowFilter<'a>>),
    Not(Box<RowFilter<'a>>),
    /// A child row matches; with the row starts of each level on the way down to it.
    Nested {
        starts: Vec<&'a [u32]>,
        inner: Box<RowFilter<'a>>,
    },
    /// The row is one of these.
    Rows(Bitset),
    /// The row is one of a stored bitmap.
    StoredRows(&'a [u64]),
    /// A value has an ordinal within the range.
    Range {
        field: Box<SegmentField<'a>>,
        from: u32,
        to: u32,
    },
    /// A value has one of the ordinals.
    Ordinals {
        field: Box<SegmentField<'a>>,
        ordinals: Bitset,
    },
}

impl<'a> RowFilter<'a> {
    pub(super) fn new(segment: &'a Segment, filter: &Filter, level: usize, cancellation: &CancellationToken) -> Self {
        let new = |filter: &Filter, level: usize| Self::new(segment, filter, level, cancellation);
        match filter {
            Filter::All => Self::All,
            Filter::None => Self::None,
            Filter::And(parts) => Self::And(parts.iter().map(|part| new(part, level)).collect()),
            Filter::Or(parts) => {
                let Alternatives { patterns, others } = Alternatives::new(parts);
                let mut any: Vec<Self> = others.into_iter().map(|part| new(part, level)).collect();
                for (field, patterns) in &patterns {
                    if let Some(field) = segment.field(field).filter(|field| field.level == level) {
                        let ordinals = term_matching::match_any_pattern(&field, patterns, cancellation);
                        any.push(Self::ordinals(field, &ordinals));
                    }
                }
                Self::Or(any)
            }
            Filter::Not(inner) => Self::Not(Box::new(new(inner, level))),
            Filter::Nested { path, inner } => match segment.level_of(path) {
                Some(inner_level) => Self::Nested {
                    starts: starts_between(segment, level, inner_level),
                    inner: Box::new(new(inner, inner_level)),
                },
                None => Self::None,
            },
            Filter::Terms { field, values } if field == RECORD_ID => Self::Rows(rows_by_id(segment, values)),
            leaf => match leaf_field(segment, leaf, level) {
                Some(field) => Self::leaf(leaf, field, cancellation),
                None => Self::None,
            },
        }
    }

    fn leaf(filter: &Filter, field: SegmentField<'a>, cancellation: &CancellationToken) -> Self {
        match filter {
            Filter::Range { range, .. } => {
                let (from, to) = ordinal_range(&field, range);
                Self::Range { field: Box::new(field), from, to }
            }
            Filter::Exists { .. } => {
                let to = field.dictionary.len() as u32;
                Self::Range { field: Box::new(field), from: 0, to }
            }
            _ => {
                let ordinals = matching_ordinals(filter, &field, cancellation);
                Self::ordinals(field, &ordinals)
            }
        }
    }

    fn ordinals(field: SegmentField<'a>, ordinals: &[u32]) -> Self {
        if let [only] = ordinals
            && let PostingList::Dense(words) = field.postings.rows(*only)
        {
            return Self::StoredRows(words);
        }
        let mut set = Bitset::empty(field.dictionary.len());
        ordinals.iter().for_each(|&ordinal| set.insert(ordinal as usize));
        Self::Ordinals { field: Box::new(field), ordinals: set }
    }

    pub(super) fn matches(&self, row: usize) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::And(parts) => parts.iter().all(|part| part.matches(row)),
            Self::Or(parts) => parts.iter().any(|part| part.matches(row)),
            Self::Not(inner) => !inner.matches(row),
            Self::Rows(rows) => rows.contains(row),
            Self::StoredRows(words) => {
                words.get(row / WORD_BITS).is_some_and(|word| word >> (row % WORD_BITS) & 1 == 1)
            }
            Self::Nested { starts, inner } => {
                let (mut from, mut to) = (row, row + 1);
                for starts in starts {
                    (from, to) = (starts[from] as usize, starts[to] as usize);
                }
                match &**inner {
                    Self::StoredRows(words) => has_any_row(words, from..to),
                    inner => (from..to).any(|row| inner.matches(row)),
                }
            }
            Self::Range { field, from, to } => {
                let mut matches = false;
                field.column.for_each(row, |ordinal| matches |= (*from..*to).contains(&ordinal));
                matches
            }
            Self::Ordinals { field, ordinals } => {
                let mut matches = false;
                field.column.for_each(row, |ordinal| matches |= ordinals.contains(ordinal as usize));
                matches
            }
        }
    }
}

/// Returns whether a stored bitmap has one of the rows, of which it is asked for a word at a time.
fn has_any_row(words: &[u64], rows: Range<usize>) -> bool {
    if rows.is_empty() {
        return false;
    }
    let (first, last) = (rows.start / WORD_BITS, (rows.end - 1) / WORD_BITS);
    let after_start = u64::MAX << (rows.start % WORD_BITS);
    let before_end = u64::MAX >> (WORD_BITS - 1 - (rows.end - 1) % WORD_BITS);
    let words = words.get(first..words.len().min(last + 1)).unwrap_or_default();
    (first..).zip(words).any(|(index, word)| {
        let from = if index == first { after_start } else { u64::MAX };
        let to = if index == last { before_end } else { u64::MAX };
        word & from & to != 0
    })
}

/// Returns the row starts of each level on the way from a level down to another.
pub(super) fn starts_between(segment: &Segment, outer: usize, inner: usize) -> Vec<&[u32]> {
    let mut starts = Vec::new();
    let mut at = inner;
    while at != outer && at != 0 {
        starts.push(segment.level(at).starts);
        at = segment.level(at).parent;
    }
    starts.reverse();
    starts
}

/// Returns the rows of documents.
pub(super) fn rows_of(segment: &Segment, level: usize, documents: &Bitset) -> Bitset {
    let NestingLevel { rows, document_starts, .. } = segment.level(level);
    if documents.count() * SPARSE_ROWS_RATIO >= rows {
        return segment.rows_by_document(level).lower(documents);
    }
    let mut of_documents = Bitset::empty(rows);
    documents.for_each(|document| {
        of_documents.insert_range(document_starts[document] as usize..document_starts[document + 1] as usize);
    });
    of_documents
}

/// Returns the rows of documents that match a filter.
pub(super) fn evaluate(
    segment: &Segment,
    filter: &Filter,
    level: usize,
    documents: &Bitset,
    cancellation: &CancellationToken,
) -> Bitset {
    let filter = RowFilter::new(segment, filter, level, cancellation);
    let level = segment.level(level);
    let mut rows = Bitset::empty(level.rows);
    documents.for_each(|document| {
        for row in level.document_starts[document] as usize..level.document_starts[document + 1] as usize {
            if filter.matches(row) {
                rows.insert(row);
            }
        }
    });
    rows
}

/// Removes the documents that do not match a filter.
pub(super) fn narrow(segment: &Segment, filter: &Filter, documents: &mut Bitset, cancellation: &CancellationToken) {
    let filter = RowFilter::new(segment, filter, 0, cancellation);
    documents.retain(|document| filter.matches(document));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_stored_bitmap_are_found_in_any_range() {
        let mut set = Bitset::empty(200);
        [0, 63, 64, 130, 199].into_iter().for_each(|row| set.insert(row));
        for start in 0..=200 {
            for end in start..=200 {
                let expected = (start..end).any(|row| set.contains(row));
                assert_eq!(has_any_row(set.words(), start..end), expected, "{start}..{end}");
            }
        }
        assert!(!has_any_row(set.words(), 256..300));
    }
}
