//! Running a plan: as few searches as it takes, in one request.
//!
//! A search has one filter, and either one page of records or any number of facets: clusters keep the answers to searches
//! without records, so the facets cost nothing when a person sorts the table or turns its pages. All searches of a plan
//! go to the cluster in one request; further ones are made for facets that one search cannot answer exactly, and for
//! pages beyond what a cluster gives at once.

use std::sync::Arc;

use cantata_engine::{Answer, EngineError, FacetAnswer, HitsAnswer, HitsRequest, Plan, SortKey};
use cantata_mapping::{FieldKind, IndexMapping};
use serde_json::{Value, json};

use crate::answer::{self, Found};
use crate::calls;
use crate::connection::{Cluster, Connection};
use crate::facets::{self, Asked, Completion};
use crate::failures::{accepted, naming_histograms};
use crate::places::place_after;
use crate::query::query;
use crate::settings::Product;
use crate::sort::{Order, Tie, cannot_sort};
use crate::walk::Walk;

/// How many records a cluster gives at once, those that are passed over included (`index.max_result_window`).
pub(crate) const MOST_AT_ONCE: usize = 10_000;

/// What a request to search says in its path: a part of an answer is none.
pub(crate) const WHOLE_ANSWERS: &str = "allow_partial_search_results=false";

/// An index as one plan or export sees it.
#[derive(Clone)]
pub(crate) struct Searched {
    pub(crate) connection: Arc<Connection>,
    pub(crate) index: String,
    /// The path of the index.
    pub(crate) path: String,
    pub(crate) mapping: Arc<IndexMapping>,
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) tie: Tie,
}

/// One search of a request.
#[derive(Default)]
struct Search {
    filter: usize,
    /// The page of records, as a place in the plan.
    page: Option<usize>,
    /// Whether the number of all records is wanted.
    total: bool,
    /// The facets, as places in the plan.
    facets: Vec<usize>,
}

impl Searched {
    /// Runs a plan.
    pub(crate) async fn run(&self, plan: &Plan) -> Result<Answer, EngineError> {
        let searches = divide(plan);
        let orders: Vec<Order> = plan.hits.iter().map(|hits| self.order(&hits.sort)).collect::<Result<_, _>>()?;
        let mut bodies = Vec::with_capacity(searches.len());
        for search in &searches {
            bodies.push(self.body(plan, search, &orders).await?);
        }
        let mut answer = Answer {
            hits: plan.hits.iter().map(|_| HitsAnswer::default()).collect(),
            facets: plan.facets.iter().map(|_| FacetAnswer::default()).collect(),
        };
        let incomplete = self.ask(plan, &searches, &bodies, &orders, &mut answer).await;
        let incomplete = incomplete.map_err(|error| naming_histograms(error, plan))?;
        for place in incomplete {
            let known = std::mem::take(&mut answer.facets[place]);
            answer.facets[place] = self.complete(plan, place, known).await?;
        }
        for (place, hits) in plan.hits.iter().enumerate() {
            if is_deep(hits) {
                answer.hits[place].hits = self.deep_page(plan, hits, orders[place].clone()).await?;
            }
        }
        Ok(answer)
    }

    /// Returns the order of a sort.
    ///
    /// # Errors
    ///
    /// If the cluster cannot sort by a field.
    pub(crate) fn order(&self, sort: &[SortKey]) -> Result<Order, EngineError> {
        let is_wildcard =
            |field: &String| self.mapping.field(field).is_some_and(|field| field.kind == FieldKind::Wildcard);
        let wildcard = sort.iter().filter_map(|key| key.field.as_ref()).find(|field| is_wildcard(field));
        match wildcard {
            // It answers, but not in order.
            Some(field) if self.cluster.product == Product::OpenSearch && self.cluster.version.0 >= 3 => {
                Err(cannot_sort(field, "its type is wildcard"))
            }
            _ => Order::new(sort, &self.mapping, self.tie),
        }
    }

    async fn body(&self, plan: &Plan, search: &Search, orders: &[Order]) -> Result<Value, EngineError> {
        let mut body = json!({
            "query": query(&plan.filters[search.filter], &self.mapping),
            "track_total_hits": search.total,
            "size": 0,
        });
        if let Some(place) = search.page {
            let (hits, order) = (&plan.hits[place], &orders[place]);
            body["track_total_hits"] = json!(search.total || order.needs_all());
            body["size"] = json!(hits.size);
            body["sort"] = order.to_json();
            body["_source"] = json!(hits.documents);
            match &hits.after {
                None => body["from"] = json!(hits.offset),
                // Clusters pass over nothing after a place, so what is passed over is asked for too.
                Some(after) => {
                    body["size"] = json!(hits.size + hits.offset);
                    body["search_after"] = place_after(self, order, after).await?;
                }
            }
        }
        if !search.facets.is_empty() {
            body["aggs"] = Value::Object(facets::aggregations(self.asked(plan), &search.facets)?);
        }
        Ok(body)
    }

    /// Makes the searches in one request, and returns the places of the facets that are not complete.
    async fn ask(
        &self,
        plan: &Plan,
        searches: &[Search],
        bodies: &[Value],
        orders: &[Order],
        answer: &mut Answer,
    ) -> Result<Vec<usize>, EngineError> {
        let path = &self.path;
        let reply = match bodies {
            [] => return Ok(Vec::new()),
            [body] => self.connection.send(calls::ask(format!("{path}/_search?{WHOLE_ANSWERS}"), body)).await?,
            bodies => {
                let mut lines = Vec::new();
                for body in bodies {
                    let head = json!({"allow_partial_search_results": false});
                    lines.extend(format!("{head}\n{body}\n").into_bytes());
                }
                self.connection.send(calls::ask_lines(format!("{path}/_msearch"), lines)).await?
            }
        };
        let reply = accepted(reply, &self.index)?;
        let found: Vec<Found<'_>> = match bodies.len() {
            1 => vec![answer::read(&reply.body, &self.index)?],
            _ => answer::read_several(&reply.body, &self.index)?,
        };
        if found.len() != searches.len() {
            return Err(EngineError::Failed("it did not answer each search".to_owned()));
        }
        let mut incomplete = Vec::new();
        for (search, found) in searches.iter().zip(found) {
            let total = found.total();
            for (place, hits) in plan.hits.iter().enumerate() {
                if hits.total && hits.filter == search.filter && search.total {
                    answer.hits[place].total = total;
                }
            }
            let readings = facets::read(self.asked(plan), &search.facets, &found.aggregations)?;
            for (&place, reading) in search.facets.iter().zip(readings) {
                answer.facets[place] = reading.answer;
                if !reading.is_complete {
                    incomplete.push(place);
                }
            }
            if let Some(place) = search.page {
                let passed = if plan.hits[place].after.is_some() { plan.hits[place].offset } else { 0 };
                let records = found.hits.hits.into_iter().skip(passed).map(|hit| hit.hit(&orders[place]));
                answer.hits[place].hits = records.collect::<Result<_, _>>()?;
            }
        }
        Ok(incomplete)
    }

    async fn complete(&self, plan: &Plan, place: usize, known: FacetAnswer) -> Result<FacetAnswer, EngineError> {
        let mut completion = Completion::new(self.asked(plan), place, known)?;
        while let Some(body) = completion.next()? {
            let call = calls::ask(format!("{}/_search?{WHOLE_ANSWERS}", self.path), &body);
            let reply = accepted(self.connection.send(call).await?, &self.index)?;
            completion.take(&answer::read(&reply.body, &self.index)?.aggregations)?;
        }
        Ok(completion.finish())
    }

    fn asked<'a>(&'a self, plan: &'a Plan) -> Asked<'a> {
        Asked { plan, mapping: &self.mapping, tie: self.tie }
    }

    /// Returns a page that a cluster does not give at once, by walking there.
    async fn deep_page(
        &self,
        plan: &Plan,
        request: &HitsRequest,
        order: Order,
    ) -> Result<Vec<cantata_engine::Hit>, EngineError> {
        let after = match &request.after {
            Some(after) => Some(place_after(self, &order, after).await?),
            None => None,
        };
        let query = query(&plan.filters[request.filter], &self.mapping);
        let mut walk = Walk::begin(self.clone(), query, order, after).await?;
        let mut page = Vec::new();
        let mut passed = 0;
        while passed < request.offset {
            let step = (request.offset - passed).min(MOST_AT_ONCE);
            let records = walk.next(step, false).await?;
            passed += step;
            if records.len() < step {
                return Ok(page);
            }
        }
        while page.len() < request.size {
            let step = (request.size - page.len()).min(MOST_AT_ONCE);
            let records = walk.next(step, request.documents).await?;
            let is_last = records.len() < step;
            page.extend(records);
            if is_last {
                break;
            }
        }
        Ok(page)
    }
}

/// Returns whether a cluster does not give a page at once.
fn is_deep(hits: &HitsRequest) -> bool {
    hits.size > 0 && hits.size.saturating_add(hits.offset) > MOST_AT_ONCE
}

/// Divides a plan into searches.
fn divide(plan: &Plan) -> Vec<Search> {
    let mut searches: Vec<Search> = Vec::new();
    for (place, hits) in plan.hits.iter().enumerate() {
        let has_page = hits.size > 0 && !is_deep(hits);
        if has_page || hits.total {
            let is_free = |search: &Search| search.page.is_none() || !has_page;
            let search = share(&mut searches, hits.filter, is_free);
            search.total |= hits.total;
            if has_page {
                search.page = Some(place);
            }
        }
    }
    for (place, facet) in plan.facets.iter().enumerate() {
        share(&mut searches, facet.filter, |search| search.page.is_none()).facets.push(place);
    }
    searches
}

/// Returns the first search of a filter that something may be added to; a new one, if there is none.
fn share(searches: &mut Vec<Search>, filter: usize, is_free: impl Fn(&Search) -> bool) -> &mut Search {
    let known = searches.iter().position(|search| search.filter == filter && is_free(search));
    let place = known.unwrap_or_else(|| {
        searches.push(Search { filter, ..Search::default() });
        searches.len() - 1
    });
    &mut searches[place]
}
