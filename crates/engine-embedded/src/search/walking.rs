//! Finding the first documents by walking the values of the first sort key in order.
//!
//! Where a field has many different values and the filter lets many documents pass, the first ones are found after a
//! few values, and a cursor is found by bisection: a page costs the same wherever it lies. Where values have many
//! documents each, or few documents pass, looking at every document is better.

use cantata_engine::{Missing, SortOrder};

use super::Matches;
use super::order::{SegmentKey, Threshold};
use crate::segment::{Rows, Segment};

/// Going to a value and its documents costs about as much as looking at so many documents.
const STEP: usize = 8;

/// Returns the first documents in order, if walking finds them faster than looking at every document. Where the filter
/// and the order have to do with each other it may not, and is given up.
pub(super) fn first_documents(
    segment: &Segment,
    keys: &[SegmentKey<'_>],
    matches: &Matches,
    after: Option<&Threshold>,
    wanted: usize,
) -> Option<Vec<usize>> {
    let first = keys.first()?;
    let field = first.walkable()?;
    let values = field.dictionary.len();
    let rows = segment.documents();
    if values == 0 || matches.count == 0 {
        return None;
    }
    // Each value has `rows / values` documents, of which `count / rows` pass.
    let found_by_value = (matches.count as f64 / values as f64).min(1.0);
    let walked = wanted as f64 / found_by_value * STEP as f64 + rows as f64 / values as f64;
    if walked > matches.count as f64 {
        return None;
    }
    let mut walk = Walk { keys, matches, after, wanted, found: Vec::new(), patience: matches.count / 2 };
    let missing = field.postings.rows(field.column.missing);
    // Documents without value have the rank zero here; a cursor beyond them leaves them behind.
    if first.missing() == Missing::First && after.is_none_or(|after| after.first_rank() == 0) {
        walk.take(missing);
    }
    let from = after.map_or(0, |after| first.code_after(after.first_rank(), values as u32));
    match first.order() {
        SortOrder::Ascending => {
            (from..values as u32).take_while(|&code| walk.take(field.postings.rows(code))).for_each(drop);
        }
        SortOrder::Descending => {
            let to = if after.is_some() { from } else { values as u32 };
            (0..to).rev().take_while(|&code| walk.take(field.postings.rows(code))).for_each(drop);
        }
    }
    if first.missing() == Missing::Last {
        walk.take(missing);
    }
    if walk.patience == 0 {
        return None;
    }
    walk.found.truncate(wanted);
    Some(walk.found)
}

struct Walk<'a> {
    keys: &'a [SegmentKey<'a>],
    matches: &'a Matches,
    after: Option<&'a Threshold>,
    wanted: usize,
    found: Vec<usize>,
    /// How many more values and documents are looked at before the walk is given up.
    patience: usize,
}

impl Walk<'_> {
    /// Takes the documents of a value, in the order of the other keys; returns whether more are wanted.
    fn take(&mut self, rows: Rows<'_>) -> bool {
        self.patience = self.patience.saturating_sub(1);
        if self.found.len() >= self.wanted || self.patience == 0 {
            return false;
        }
        let start = self.found.len();
        let is_ordered = self.keys.len() == 1;
        rows.for_each(|row| {
            self.patience = self.patience.saturating_sub(1);
            let is_after = || self.after.is_none_or(|after| after.is_before(self.keys, row));
            if self.matches.documents.contains(row) && is_after() {
                self.found.push(row);
            }
            // Rows are in the order of ids, so without other keys no later one can come before.
            (!is_ordered || self.found.len() < self.wanted) && self.patience > 0
        });
        if !is_ordered {
            let others = &self.keys[1..];
            self.found[start..].sort_by_cached_key(|&row| others.iter().map(|key| key.rank(row)).collect::<Vec<u64>>());
        }
        self.found.len() < self.wanted
    }
}
