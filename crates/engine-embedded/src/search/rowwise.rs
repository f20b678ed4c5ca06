//! Testing single rows, where few of them matter.
//!
//! A set of all rows of a level that pass a filter is the better way when many rows matter; when a filter has left
//! few documents, only their rows are worth looking at.

use cantata_engine::Filter;

use super::filter::{code_range, matching_codes};
use crate::bitset::Bitset;
use crate::segment::{Segment, SegmentField};

/// A filter made ready for the rows of one level.
pub(super) enum RowTest<'a> {
    All,
    None,
    And(Vec<RowTest<'a>>),
    Or(Vec<RowTest<'a>>),
    Not(Box<RowTest<'a>>),
    /// Some row of an inner level passes: the levels on the way down with where their rows begin, the inner test.
    Nested {
        way: Vec<&'a [u32]>,
        inner: Box<RowTest<'a>>,
    },
    /// Some value has a code within the range.
    Range {
        field: Box<SegmentField<'a>>,
        from: u32,
        to: u32,
    },
    /// Some value has one of the codes.
    Codes {
        field: Box<SegmentField<'a>>,
        codes: Bitset,
    },
}

impl<'a> RowTest<'a> {
    pub(super) fn new(segment: &'a Segment, filter: &Filter, level: usize) -> Self {
        match filter {
            Filter::All => Self::All,
            Filter::None => Self::None,
            Filter::And(parts) => Self::And(parts.iter().map(|part| Self::new(segment, part, level)).collect()),
            Filter::Or(parts) => Self::Or(parts.iter().map(|part| Self::new(segment, part, level)).collect()),
            Filter::Not(inner) => Self::Not(Box::new(Self::new(segment, inner, level))),
            Filter::Nested { path, inner } => match segment.level_of(path) {
                Some(inner_level) => {
                    let mut way = Vec::new();
                    let mut at = inner_level;
                    while at != level && at != 0 {
                        way.push(segment.level(at).starts);
                        at = segment.level(at).parent;
                    }
                    way.reverse();
                    Self::Nested { way, inner: Box::new(Self::new(segment, inner, inner_level)) }
                }
                None => Self::None,
            },
            Filter::Terms { field, .. }
            | Filter::Range { field, .. }
            | Filter::Exists { field }
            | Filter::Pattern { field, .. }
            | Filter::Wildcard { field, .. }
            | Filter::Fuzzy { field, .. } => match segment.field(field).filter(|field| field.level == level) {
                Some(field) => Self::leaf(filter, field),
                None => Self::None,
            },
        }
    }

    fn leaf(filter: &Filter, field: SegmentField<'a>) -> Self {
        match filter {
            Filter::Range { edges, .. } => {
                let (from, to) = code_range(&field, edges);
                Self::Range { field: Box::new(field), from, to }
            }
            Filter::Exists { .. } => {
                let to = field.dictionary.len() as u32;
                Self::Range { field: Box::new(field), from: 0, to }
            }
            _ => {
                let mut codes = Bitset::empty(field.dictionary.len());
                matching_codes(filter, &field).into_iter().for_each(|code| codes.insert(code as usize));
                Self::Codes { field: Box::new(field), codes }
            }
        }
    }

    pub(super) fn passes(&self, row: usize) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::And(parts) => parts.iter().all(|part| part.passes(row)),
            Self::Or(parts) => parts.iter().any(|part| part.passes(row)),
            Self::Not(inner) => !inner.passes(row),
            Self::Nested { way, inner } => {
                let (mut from, mut to) = (row, row + 1);
                for starts in way {
                    (from, to) = (starts[from] as usize, starts[to] as usize);
                }
                (from..to).any(|row| inner.passes(row))
            }
            Self::Range { field, from, to } => {
                let mut passes = false;
                field.column.for_each(row, |code| passes |= (*from..*to).contains(&code));
                passes
            }
            Self::Codes { field, codes } => {
                let mut passes = false;
                field.column.for_each(row, |code| passes |= codes.contains(code as usize));
                passes
            }
        }
    }
}

/// Returns the rows of documents.
pub(super) fn rows_of(segment: &Segment, level: usize, documents: &Bitset) -> Bitset {
    let level = segment.level(level);
    let mut rows = Bitset::empty(level.rows);
    documents.for_each(|document| {
        rows.insert_all(level.document_starts[document] as usize..level.document_starts[document + 1] as usize);
    });
    rows
}

/// Returns the rows of documents that pass a filter.
pub(super) fn evaluate(segment: &Segment, filter: &Filter, level: usize, documents: &Bitset) -> Bitset {
    let test = RowTest::new(segment, filter, level);
    let level = segment.level(level);
    let mut rows = Bitset::empty(level.rows);
    documents.for_each(|document| {
        for row in level.document_starts[document] as usize..level.document_starts[document + 1] as usize {
            if test.passes(row) {
                rows.insert(row);
            }
        }
    });
    rows
}

/// Returns those of the documents that pass a filter.
pub(super) fn narrow(segment: &Segment, filter: &Filter, documents: &Bitset) -> Bitset {
    let test = RowTest::new(segment, filter, 0);
    let mut narrowed = Bitset::empty(segment.documents());
    documents.for_each(|document| {
        if test.passes(document) {
            narrowed.insert(document);
        }
    });
    narrowed
}
