//! Running plans on a snapshot.
//!
//! Pages and facets in the query cache are not computed again; the others share the match sets of the plan's filters, and
//! facets over many documents are counted in parallel. A search that is short ([`short_search`]) need not be moved to
//! another thread.

mod buckets;
mod cached_postings;
mod dictionary_scan;
mod export;
mod facet;
mod facet_counts;
mod few_records;
mod filter;
mod fuzzy_walk;
mod hits;
mod match_sets;
mod number_stats;
mod pattern_search;
mod prefix_ranges;
mod ranges;
mod relevance;
mod row_filter;
mod search_budget;
mod short_search;
mod sort;
mod sorted_scan;
mod stored_rows;
mod term_matching;
mod thread_pool;

pub(crate) use export::ExportScan;
pub use search_budget::set_max_search_bytes;
pub(crate) use short_search::is_small;
pub(crate) use thread_pool::map_parallel;

use std::sync::Arc;

use cantata_engine::{EngineError, FacetResult, Filter, SearchPlan, SearchResponse};

use self::match_sets::PlanMatchSets;
use self::relevance::Relevance;
use crate::cancellation::CancellationToken;
use crate::snapshot::{HitsPage, QueryCache, Snapshot};

/// Facets over fewer documents in all are counted on the calling thread, before another one could wake up.
const MIN_PARALLEL_DOCUMENTS: usize = 20_000;

/// A search that was not run yet: a plan, and what the query cache has of it.
pub(crate) struct Search {
    snapshot: Arc<Snapshot>,
    plan: Arc<SearchPlan>,
    pages: Vec<CacheLookup<HitsPage>>,
    facets: Vec<CacheLookup<FacetResult>>,
}

/// What the cache has under a key; there is no key if the plan is too large to be kept.
struct CacheLookup<R> {
    key: Option<SearchPlan>,
    cached: Option<R>,
}

impl Search {
    /// Looks up a plan in the query cache of a snapshot.
    pub(crate) fn new(snapshot: Arc<Snapshot>, plan: Arc<SearchPlan>) -> Self {
        let QueryCache { pages, facets } = &snapshot.query_cache;
        let page = |index: usize| {
            let key = QueryCache::page_key(&plan, index);
            CacheLookup { cached: key.as_ref().and_then(|key| pages.get(key)), key }
        };
        let facet = |index: usize| {
            let key = QueryCache::facet_key(&plan, index);
            CacheLookup { cached: key.as_ref().and_then(|key| facets.get(key)), key }
        };
        let (pages, facets) = ((0..plan.hits.len()).map(page).collect(), (0..plan.facets.len()).map(facet).collect());
        Self { snapshot, plan, pages, facets }
    }

    /// Runs the search.
    ///
    /// # Errors
    ///
    /// If it exceeds a limit of the engine, if documents cannot be read, or if the search was cancelled.
    pub(crate) fn run(self, cancellation: &CancellationToken) -> Result<SearchResponse, EngineError> {
        let Self { snapshot, plan, pages, facets } = self;
        let match_sets = PlanMatchSets::new(&snapshot, &plan, cancellation);
        let mut hits = Vec::with_capacity(pages.len());
        for (request, CacheLookup { key, cached }) in plan.hits.iter().zip(pages) {
            cancellation.check()?;
            let page = match cached {
                Some(page) => page,
                None => {
                    let score = request.score.filter(|_| request.size > 0);
                    let relevance = score.map(|score| Relevance::new(&match_sets, score));
                    let matches = match_sets.of_filter(request.filter);
                    let page = hits::find_page(&snapshot, request, matches, relevance.as_ref());
                    // What was found after the client had gone is incomplete.
                    cancellation.check()?;
                    if let Some(key) = key {
                        snapshot.query_cache.pages.insert(key, &page);
                    }
                    page
                }
            };
            hits.push(hits::with_documents(page, &match_sets, request)?);
        }
        let mut answers: Vec<Option<FacetResult>> = Vec::with_capacity(facets.len());
        let mut missing = Vec::new();
        for (index, CacheLookup { key, cached }) in facets.into_iter().enumerate() {
            if cached.is_none() {
                missing.push((index, key));
            }
            answers.push(cached);
        }
        let indexes: Vec<usize> = missing.iter().map(|(index, _)| *index).collect();
        for ((index, key), answer) in missing.into_iter().zip(compute_facets(&match_sets, &plan, &indexes)) {
            let answer = answer?;
            // Top hits are documents, which may be of any size.
            if let Some(key) = key.filter(|_| plan.facets[index].top_hits.is_none()) {
                snapshot.query_cache.facets.insert(key, &answer);
            }
            answers[index] = Some(answer);
        }
        Ok(SearchResponse { hits, facets: answers.into_iter().flatten().collect() })
    }
}

/// Computes facets of a plan, in parallel if that is worth it.
fn compute_facets<'a>(
    match_sets: &PlanMatchSets<'a>,
    plan: &'a SearchPlan,
    indexes: &[usize],
) -> Vec<Result<FacetResult, EngineError>> {
    let cancellation = match_sets.cancellation;
    let compute = |number: usize| {
        cancellation.check()?;
        let facet = facet::compute(match_sets, &plan.facets[indexes[number]])?;
        cancellation.check().map(|()| facet)
    };
    // Counts over all records are stored.
    let filters = indexes.iter().map(|index| plan.facets[*index].filter);
    let mut filters = filters.filter(|&filter| plan.filters[filter] != Filter::All);
    let mut documents = 0;
    // Once there are enough, the match sets of the other filters are found in parallel too.
    let are_many = filters.any(|filter| {
        documents += match_sets.of_filter(filter).iter().map(|matches| matches.count).sum::<usize>();
        documents >= MIN_PARALLEL_DOCUMENTS
    });
    match are_many {
        true => map_parallel(indexes.len(), compute),
        false => (0..indexes.len()).map(compute).collect(),
    }
}
