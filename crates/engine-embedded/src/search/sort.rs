//! The sort order of records: within a segment by ranks of 64 bits, between segments by values.
//!
//! The rank of a value within a segment is made of its ordinal, so comparing is comparing numbers. Ordinals are doubled,
//! which leaves a rank between any two of them for the value of a cursor that the segment does not have.

use std::cmp::Ordering;

use cantata_engine::{Cursor, MissingOrder, SortKey, SortMode, SortOrder, SortValue};
use cantata_mapping::TypedValue;

use super::relevance::SegmentRelevance;
use crate::segment::{Segment, SegmentField};
use crate::value_encoding::encode_double;

/// One key of a sort, within a segment.
pub(crate) struct SegmentSortKey<'a> {
    segment: &'a Segment,
    values: SortValues<'a>,
    pub(super) order: SortOrder,
    pub(super) missing: MissingOrder,
}

/// What a key sorts by.
enum SortValues<'a> {
    /// The id, which is the row.
    Id,
    /// A field that no document of the segment has.
    Absent,
    /// The minimum or the maximum.
    Ordinal { field: SegmentField<'a>, max: bool },
    /// The sum or the average.
    Aggregate { field: SegmentField<'a>, average: bool },
    /// The relevance.
    Score(SegmentRelevance<'a>),
}

impl<'a> SegmentSortKey<'a> {
    fn new(segment: &'a Segment, key: &SortKey, relevance: Option<SegmentRelevance<'a>>) -> Self {
        let values = match &key.field {
            None => SortValues::Id,
            Some(_) if key.is_score() => relevance.map_or(SortValues::Absent, SortValues::Score),
            Some(path) => match (segment.field(path), key.mode) {
                (None, _) => SortValues::Absent,
                (Some(field), SortMode::Min) => SortValues::Ordinal { field, max: false },
                (Some(field), SortMode::Max) => SortValues::Ordinal { field, max: true },
                (Some(field), SortMode::Sum) => SortValues::Aggregate { field, average: false },
                (Some(field), SortMode::Avg) => SortValues::Aggregate { field, average: true },
            },
        };
        Self { segment, values, order: key.order, missing: key.missing }
    }

    /// Returns whether documents are sorted by relevance.
    pub(super) fn is_score(&self) -> bool {
        matches!(self.values, SortValues::Score(_))
    }

    /// Returns the field, if documents are sorted by its ordinals and each has at most one.
    pub(crate) fn single_valued_field(&self) -> Option<&SegmentField<'a>> {
        match &self.values {
            SortValues::Ordinal { field, .. } if field.level == 0 && field.column.starts.is_none() => Some(field),
            _ => None,
        }
    }

    /// Returns the ordinal at which a sorted scan continues after a rank: the first one of an ascending scan, or the one
    /// after the first one of a descending scan.
    pub(crate) fn ordinal_after(&self, rank: u64, ordinals: u32) -> u32 {
        let rank = match (rank, self.missing, self.order) {
            // After a document without value: all values follow, or none.
            (0, MissingOrder::First, SortOrder::Ascending) => return 0,
            (0, MissingOrder::First, SortOrder::Descending) => return ordinals,
            (u64::MAX, MissingOrder::Last, SortOrder::Ascending) => return ordinals,
            (u64::MAX, MissingOrder::Last, SortOrder::Descending) => return 0,
            (rank, _, SortOrder::Ascending) => rank,
            (rank, _, SortOrder::Descending) => u64::MAX - rank,
        };
        let ordinal = match self.order {
            // A rank between two ordinals leads to the upper one, a rank of an ordinal to the ordinal itself.
            SortOrder::Ascending => rank.saturating_sub(1) / 2,
            SortOrder::Descending => rank / 2,
        };
        u32::try_from(ordinal).unwrap_or(ordinals).min(ordinals)
    }

    /// Returns the rank of a document in this key.
    #[inline]
    pub(crate) fn rank(&self, document: usize) -> u64 {
        match &self.values {
            SortValues::Id => self.directed_rank(Some(ordinal_rank(document as u32))),
            SortValues::Absent => self.directed_rank(None),
            SortValues::Ordinal { field, max } => {
                if field.level == 0 && field.column.starts.is_none() {
                    let ordinal = field.column.ordinals.get(document);
                    return self.directed_rank((ordinal != field.column.missing).then(|| ordinal_rank(ordinal)));
                }
                self.directed_rank(self.extreme(field, *max, document).map(ordinal_rank))
            }
            SortValues::Aggregate { field, average } => {
                self.directed_rank(self.aggregate(field, *average, document).map(encode_double))
            }
            SortValues::Score(relevance) => {
                self.directed_rank(Some(encode_double(f64::from(relevance.score(document)))))
            }
        }
    }

    /// Returns the rank of the value of a cursor among those of the documents.
    pub(crate) fn rank_of(&self, value: &SortValue) -> u64 {
        let rank = value.as_ref().map(|value| match (&self.values, value) {
            (SortValues::Aggregate { .. } | SortValues::Score(_), TypedValue::Double(number)) => encode_double(*number),
            (SortValues::Id, TypedValue::Text(id)) => cursor_rank(self.segment.ids().find_bytes(id.as_bytes())),
            (SortValues::Ordinal { field, .. }, value) => cursor_rank(field.dictionary.find(value)),
            // No document has a value, so any rank serves.
            _ => 1,
        });
        self.directed_rank(rank)
    }

    /// Returns the value of a document in this key.
    pub(crate) fn value(&self, document: usize) -> SortValue {
        match &self.values {
            SortValues::Id => Some(TypedValue::Text(self.segment.id(document).to_owned())),
            SortValues::Absent => None,
            SortValues::Ordinal { field, max } => {
                self.extreme(field, *max, document).map(|ordinal| field.dictionary.value(ordinal))
            }
            SortValues::Aggregate { field, average } => {
                self.aggregate(field, *average, document).map(TypedValue::Double)
            }
            SortValues::Score(relevance) => Some(TypedValue::Double(f64::from(relevance.score(document)))),
        }
    }

    fn directed_rank(&self, rank: Option<u64>) -> u64 {
        match (rank, self.missing, self.order) {
            (None, MissingOrder::First, _) => 0,
            (None, MissingOrder::Last, _) => u64::MAX,
            (Some(rank), _, SortOrder::Ascending) => rank,
            (Some(rank), _, SortOrder::Descending) => u64::MAX - rank,
        }
    }

    fn for_each_ordinal(&self, field: &SegmentField<'_>, document: usize, mut visit: impl FnMut(u32)) {
        let starts = self.segment.level(field.level).document_starts;
        for row in starts[document] as usize..starts[document + 1] as usize {
            field.column.for_each(row, &mut visit);
        }
    }

    fn extreme(&self, field: &SegmentField<'_>, max: bool, document: usize) -> Option<u32> {
        let mut found: Option<u32> = None;
        self.for_each_ordinal(field, document, |ordinal| {
            found = Some(found.map_or(ordinal, |other| if max { other.max(ordinal) } else { other.min(ordinal) }));
        });
        found
    }

    fn aggregate(&self, field: &SegmentField<'_>, average: bool, document: usize) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0_u32);
        self.for_each_ordinal(field, document, |ordinal| {
            sum += field.number(ordinal);
            count += 1;
        });
        (count > 0).then(|| if average { sum / f64::from(count) } else { sum })
    }
}

fn ordinal_rank(ordinal: u32) -> u64 {
    2 * u64::from(ordinal) + 2
}

fn cursor_rank(found: Result<u32, u32>) -> u64 {
    found.map_or_else(|next| 2 * u64::from(next) + 1, ordinal_rank)
}

/// Returns the keys of a sort for one segment. Without scores, no document has one.
pub(crate) fn segment_sort_keys<'a>(
    segment: &'a Segment,
    sort: &[SortKey],
    relevance: Option<SegmentRelevance<'a>>,
) -> Vec<SegmentSortKey<'a>> {
    sort.iter().map(|key| SegmentSortKey::new(segment, key, relevance)).collect()
}

/// Returns the cursor of a document.
pub(crate) fn cursor_of(segment: &Segment, keys: &[SegmentSortKey<'_>], document: usize) -> Cursor {
    Cursor { values: keys.iter().map(|key| key.value(document)).collect(), id: segment.id(document).to_owned() }
}

/// A cursor as one segment sees it: only documents after it are wanted.
pub(crate) struct SearchAfter {
    ranks: Vec<u64>,
    /// The first row after it among documents that are equal in all keys.
    row: usize,
}

impl SearchAfter {
    pub(crate) fn new(segment: &Segment, keys: &[SegmentSortKey<'_>], cursor: &Cursor) -> Self {
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

    /// Returns whether the cursor comes before a document.
    pub(crate) fn is_before(&self, keys: &[SegmentSortKey<'_>], document: usize) -> bool {
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

/// Compares two records by their cursors.
pub(crate) fn compare_cursors(sort: &[SortKey], one: &Cursor, two: &Cursor) -> Ordering {
    let keys = sort.iter().zip(one.values.iter().zip(&two.values));
    let by_keys = keys.map(|(key, (one, two))| match (one, two) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) if key.missing == MissingOrder::First => Ordering::Less,
        (Some(_), None) if key.missing == MissingOrder::Last => Ordering::Less,
        (None, _) | (_, None) => Ordering::Greater,
        (Some(one), Some(two)) => match key.order {
            SortOrder::Ascending => one.cmp(two),
            SortOrder::Descending => two.cmp(one),
        },
    });
    by_keys.fold(Ordering::Equal, Ordering::then).then_with(|| one.id.cmp(&two.id))
}
