//! Running a plan: as few searches as possible, in one request.
//!
//! A search has one filter, and either one page of records or any number of facets: clusters cache searches without
//! records, so facets cost nothing when only the sort or the page changes. All searches of a plan go to the cluster in
//! one multi search; further requests are made for facets that one search cannot answer exactly, and for pages beyond
//! the result window.

use cantata_engine::{EngineError, FacetResult, HitsRequest, HitsResult, SearchPlan, SearchResponse};
use serde_json::{Value, json};

use crate::error::name_histogram_fields;
use crate::facets::{self, FacetCompletion, FacetContext};
use crate::query::{page_query, query};
use crate::request;
use crate::response::{self, RawSearchResponse};
use crate::scan::ResultScan;
use crate::sort::ClusterSort;
use crate::target::{GLOBAL_STATISTICS, MAX_RESULT_WINDOW, SearchTarget};

/// One search of a multi search.
#[derive(Default)]
struct SubSearch {
    filter: usize,
    /// The page of records, as an index into the plan.
    page: Option<usize>,
    /// Whether to count all records.
    total: bool,
    /// The facets, as indexes into the plan.
    facets: Vec<usize>,
}

impl SubSearch {
    /// Returns whether its records are scored.
    fn is_scored(&self, plan: &SearchPlan) -> bool {
        self.page.is_some_and(|page| plan.hits[page].score.is_some())
    }
}

impl SearchTarget {
    /// Runs a plan.
    pub(crate) async fn run(&self, plan: &SearchPlan) -> Result<SearchResponse, EngineError> {
        let subsearches = split(plan);
        let orders: Vec<ClusterSort> = plan.hits.iter().map(|hits| self.order(&hits.sort)).collect::<Result<_, _>>()?;
        let mut bodies = Vec::with_capacity(subsearches.len());
        for search in &subsearches {
            bodies.push(self.body(plan, search, &orders).await?);
        }
        let mut answer = SearchResponse {
            hits: plan.hits.iter().map(|_| HitsResult::default()).collect(),
            facets: plan.facets.iter().map(|_| FacetResult::default()).collect(),
        };
        let incomplete = self.send(plan, &subsearches, &bodies, &orders, &mut answer).await;
        let incomplete = incomplete.map_err(|error| name_histogram_fields(error, plan))?;
        for index in incomplete {
            let known = std::mem::take(&mut answer.facets[index]);
            answer.facets[index] = self.complete(plan, index, known).await?;
        }
        for (index, hits) in plan.hits.iter().enumerate() {
            if is_beyond_window(hits) {
                answer.hits[index].hits = self.page_beyond_window(plan, hits, orders[index].clone()).await?;
            }
        }
        Ok(answer)
    }

    async fn body(&self, plan: &SearchPlan, search: &SubSearch, orders: &[ClusterSort]) -> Result<Value, EngineError> {
        let mut body = json!({
            "query": query(&plan.filters[search.filter], &self.mapping),
            "track_total_hits": search.total,
            "size": 0,
        });
        if let Some(index) = search.page {
            let (hits, order) = (&plan.hits[index], &orders[index]);
            body["track_total_hits"] = json!(search.total || order.needs_all());
            body["size"] = json!(hits.size);
            body["sort"] = order.to_json();
            body["_source"] = json!(hits.documents);
            if hits.score.is_some() {
                body["query"] = page_query(plan, hits, &self.mapping);
                body["track_scores"] = json!(true);
            }
            match &hits.after {
                None => body["from"] = json!(hits.offset),
                // `from` does not go with `search_after`, so the skipped records are requested too.
                Some(after) => {
                    body["size"] = json!(hits.size + hits.offset);
                    body["search_after"] = self.search_after(order, after).await?;
                }
            }
        }
        if !search.facets.is_empty() {
            body["aggs"] = Value::Object(facets::aggregations(self.facet_context(plan), &search.facets)?);
        }
        Ok(body)
    }

    /// Sends the searches in one request, and returns the indexes of incomplete facets.
    async fn send(
        &self,
        plan: &SearchPlan,
        subsearches: &[SubSearch],
        bodies: &[Value],
        orders: &[ClusterSort],
        answer: &mut SearchResponse,
    ) -> Result<Vec<usize>, EngineError> {
        let reply = match bodies {
            [] => return Ok(Vec::new()),
            [body] if subsearches.iter().any(|search| search.is_scored(plan)) => self.search_scored(body).await?,
            [body] => self.search(body).await?,
            bodies => {
                let mut lines = Vec::new();
                for (body, search) in bodies.iter().zip(subsearches) {
                    let mut head = json!({"allow_partial_search_results": false});
                    if search.is_scored(plan) {
                        head["search_type"] = json!(GLOBAL_STATISTICS);
                    }
                    lines.extend(format!("{head}\n{body}\n").into_bytes());
                }
                let request = request::multi_search(format!("{}/_msearch", self.path), lines);
                self.client.send(request).await?.ensure_success(&self.index)?
            }
        };
        let found: Vec<RawSearchResponse<'_>> = match bodies.len() {
            1 => vec![response::parse_search(&reply, &self.index)?],
            _ => response::parse_multi_search(&reply, &self.index)?,
        };
        if found.len() != subsearches.len() {
            return Err(EngineError::Failed("it did not answer each search".to_owned()));
        }
        let mut incomplete = Vec::new();
        for (search, found) in subsearches.iter().zip(found) {
            let total = found.total();
            for (index, hits) in plan.hits.iter().enumerate() {
                if hits.total && hits.filter == search.filter && search.total {
                    answer.hits[index].total = total;
                }
            }
            let partial_facets = facets::parse(self.facet_context(plan), &search.facets, &found.aggregations)?;
            for (&index, partial) in search.facets.iter().zip(partial_facets) {
                answer.facets[index] = partial.result;
                if !partial.is_complete {
                    incomplete.push(index);
                }
            }
            if let Some(index) = search.page {
                let passed = if plan.hits[index].after.is_some() { plan.hits[index].offset } else { 0 };
                let records = found.hits.hits.into_iter().skip(passed).map(|hit| hit.hit(&orders[index]));
                answer.hits[index].hits = records.collect::<Result<_, _>>()?;
            }
        }
        Ok(incomplete)
    }

    async fn complete(&self, plan: &SearchPlan, index: usize, known: FacetResult) -> Result<FacetResult, EngineError> {
        let mut completion = FacetCompletion::new(self.facet_context(plan), index, known)?;
        while let Some(body) = completion.next()? {
            let reply = self.search(&body).await?;
            completion.take(&response::parse_search(&reply, &self.index)?.aggregations)?;
        }
        Ok(completion.finish())
    }

    fn facet_context<'a>(&'a self, plan: &'a SearchPlan) -> FacetContext<'a> {
        FacetContext { plan, mapping: &self.mapping, tie: self.tie }
    }

    /// Returns a page beyond the result window, by a scan.
    async fn page_beyond_window(
        &self,
        plan: &SearchPlan,
        request: &HitsRequest,
        order: ClusterSort,
    ) -> Result<Vec<cantata_engine::Hit>, EngineError> {
        let after = match &request.after {
            Some(after) => Some(self.search_after(&order, after).await?),
            None => None,
        };
        let query = page_query(plan, request, &self.mapping);
        let scan = ResultScan::begin(self.clone(), query, order, after).await?;
        let mut scan = scan.tracking_scores(request.score.is_some());
        let mut page = Vec::new();
        let mut passed = 0;
        while passed < request.offset {
            let step = (request.offset - passed).min(MAX_RESULT_WINDOW);
            let records = scan.next(step, false).await?;
            passed += step;
            if records.len() < step {
                return Ok(page);
            }
        }
        while page.len() < request.size {
            let step = (request.size - page.len()).min(MAX_RESULT_WINDOW);
            let records = scan.next(step, request.documents).await?;
            let is_last = records.len() < step;
            page.extend(records);
            if is_last {
                break;
            }
        }
        Ok(page)
    }
}

/// Returns whether a page is beyond the result window.
fn is_beyond_window(hits: &HitsRequest) -> bool {
    hits.size > 0 && hits.size.saturating_add(hits.offset) > MAX_RESULT_WINDOW
}

/// Splits a plan into searches.
fn split(plan: &SearchPlan) -> Vec<SubSearch> {
    let mut subsearches: Vec<SubSearch> = Vec::new();
    for (index, hits) in plan.hits.iter().enumerate() {
        let has_page = hits.size > 0 && !is_beyond_window(hits);
        if has_page || hits.total {
            let is_free = |search: &SubSearch| search.page.is_none() || !has_page;
            let search = subsearch_for(&mut subsearches, hits.filter, is_free);
            search.total |= hits.total;
            if has_page {
                search.page = Some(index);
            }
        }
    }
    for (index, facet) in plan.facets.iter().enumerate() {
        subsearch_for(&mut subsearches, facet.filter, |search| search.page.is_none()).facets.push(index);
    }
    subsearches
}

/// Returns the first search with this filter that can be extended, or a new one.
fn subsearch_for(
    subsearches: &mut Vec<SubSearch>,
    filter: usize,
    is_free: impl Fn(&SubSearch) -> bool,
) -> &mut SubSearch {
    let known = subsearches.iter().position(|search| search.filter == filter && is_free(search));
    let index = known.unwrap_or_else(|| {
        subsearches.push(SubSearch { filter, ..SubSearch::default() });
        subsearches.len() - 1
    });
    &mut subsearches[index]
}
