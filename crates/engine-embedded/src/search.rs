//! Running plans on a snapshot.
//!
//! What was asked of the snapshot before is not found again; the rest shares the sets of documents that its filters
//! find, and facets over many documents are counted on several processors.

mod answered;
mod buckets;
mod counting;
mod documents;
mod export;
mod facet;
mod filter;
mod found;
mod global;
mod hits;
mod order;
mod rowwise;
mod spread;
mod texts;
mod walking;

pub(crate) use answered::Answered;
pub(crate) use documents::documents_of;
pub(crate) use export::Export;
pub(crate) use global::GlobalDictionary;

use cantata_engine::{Answer, EngineError, FacetAnswer, Filter, HitsRequest, Plan};

use self::found::Found;
use self::spread::spread;

use crate::bitset::Bitset;
use crate::snapshot::{Snapshot, View};
use crate::turns::Interest;

/// Facets that look at fewer documents altogether are counted before another thread could help.
const MANY_DOCUMENTS: usize = 20_000;

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
/// If it asks for more than a request may have, if documents cannot be read, or if nobody wants the answer any more.
pub(crate) fn run(snapshot: &Snapshot, plan: &Plan, interest: &Interest) -> Result<Answer, EngineError> {
    let found = Found::new(snapshot, plan);
    let Answered { pages, facets } = &snapshot.answered;
    let page = |(place, request): (usize, &HitsRequest)| {
        interest.check()?;
        let question = plan.of_page(place);
        let page = pages.get(&question).unwrap_or_else(|| {
            let page = found.page(place);
            pages.keep(question, &page);
            page
        });
        page.with_documents(snapshot, request)
    };
    let hits = plan.hits.iter().enumerate().map(page).collect::<Result<_, _>>()?;
    let mut answers: Vec<Option<FacetAnswer>> = Vec::with_capacity(plan.facets.len());
    let mut missing = Vec::new();
    for place in 0..plan.facets.len() {
        let question = plan.of_facet(place);
        answers.push(facets.get(&question));
        if answers[place].is_none() {
            missing.push((place, question));
        }
    }
    let facet = |number: usize| {
        interest.check()?;
        found.facet(missing[number].0)
    };
    // Counts of all records are stored.
    let is_counted = |place: &usize| plan.filters[plan.facets[*place].filter] != Filter::All;
    let places = missing.iter().map(|(place, _)| *place).filter(is_counted);
    let documents: usize = places.map(|place| found.documents_of_facet(place)).sum();
    let counted = match documents >= MANY_DOCUMENTS {
        true => spread(missing.len(), facet),
        false => (0..missing.len()).map(facet).collect(),
    };
    for ((place, question), answer) in missing.into_iter().zip(counted) {
        let answer = answer?;
        // Documents may be of any size.
        if plan.facets[place].top_hits.is_none() {
            facets.keep(question, &answer);
        }
        answers[place] = Some(answer);
    }
    Ok(Answer { hits, facets: answers.into_iter().flatten().collect() })
}
