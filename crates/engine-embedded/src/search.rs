//! Running plans on a snapshot.
//!
//! Pages and facets in the query cache are not computed again; the others share the match sets of the plan's filters, and
//! facets over many documents are counted in parallel.

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
mod search_effort;
mod sort;
mod sorted_scan;
mod stored_rows;
mod term_matching;
mod thread_pool;

pub(crate) use export::ExportScan;
pub use search_budget::set_max_search_bytes;
pub(crate) use search_effort::{SearchEffort, estimate_effort};
pub(crate) use thread_pool::map_parallel;

use cantata_engine::{EngineError, FacetResult, Filter, HitsRequest, SearchPlan, SearchResponse};

use self::match_sets::PlanMatchSets;
use self::relevance::Relevance;
use crate::cancellation::CancellationToken;
use crate::snapshot::{QueryCache, Snapshot};

/// Facets over fewer documents in all are counted on the calling thread, before another one could wake up.
const MIN_PARALLEL_DOCUMENTS: usize = 20_000;

/// Runs a plan.
///
/// # Errors
///
/// If it exceeds a limit of the engine, if documents cannot be read, or if the search was cancelled.
pub(crate) fn run(
    snapshot: &Snapshot,
    plan: &SearchPlan,
    cancellation: &CancellationToken,
) -> Result<SearchResponse, EngineError> {
    let match_sets = PlanMatchSets::new(snapshot, plan, cancellation);
    let QueryCache { pages, facets } = &snapshot.query_cache;
    let page = |(index, request): (usize, &HitsRequest)| {
        cancellation.check()?;
        let key = QueryCache::page_key(plan, index);
        let page = match key.as_ref().and_then(|key| pages.get(key)) {
            Some(page) => page,
            None => {
                let score = request.score.filter(|_| request.size > 0);
                let relevance = score.map(|score| Relevance::new(&match_sets, score));
                let matches = match_sets.of_filter(request.filter);
                let page = hits::find_page(snapshot, request, matches, relevance.as_ref());
                // What was found after the client had gone is incomplete.
                cancellation.check()?;
                if let Some(key) = key {
                    pages.insert(key, &page);
                }
                page
            }
        };
        hits::with_documents(page, &match_sets, request)
    };
    let hits = plan.hits.iter().enumerate().map(page).collect::<Result<_, _>>()?;
    let mut answers: Vec<Option<FacetResult>> = Vec::with_capacity(plan.facets.len());
    let mut missing = Vec::new();
    for index in 0..plan.facets.len() {
        let key = QueryCache::facet_key(plan, index);
        answers.push(key.as_ref().and_then(|key| facets.get(key)));
        if answers[index].is_none() {
            missing.push((index, key));
        }
    }
    let compute = |number: usize| {
        cancellation.check()?;
        let facet = facet::compute(&match_sets, &plan.facets[missing[number].0])?;
        cancellation.check().map(|()| facet)
    };
    // Counts over all records are stored.
    let filters = missing.iter().map(|(index, _)| plan.facets[*index].filter);
    let mut filters = filters.filter(|&filter| plan.filters[filter] != Filter::All);
    let mut documents = 0;
    // Once there are enough, the match sets of the other filters are found in parallel too.
    let are_many = filters.any(|filter| {
        documents += match_sets.of_filter(filter).iter().map(|matches| matches.count).sum::<usize>();
        documents >= MIN_PARALLEL_DOCUMENTS
    });
    let computed = match are_many {
        true => map_parallel(missing.len(), compute),
        false => (0..missing.len()).map(compute).collect(),
    };
    for ((index, key), answer) in missing.into_iter().zip(computed) {
        let answer = answer?;
        // Top hits are documents, which may be of any size.
        if let Some(key) = key.filter(|_| plan.facets[index].top_hits.is_none()) {
            facets.insert(key, &answer);
        }
        answers[index] = Some(answer);
    }
    Ok(SearchResponse { hits, facets: answers.into_iter().flatten().collect() })
}
