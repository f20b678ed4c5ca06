//! Which searches are short: they load few records, and count no facet over many.
//!
//! A record, a page that was asked for before, and the names that appear while somebody types take a fraction of the time of
//! a page with new facets. They must not wait for such pages ([`crate::permits`]), so this is decided before a search waits,
//! by a few look-ups on the thread of the caller. It only decides which searches a search waits for: a wrong guess costs
//! time, and never changes the answer.

use std::cell::Cell;
use std::collections::BTreeSet;

use cantata_engine::{Filter, SearchPlan};
use cantata_mapping::{RECORD_ID, TypedValue};

use crate::segment::SegmentField;
use crate::snapshot::{QueryCache, Snapshot};
use crate::value_encoding::ValueClass;

/// The most records that the pages of a short search have or skip, and that each of its facets is counted over.
const MAX_RECORDS: usize = 1000;

/// The most values that are looked up in the segments to find out. Of a long filter some parts are enough.
const MAX_LOOK_UPS: usize = 64;

/// Returns whether a search is short.
pub(crate) fn is_short(snapshot: &Snapshot, plan: &SearchPlan) -> bool {
    let rows = plan.hits.iter().fold(0_usize, |rows, page| rows.saturating_add(page.offset).saturating_add(page.size));
    let estimate = MatchEstimate { snapshot, look_ups: Cell::new(MAX_LOOK_UPS) };
    let is_cached = |index| {
        let key = QueryCache::facet_key(plan, index);
        key.is_some_and(|key| snapshot.query_cache.facets.contains(&key))
    };
    // Most facets of a page share a filter, which is looked up once.
    let mut few_matches = BTreeSet::new();
    rows <= MAX_RECORDS
        && plan.facets.iter().enumerate().all(|(index, facet)| {
            let has_few = || estimate.has_few_matches(&plan.filters[facet.filter]);
            few_matches.contains(&facet.filter) || is_cached(index) || (has_few() && few_matches.insert(facet.filter))
        })
}

/// An upper bound on the number of records that match a filter, as far as look-ups of values show one.
struct MatchEstimate<'a> {
    snapshot: &'a Snapshot,
    /// How many values may still be looked up.
    look_ups: Cell<usize>,
}

impl MatchEstimate<'_> {
    /// Returns whether few records match a filter; false is uncertain.
    fn has_few_matches(&self, filter: &Filter) -> bool {
        match filter {
            Filter::None => true,
            Filter::And(parts) => parts.iter().any(|part| self.has_few_matches(part)),
            Filter::Nested { inner, .. } => self.has_few_matches(inner),
            Filter::Terms { field, values } if field == RECORD_ID => values.len() <= MAX_RECORDS,
            Filter::Terms { field, values } => self.has_few_rows(field, values),
            _ => false,
        }
    }

    /// Returns whether few rows have one of some values.
    fn has_few_rows(&self, field: &str, values: &[TypedValue]) -> bool {
        let segments = &self.snapshot.segments;
        let Some(left) = self.look_ups.get().checked_sub(values.len().saturating_mul(segments.len())) else {
            return false;
        };
        self.look_ups.set(left);
        let mut rows = 0;
        segments.iter().filter_map(|reader| reader.segment.field(field)).all(|field| {
            rows += count_rows(&field, values);
            // Texts are found by their words too.
            field.class != ValueClass::Text && rows <= MAX_RECORDS
        })
    }
}

fn count_rows(field: &SegmentField<'_>, values: &[TypedValue]) -> usize {
    let ordinals = values.iter().filter_map(|value| field.dictionary.find(value).ok());
    ordinals.map(|ordinal| field.postings.count(ordinal)).sum()
}
