//! What the filters of one request find.
//!
//! A request has several filters, and they are much alike: a facet that leaves its own filter out has all the other
//! conditions of the page. So each condition is evaluated once for each segment, when it is first needed, whoever asks
//! for it; and where the cheap conditions leave few documents, the costly ones are tested on these alone.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cantata_engine::{EngineError, FacetAnswer, Filter, Plan};
use hashbrown::HashMap;

use super::hits::Page;
use super::{Matches, facet, filter, rowwise};
use crate::bitset::Bitset;
use crate::snapshot::{Snapshot, View};

/// Documents are few if there are so many times as many.
const FEW_OF: usize = 8;

/// Documents are so few that it is not even worth putting the rows of values together.
const VERY_FEW_OF: usize = 128;

/// A condition on the rows of one level of one segment.
#[derive(PartialEq, Eq, Hash)]
struct Condition<'a> {
    segment: usize,
    level: usize,
    filter: &'a Filter,
    /// The filter of the records whose rows alone are taken, by its place in the plan; nothing: all are.
    of_records: Option<usize>,
}

/// What the filters of a plan find, as far as somebody wants to know.
pub(super) struct Found<'a> {
    pub(super) snapshot: &'a Snapshot,
    plan: &'a Plan,
    /// For each filter, what it finds in each segment.
    matches: Vec<OnceLock<Vec<Matches>>>,
    rows: Mutex<HashMap<Condition<'a>, Arc<OnceLock<Arc<Bitset>>>>>,
}

impl<'a> Found<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, plan: &'a Plan) -> Self {
        let matches = plan.filters.iter().map(|_| OnceLock::new()).collect();
        Self { snapshot, plan, matches, rows: Mutex::default() }
    }

    /// Finds a page.
    pub(super) fn page(&self, place: usize) -> Page {
        let request = &self.plan.hits[place];
        Page::find(self.snapshot, request, self.by(request.filter))
    }

    /// Answers a facet.
    ///
    /// # Errors
    ///
    /// If it asks for more than a request may have, or if documents cannot be read.
    pub(super) fn facet(&self, place: usize) -> Result<FacetAnswer, EngineError> {
        facet::answer(self, &self.plan.facets[place])
    }

    /// Returns what a filter finds in each segment, by its place in the plan.
    pub(super) fn by(&self, filter: usize) -> &[Matches] {
        self.matches[filter].get_or_init(|| {
            let views = self.snapshot.views.iter().enumerate();
            views.map(|(segment, view)| self.matches(segment, view, &self.plan.filters[filter])).collect()
        })
    }

    /// Returns how many documents there are to look at for a facet.
    pub(super) fn documents_of_facet(&self, place: usize) -> usize {
        self.by(self.plan.facets[place].filter).iter().map(|matches| matches.count).sum()
    }

    /// Returns the elements of a level that pass a filter and belong to the records that another one finds, which is
    /// given by its place in the plan.
    pub(super) fn elements(&self, segment: usize, level: usize, filter: &'a Filter, of_records: usize) -> Arc<Bitset> {
        let (segment_of, matches) = (&self.snapshot.views[segment].segment, &self.by(of_records)[segment]);
        let few_of = if is_found_by_value(filter) { VERY_FEW_OF } else { FEW_OF };
        let condition = Condition { segment, level, filter, of_records: Some(of_records) };
        self.remembered(condition, || {
            if matches.count * few_of < segment_of.documents() {
                return rowwise::evaluate(segment_of, filter, level, &matches.documents);
            }
            let mut elements = Bitset::clone(&self.rows(segment, filter, level));
            elements.intersect(&self.elements_of_records(segment, level, of_records));
            elements
        })
    }

    /// Returns the elements of a level that belong to the records that a filter finds.
    fn elements_of_records(&self, segment: usize, level: usize, of_records: usize) -> Arc<Bitset> {
        let (segment_of, matches) = (&self.snapshot.views[segment].segment, &self.by(of_records)[segment]);
        let condition = Condition { segment, level, filter: &Filter::All, of_records: Some(of_records) };
        self.remembered(condition, || rowwise::rows_of(segment_of, level, &matches.documents))
    }

    fn matches(&self, segment: usize, view: &View, filter: &'a Filter) -> Matches {
        let conditions = match filter {
            Filter::And(parts) => parts,
            single => std::slice::from_ref(single),
        };
        let (cheap, costly): (Vec<&Filter>, Vec<&Filter>) = conditions.iter().partition(|part| rows_tested(part) == 0);
        let mut sets = cheap.into_iter().map(|condition| self.rows(segment, condition, 0));
        let everything = || Bitset::full(view.segment.documents());
        let mut documents = sets.next().map_or_else(everything, Arc::unwrap_or_clone);
        sets.for_each(|set| documents.intersect(&set));
        if let Some(live) = &view.live {
            documents.intersect(live);
        }
        let mut count = documents.count();
        for condition in costly {
            if count * rows_tested(condition) < view.segment.documents() {
                documents = rowwise::narrow(&view.segment, condition, &documents);
            } else {
                documents.intersect(&self.rows(segment, condition, 0));
            }
            count = documents.count();
        }
        Matches { documents, count }
    }

    fn rows(&self, segment: usize, filter: &'a Filter, level: usize) -> Arc<Bitset> {
        let condition = Condition { segment, level, filter, of_records: None };
        self.remembered(condition, || filter::evaluate(&self.snapshot.views[segment].segment, filter, level))
    }

    fn remembered(&self, condition: Condition<'a>, evaluate: impl FnOnce() -> Bitset) -> Arc<Bitset> {
        let mut known = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = Arc::clone(known.entry(condition).or_default());
        drop(known);
        Arc::clone(cell.get_or_init(|| Arc::new(evaluate())))
    }
}

/// Returns whether a condition on elements is found by putting the rows of values together.
fn is_found_by_value(condition: &Filter) -> bool {
    match condition {
        Filter::All | Filter::None | Filter::Terms { .. } | Filter::Exists { .. } => true,
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(is_found_by_value),
        Filter::Not(inner) => is_found_by_value(inner),
        _ => false,
    }
}

/// Returns how many rows can be looked at for a condition in the time that the test of one document takes; none if it
/// is found by the rows of its values.
fn rows_tested(condition: &Filter) -> usize {
    match condition {
        Filter::Range { .. } => 64,
        Filter::Nested { inner, .. } if !matches!(**inner, Filter::Terms { .. }) => FEW_OF,
        _ => 0,
    }
}
