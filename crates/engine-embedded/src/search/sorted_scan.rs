//! Sorted scan: finding the first documents by visiting the values of the first sort key in order.
//!
//! Where a field has many different values and the filter matches many documents, the first ones are found after a few
//! values, and a cursor is found by binary search: a page costs the same at any depth. Where values have many documents
//! each, or few documents match, a heap over all matches is better.

use cantata_engine::{MissingOrder, SortOrder};

use super::match_sets::MatchSet;
use super::sort::{SearchAfter, SegmentSortKey};
use crate::segment::{PostingList, Segment};

/// The cost of going to a value and its postings, in documents of a heap scan.
const VALUE_COST_DOCUMENTS: usize = 8;

/// Returns the first matching rows in order, if this is expected to be faster than a heap over all matches. Where filter
/// and order correlate it may turn out not to be, and is given up.
pub(super) fn first_rows(
    segment: &Segment,
    keys: &[SegmentSortKey<'_>],
    matches: &MatchSet,
    after: Option<&SearchAfter>,
    limit: usize,
) -> Option<Vec<usize>> {
    let first = keys.first()?;
    let field = first.single_valued_field()?;
    let values = field.dictionary.len();
    let documents = segment.document_count();
    if values == 0 || matches.count == 0 {
        return None;
    }
    // Each value has `documents / values` documents, of which `count / documents` match.
    let matches_per_value = (matches.count as f64 / values as f64).min(1.0);
    let cost = limit as f64 / matches_per_value * VALUE_COST_DOCUMENTS as f64 + documents as f64 / values as f64;
    if cost > matches.count as f64 {
        return None;
    }
    let mut scan = SortedScan { keys, matches, after, limit, rows: Vec::new(), budget: matches.count / 2 };
    let missing = field.postings.rows(field.column.missing);
    // Documents without value have the rank zero here; a cursor after them excludes them.
    if first.missing == MissingOrder::First && after.is_none_or(|after| after.first_rank() == 0) {
        scan.visit(missing);
    }
    let from = after.map_or(0, |after| first.ordinal_after(after.first_rank(), values as u32));
    match first.order {
        SortOrder::Ascending => {
            (from..values as u32).take_while(|&ordinal| scan.visit(field.postings.rows(ordinal))).for_each(drop);
        }
        SortOrder::Descending => {
            let to = if after.is_some() { from } else { values as u32 };
            (0..to).rev().take_while(|&ordinal| scan.visit(field.postings.rows(ordinal))).for_each(drop);
        }
    }
    if first.missing == MissingOrder::Last {
        scan.visit(missing);
    }
    if scan.budget == 0 {
        return None;
    }
    scan.rows.truncate(limit);
    Some(scan.rows)
}

struct SortedScan<'a> {
    keys: &'a [SegmentSortKey<'a>],
    matches: &'a MatchSet,
    after: Option<&'a SearchAfter>,
    limit: usize,
    rows: Vec<usize>,
    /// How many more values and documents are visited before the scan is given up.
    budget: usize,
}

impl SortedScan<'_> {
    /// Adds the matching documents of a value, in the order of the other keys; returns whether more are needed.
    fn visit(&mut self, postings: PostingList<'_>) -> bool {
        self.budget = self.budget.saturating_sub(1);
        if self.rows.len() >= self.limit || self.budget == 0 {
            return false;
        }
        let start = self.rows.len();
        let is_ordered = self.keys.len() == 1;
        postings.for_each(|row| {
            self.budget = self.budget.saturating_sub(1);
            let is_after = || self.after.is_none_or(|after| after.is_before(self.keys, row));
            if self.matches.documents.contains(row) && is_after() {
                self.rows.push(row);
            }
            // Rows are in the order of ids, so without other keys no later one can come before.
            (!is_ordered || self.rows.len() < self.limit) && self.budget > 0
        });
        if !is_ordered {
            let others = &self.keys[1..];
            self.rows[start..].sort_by_cached_key(|&row| others.iter().map(|key| key.rank(row)).collect::<Vec<u64>>());
        }
        self.rows.len() < self.limit
    }
}
