//! The order of records: within a segment by numbers of 64 bits, between segments by values.
//!
//! Within a segment a sort key is a code, so comparing is comparing numbers. Codes are doubled, which leaves a place
//! between any two of them for the value of a cursor that the segment does not have.

use std::cmp::Ordering;

use cantata_engine::{Cursor, Missing, SortKey, SortMode, SortOrder, SortValue};
use cantata_mapping::TypedValue;

use crate::key::from_double;
use crate::segment::{Segment, SegmentField};

/// One key of an order, within a segment.
pub(crate) struct SegmentKey<'a> {
    segment: &'a Segment,
    by: By<'a>,
    order: SortOrder,
    missing: Missing,
}

enum By<'a> {
    /// The id, which is the row.
    Id,
    /// A field that no document of the segment has.
    Nothing,
    /// The least or the greatest code.
    Code { field: SegmentField<'a>, greatest: bool },
    /// The sum or the mean.
    Figure { field: SegmentField<'a>, mean: bool },
}

impl<'a> SegmentKey<'a> {
    pub(crate) fn new(segment: &'a Segment, key: &SortKey) -> Self {
        let by = match &key.field {
            None => By::Id,
            Some(path) => match (segment.field(path), key.mode) {
                (None, _) => By::Nothing,
                (Some(field), SortMode::Min) => By::Code { field, greatest: false },
                (Some(field), SortMode::Max) => By::Code { field, greatest: true },
                (Some(field), SortMode::Sum) => By::Figure { field, mean: false },
                (Some(field), SortMode::Avg) => By::Figure { field, mean: true },
            },
        };
        Self { segment, by, order: key.order, missing: key.missing }
    }

    pub(crate) fn order(&self) -> SortOrder {
        self.order
    }

    pub(crate) fn missing(&self) -> Missing {
        self.missing
    }

    /// Returns the field, if the order of documents is that of its codes and each document has at most one.
    pub(crate) fn walkable(&self) -> Option<&SegmentField<'a>> {
        match &self.by {
            By::Code { field, .. } if field.level == 0 && field.column.starts.is_none() => Some(field),
            _ => None,
        }
    }

    /// Returns the code at which a walk goes on after a rank: the first one of an ascending walk, or the one after the
    /// first one of a descending walk.
    pub(crate) fn code_after(&self, rank: u64, codes: u32) -> u32 {
        let rank = match (rank, self.missing, self.order) {
            // After a document without value: everything is still to come, or nothing.
            (0, Missing::First, SortOrder::Ascending) => return 0,
            (0, Missing::First, SortOrder::Descending) => return codes,
            (u64::MAX, Missing::Last, SortOrder::Ascending) => return codes,
            (u64::MAX, Missing::Last, SortOrder::Descending) => return 0,
            (rank, _, SortOrder::Ascending) => rank,
            (rank, _, SortOrder::Descending) => u64::MAX - rank,
        };
        let code = match self.order {
            // A rank between two codes leads to the upper one, a rank of a code to the code itself.
            SortOrder::Ascending => rank.saturating_sub(1) / 2,
            SortOrder::Descending => rank / 2,
        };
        u32::try_from(code).unwrap_or(codes).min(codes)
    }

    /// Returns the number that a document is ordered by.
    #[inline]
    pub(crate) fn rank(&self, document: usize) -> u64 {
        match &self.by {
            By::Id => self.directed(Some(code_rank(document as u32))),
            By::Nothing => self.directed(None),
            By::Code { field, greatest } => {
                if field.level == 0 && field.column.starts.is_none() {
                    let code = field.column.codes.get(document);
                    return self.directed((code != field.column.missing).then(|| code_rank(code)));
                }
                self.directed(self.extreme(field, *greatest, document).map(code_rank))
            }
            By::Figure { field, mean } => self.directed(self.figure(field, *mean, document).map(from_double)),
        }
    }

    /// Returns the number that a value of a cursor has among those of the documents.
    pub(crate) fn rank_of(&self, value: &SortValue) -> u64 {
        let rank = value.as_ref().map(|value| match (&self.by, value) {
            (By::Figure { .. }, TypedValue::Double(number)) => from_double(*number),
            (By::Id, TypedValue::Text(id)) => between(self.segment.ids().find_bytes(id.as_bytes())),
            (By::Code { field, .. }, value) => between(field.dictionary.find(value)),
            // No document has a value, so any place serves.
            _ => 1,
        });
        self.directed(rank)
    }

    /// Returns the value that a document is ordered by.
    pub(crate) fn value(&self, document: usize) -> SortValue {
        match &self.by {
            By::Id => Some(TypedValue::Text(self.segment.id(document).to_owned())),
            By::Nothing => None,
            By::Code { field, greatest } => {
                self.extreme(field, *greatest, document).map(|code| field.dictionary.value(code))
            }
            By::Figure { field, mean } => self.figure(field, *mean, document).map(TypedValue::Double),
        }
    }

    fn directed(&self, rank: Option<u64>) -> u64 {
        match (rank, self.missing, self.order) {
            (None, Missing::First, _) => 0,
            (None, Missing::Last, _) => u64::MAX,
            (Some(rank), _, SortOrder::Ascending) => rank,
            (Some(rank), _, SortOrder::Descending) => u64::MAX - rank,
        }
    }

    fn for_each_code(&self, field: &SegmentField<'_>, document: usize, mut visit: impl FnMut(u32)) {
        let starts = self.segment.level(field.level).document_starts;
        for row in starts[document] as usize..starts[document + 1] as usize {
            field.column.for_each(row, &mut visit);
        }
    }

    fn extreme(&self, field: &SegmentField<'_>, greatest: bool, document: usize) -> Option<u32> {
        let mut found: Option<u32> = None;
        self.for_each_code(field, document, |code| {
            found = Some(found.map_or(code, |other| if greatest { other.max(code) } else { other.min(code) }));
        });
        found
    }

    fn figure(&self, field: &SegmentField<'_>, mean: bool, document: usize) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0_u32);
        self.for_each_code(field, document, |code| {
            sum += field.dictionary.numbers().get(code as usize).map_or(0.0, |&number| field.class.figure(number));
            count += 1;
        });
        (count > 0).then(|| if mean { sum / f64::from(count) } else { sum })
    }
}

fn code_rank(code: u32) -> u64 {
    2 * u64::from(code) + 2
}

fn between(found: Result<u32, u32>) -> u64 {
    found.map_or_else(|next| 2 * u64::from(next) + 1, code_rank)
}

/// A place in an order, as one segment sees it.
pub(crate) struct Threshold {
    ranks: Vec<u64>,
    /// The first row that comes after it among documents that are equal in all keys.
    row: usize,
}

impl Threshold {
    pub(crate) fn new(segment: &Segment, keys: &[SegmentKey<'_>], cursor: &Cursor) -> Self {
        let ranks = keys.iter().zip(&cursor.values).map(|(key, value)| key.rank_of(value)).collect();
        let row = match segment.ids().find_bytes(cursor.id.as_bytes()) {
            Ok(row) => row as usize + 1,
            Err(next) => next as usize,
        };
        Self { ranks, row }
    }

    /// Returns the rank in the first key.
    pub(crate) fn first_rank(&self) -> u64 {
        self.ranks.first().copied().unwrap_or_default()
    }

    /// Returns whether a document comes after the place.
    pub(crate) fn is_before(&self, keys: &[SegmentKey<'_>], document: usize) -> bool {
        for (key, &rank) in keys.iter().zip(&self.ranks) {
            match key.rank(document).cmp(&rank) {
                Ordering::Less => return false,
                Ordering::Greater => return true,
                Ordering::Equal => {}
            }
        }
        document >= self.row
    }
}

/// Compares two places in an order.
pub(crate) fn compare(sort: &[SortKey], one: &Cursor, two: &Cursor) -> Ordering {
    let keys = sort.iter().zip(one.values.iter().zip(&two.values));
    let by_keys = keys.map(|(key, (one, two))| match (one, two) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => {
            if key.missing == Missing::First {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (Some(_), None) => {
            if key.missing == Missing::First {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (Some(one), Some(two)) => match key.order {
            SortOrder::Ascending => one.cmp(two),
            SortOrder::Descending => two.cmp(one),
        },
    });
    by_keys.fold(Ordering::Equal, Ordering::then).then_with(|| one.id.cmp(&two.id))
}
