//! Match sets: the documents that the filters of a plan match.
//!
//! The filters of one plan are much alike: a facet that leaves its own filter out has all the other conditions of the
//! page. So each condition that is not stored is evaluated once for each segment, when it is first needed; and where
//! the cheap conditions leave few documents, the expensive ones are tested on these rows alone.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cantata_engine::{AncestorFilter, FacetRequest, Filter, SearchPlan};
use hashbrown::HashMap;

use super::search_budget::SearchBudget;
use super::stored_rows::{StoredRows, stored_rows};
use super::{filter, map_parallel, row_filter};
use crate::bitset::Bitset;
use crate::cancellation::CancellationToken;
use crate::segment::Segment;
use crate::segment_reader::SegmentReader;
use crate::snapshot::Snapshot;

/// A row filter tests the elements of the matching records if there are this many times as many records in the segment.
const ROW_FILTER_RATIO: usize = 8;

/// The same for conditions that are unions of postings, which are cheap.
const POSTINGS_ROW_FILTER_RATIO: usize = 128;

/// The cost of testing a document by a range, in rows of a column scan.
const RANGE_TEST_COST_ROWS: usize = 64;

/// The live documents of one segment that match a filter.
pub(crate) struct MatchSet {
    pub(crate) documents: Bitset,
    pub(crate) count: usize,
}

impl MatchSet {
    pub(crate) fn new(reader: &SegmentReader, filter: &Filter, cancellation: &CancellationToken) -> Self {
        let mut documents = filter::evaluate(&reader.segment, filter, 0, cancellation);
        if let Some(live) = &reader.live_docs {
            documents.intersect_with(live);
        }
        let count = documents.count();
        Self { documents, count }
    }
}

/// A condition on the rows of one nesting level of one segment.
#[derive(PartialEq, Eq, Hash)]
struct BitmapKey<'a> {
    segment: usize,
    level: usize,
    filter: &'a Filter,
    /// The level that the filter is read at: that of the rows, or one above it that they lie in.
    read_at: usize,
    /// The filter of the plan whose records' rows alone are in the bitmap; nothing: all are.
    records: Option<usize>,
}

/// The match sets of a plan, computed when first needed; they are incomplete if the search was cancelled.
pub(super) struct PlanMatchSets<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) cancellation: &'a CancellationToken,
    /// The memory that the answer to the plan may take.
    pub(super) budget: SearchBudget,
    plan: &'a SearchPlan,
    /// For each filter of the plan, the match set of each segment.
    by_filter: Vec<OnceLock<Vec<MatchSet>>>,
    /// The same as lists of documents, where these are few.
    lists_by_filter: Vec<OnceLock<Vec<Vec<u32>>>>,
    bitmaps: Mutex<HashMap<BitmapKey<'a>, Arc<OnceLock<Arc<Bitset>>>>>,
}

impl<'a> PlanMatchSets<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, plan: &'a SearchPlan, cancellation: &'a CancellationToken) -> Self {
        let by_filter = plan.filters.iter().map(|_| OnceLock::new()).collect();
        let lists_by_filter = plan.filters.iter().map(|_| OnceLock::new()).collect();
        let budget = SearchBudget::default();
        Self { snapshot, cancellation, budget, plan, by_filter, lists_by_filter, bitmaps: Mutex::default() }
    }

    /// Returns a filter of the plan.
    pub(super) fn filter(&self, filter: usize) -> &'a Filter {
        &self.plan.filters[filter]
    }

    /// Returns the match sets of a filter of the plan, one for each segment.
    pub(super) fn of_filter(&self, filter: usize) -> &[MatchSet] {
        self.by_filter[filter].get_or_init(|| {
            let (readers, filter) = (&self.snapshot.segments, &self.plan.filters[filter]);
            let match_set = |segment: usize| self.match_set(segment, &readers[segment], filter);
            match walks_dictionaries(filter) {
                true => map_parallel(readers.len(), match_set),
                false => (0..readers.len()).map(match_set).collect(),
            }
        })
    }

    /// Returns the documents that a filter of the plan matches, one list for each segment, in order.
    pub(super) fn lists_of_filter(&self, filter: usize) -> &[Vec<u32>] {
        let list = |matches: &MatchSet| {
            let mut documents = Vec::with_capacity(matches.count);
            matches.documents.for_each(|document| documents.push(document as u32));
            documents
        };
        self.lists_by_filter[filter].get_or_init(|| self.of_filter(filter).iter().map(list).collect())
    }

    /// Returns the elements that a facet counts, at the level of its field.
    pub(super) fn elements(&self, segment: usize, level: usize, request: &'a FacetRequest) -> Arc<Bitset> {
        let within = &self.snapshot.segments[segment].segment;
        let own = self.elements_of(segment, level, &request.elements, request.filter);
        if request.ancestors.is_empty() {
            return own;
        }
        let matching = self.of_filter(request.filter)[segment].count;
        let mut elements = Bitset::clone(&own);
        for AncestorFilter { path, filter } in &request.ancestors {
            // The own elements are of the records already. Where these are many, all facets share one bitmap.
            let is_few = matching * row_filter_ratio(filter) < within.document_count();
            self.keep_within(&mut elements, segment, level, (path, filter), is_few.then_some(request.filter));
        }
        Arc::new(elements)
    }

    /// Returns the elements of any record that a facet counts, at the level of its field.
    pub(super) fn elements_of_all_records(&self, segment: usize, level: usize, request: &'a FacetRequest) -> Bitset {
        let mut elements = Bitset::clone(&self.rows(segment, &request.elements, level));
        for AncestorFilter { path, filter } in &request.ancestors {
            self.keep_within(&mut elements, segment, level, (path, filter), None);
        }
        elements
    }

    /// Removes the elements that do not lie in one of a level above that passes a filter. The filter is evaluated on the
    /// records of a filter of the plan, if one is given.
    fn keep_within(
        &self,
        elements: &mut Bitset,
        segment: usize,
        level: usize,
        (path, filter): (&str, &'a Filter),
        records: Option<usize>,
    ) {
        let within = &self.snapshot.segments[segment].segment;
        // A segment that has elements has those around them.
        let Some(outer) = within.level_of(path) else { return };
        let key = BitmapKey { segment, level, filter, read_at: outer, records };
        let around = self.memoize(key, || {
            let outer_rows = match records {
                Some(records) => self.elements_of(segment, outer, filter, records),
                None => self.rows(segment, filter, outer),
            };
            filter::lower(within, &outer_rows, outer, level)
        });
        elements.intersect_with(&around);
    }

    /// Returns the elements of a level that match a filter and belong to the records of a filter of the plan.
    fn elements_of(&self, segment: usize, level: usize, filter: &'a Filter, records: usize) -> Arc<Bitset> {
        let (matches, within) = (&self.of_filter(records)[segment], &self.snapshot.segments[segment].segment);
        let key = |filter| BitmapKey { segment, level, filter, read_at: level, records: Some(records) };
        let of_records = || self.memoize(key(&Filter::All), || row_filter::rows_of(within, level, &matches.documents));
        if *filter == Filter::All {
            return of_records();
        }
        self.memoize(key(filter), || {
            if matches.count * row_filter_ratio(filter) < within.document_count() {
                return row_filter::evaluate(within, filter, level, &matches.documents, self.cancellation);
            }
            let mut elements = Bitset::clone(&self.rows(segment, filter, level));
            elements.intersect_with(&of_records());
            elements
        })
    }

    fn match_set(&self, segment: usize, reader: &SegmentReader, filter: &'a Filter) -> MatchSet {
        let conditions = match filter {
            Filter::And(parts) => parts,
            // No other filter has a part of it.
            single if self.plan.filters.len() == 1 => return MatchSet::new(reader, single, self.cancellation),
            single => std::slice::from_ref(single),
        };
        let within = &reader.segment;
        let mut documents: Option<Bitset> = None;
        let mut keep = |words: &[u64]| match &mut documents {
            Some(documents) => documents.intersect_words(words),
            none => *none = Some(Bitset::from_words(words, within.document_count())),
        };
        let mut expensive = Vec::new();
        for condition in conditions {
            match stored_rows(within, condition) {
                Some(StoredRows::All) => {}
                Some(StoredRows::Bitmap(words)) => keep(words),
                None => match test_cost_rows(within, condition) {
                    0 => keep(self.rows(segment, condition, 0).words()),
                    cost => expensive.push((condition, cost)),
                },
            }
        }
        if let Some(live) = &reader.live_docs {
            keep(live.words());
        }
        let mut documents = documents.unwrap_or_else(|| Bitset::full(within.document_count()));
        let mut count = documents.count();
        for (condition, cost) in expensive {
            if count * cost < within.document_count() {
                row_filter::narrow(within, condition, &mut documents, self.cancellation);
            } else {
                documents.intersect_with(&self.rows(segment, condition, 0));
            }
            count = documents.count();
        }
        MatchSet { documents, count }
    }

    fn rows(&self, segment: usize, filter: &'a Filter, level: usize) -> Arc<Bitset> {
        let key = BitmapKey { segment, level, filter, read_at: level, records: None };
        let within = &self.snapshot.segments[segment].segment;
        self.memoize(key, || filter::evaluate(within, filter, level, self.cancellation))
    }

    fn memoize(&self, key: BitmapKey<'a>, evaluate: impl FnOnce() -> Bitset) -> Arc<Bitset> {
        let bytes = self.snapshot.segments[key.segment].segment.level(key.level).rows.div_ceil(8);
        let mut known = self.bitmaps.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known.get(&key).cloned();
        let cell = kept.or_else(|| self.budget.keep(bytes).then(|| Arc::clone(known.entry(key).or_default())));
        drop(known);
        match cell {
            Some(cell) => Arc::clone(cell.get_or_init(|| Arc::new(evaluate()))),
            None => Arc::new(evaluate()),
        }
    }
}

/// Returns whether a filter looks at so many values of each segment that the segments are searched in parallel. Patterns share
/// the values of each segment over the processors themselves.
fn walks_dictionaries(filter: &Filter) -> bool {
    match filter {
        Filter::Fuzzy { .. } => true,
        Filter::And(parts) | Filter::Or(parts) => parts.iter().any(walks_dictionaries),
        Filter::Not(inner) | Filter::Nested { inner, .. } => walks_dictionaries(inner),
        _ => false,
    }
}

/// Returns how many times as many records as match a segment has where testing their elements one by one is cheaper.
fn row_filter_ratio(condition: &Filter) -> usize {
    if is_union_of_postings(condition) { POSTINGS_ROW_FILTER_RATIO } else { ROW_FILTER_RATIO }
}

/// Returns whether a condition on elements is evaluated by combining postings alone.
fn is_union_of_postings(condition: &Filter) -> bool {
    match condition {
        Filter::All | Filter::None | Filter::Terms { .. } | Filter::Exists { .. } => true,
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(is_union_of_postings),
        Filter::Not(inner) => is_union_of_postings(inner),
        _ => false,
    }
}

/// Returns the cost of testing one document, in rows of a column scan; zero if postings answer the condition.
fn test_cost_rows(segment: &Segment, condition: &Filter) -> usize {
    match condition {
        Filter::Range { field, range } if !filter::has_all_values(segment, field, range) => RANGE_TEST_COST_ROWS,
        Filter::Nested { inner, .. } if !matches!(**inner, Filter::Terms { .. }) => ROW_FILTER_RATIO,
        _ => 0,
    }
}
