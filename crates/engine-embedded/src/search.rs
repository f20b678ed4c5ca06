//! Running plans on a snapshot.
//!
//! The filters of a plan are evaluated once for each segment; hits and facets then share the sets of documents.

mod buckets;
mod counting;
mod export;
mod facet;
mod filter;
mod global;
mod hits;
mod order;
mod rowwise;
mod texts;
mod walking;

pub(crate) use export::Export;
pub(crate) use global::GlobalDictionary;
pub(crate) use hits::document_of;

use cantata_engine::{Answer, EngineError, Filter, Plan};

use crate::bitset::Bitset;
use crate::snapshot::{Snapshot, View};

/// The documents of one segment that pass a filter and are still there.
pub(crate) struct Matches {
    pub(crate) documents: Bitset,
    pub(crate) count: usize,
}

impl Matches {
    pub(crate) fn new(view: &View, filter: &Filter) -> Self {
        let mut documents = filter::evaluate(&view.segment, filter, 0);
        if let Some(live) = &view.live {
            documents.intersect(live);
        }
        let count = documents.count();
        Self { documents, count }
    }
}

/// Runs a plan.
///
/// # Errors
///
/// If it asks for more than a request may have.
pub(crate) fn run(snapshot: &Snapshot, plan: &Plan) -> Result<Answer, EngineError> {
    let matches: Vec<Vec<Matches>> = plan
        .filters
        .iter()
        .map(|filter| snapshot.views.iter().map(|view| Matches::new(view, filter)).collect())
        .collect();
    let hits = plan.hits.iter().map(|request| hits::page(snapshot, request, &matches[request.filter])).collect();
    let facets = plan.facets.iter().map(|request| facet::answer(snapshot, request, &matches));
    Ok(Answer { hits, facets: facets.collect::<Result<_, _>>()? })
}
