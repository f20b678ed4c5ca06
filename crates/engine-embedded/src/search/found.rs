//! What the filters of one request find.
//!
//! A request has several filters, and they are much alike: a facet that leaves its own filter out has all the other
//! conditions of the page. So each condition is evaluated once for each segment, when it is first needed, whoever asks
//! for it; and where the cheap conditions leave few documents, the costly ones are tested on these alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cantata_engine::EngineError;
use cantata_engine::{FacetAnswer, Filter, HitsAnswer, Plan};

use super::{Matches, facet, filter, hits, rowwise};
use crate::bitset::Bitset;
use crate::snapshot::{Snapshot, View};

/// Documents are few if there are so many times as many.
const FEW_OF: usize = 8;

/// A condition on the rows of one level of one segment.
type Condition<'a> = (usize, usize, &'a Filter);

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
    pub(super) fn page(&self, place: usize) -> HitsAnswer {
        let request = &self.plan.hits[place];
        hits::page(self.snapshot, request, self.by(request.filter))
    }

    /// Answers a facet.
    ///
    /// # Errors
    ///
    /// If it asks for more than a request may have.
    pub(super) fn facet(&'a self, place: usize) -> Result<FacetAnswer, EngineError> {
        facet::answer(self, &self.plan.facets[place])
    }

    /// Returns what a filter finds in each segment, by its place in the plan.
    pub(super) fn by(&self, filter: usize) -> &[Matches] {
        self.matches[filter].get_or_init(|| {
            let views = self.snapshot.views.iter().enumerate();
            views.map(|(segment, view)| self.matches(segment, view, &self.plan.filters[filter])).collect()
        })
    }

    /// Returns the elements of a level that pass a filter; where few documents matter, only theirs.
    pub(super) fn elements(&self, segment: usize, filter: &'a Filter, level: usize, matches: &Matches) -> Arc<Bitset> {
        let view = &self.snapshot.views[segment];
        if matches.count * FEW_OF < view.segment.documents() {
            return Arc::new(rowwise::evaluate(&view.segment, filter, level, &matches.documents));
        }
        self.rows(segment, filter, level)
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

    fn rows(&self, segment: usize, condition: &'a Filter, level: usize) -> Arc<Bitset> {
        let mut known = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = Arc::clone(known.entry((segment, level, condition)).or_default());
        drop(known);
        let evaluate = || Arc::new(filter::evaluate(&self.snapshot.views[segment].segment, condition, level));
        Arc::clone(cell.get_or_init(evaluate))
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
