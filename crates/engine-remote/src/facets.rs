//! Facets: from the requests of a plan to aggregations, and from what they say to answers.
//!
//! Facets of one level share one `nested` aggregation, and those whose elements pass the same filter share one
//! `filter` aggregation below it, so that a page with many facets makes a cluster join and filter once. Names of
//! aggregations are a letter and a place in the plan.
//!
//! An aggregation over many values, or over several shards, may be incomplete, and says so. Such a facet is completed
//! by further requests ([`Completion`]), until it is exact.

mod buckets;
mod completion;
mod counted;
mod ends;
mod figures;
mod ranking;
mod values;

use std::collections::BTreeMap;

use cantata_engine::{EngineError, FacetAnswer, FacetRequest, Filter, Plan};
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use crate::query::query;
use crate::sort::Tie;
use buckets::{BucketRequest, Terms};
use counted::Counted;

pub(crate) use completion::Completion;

/// Most buckets that the facets of one request may have together; clusters refuse 65,535.
const MOST_BUCKETS: usize = 60_000;

/// A plan, with what must be known to ask a cluster for its facets.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) mapping: &'a IndexMapping,
    /// What the first records of a bucket are ordered by.
    pub(crate) tie: Tie,
}

/// What one request said of a facet.
pub(crate) struct Reading {
    /// The answer, as far as it is known.
    pub(crate) answer: FacetAnswer,
    /// Whether it is all of it; if not, the values and their number are to be asked for again.
    pub(crate) is_complete: bool,
}

/// Returns the aggregations of the facets at these places of a plan, which all have the filter of one request.
///
/// # Errors
///
/// If a cluster cannot count the values of one of the fields.
pub(crate) fn aggregations(asked: Asked<'_>, places: &[usize]) -> Result<Map<String, Value>, EngineError> {
    let body = Body::new(asked, places)?;
    let mut levels: BTreeMap<usize, BTreeMap<usize, Map<String, Value>>> = BTreeMap::new();
    for facet in body.facets.iter().filter(|facet| facet.place == facet.asked_at) {
        levels.entry(facet.level_at).or_default().entry(facet.elements_at).or_default().extend(body.parts(facet)?);
    }
    let mut all = Map::new();
    for (level_at, elements) in levels {
        let mut inside = Map::new();
        for (elements_at, parts) in elements.into_iter().filter(|(_, parts)| !parts.is_empty()) {
            match &body.request(elements_at).elements {
                Filter::All => inside.extend(parts),
                filter => {
                    let filter = query(filter, asked.mapping);
                    inside.insert(elements_name(elements_at), json!({"filter": filter, "aggs": parts}));
                }
            }
        }
        match body.level(level_at) {
            "" => all.extend(inside),
            _ if inside.is_empty() => {}
            path => {
                all.insert(level_name(level_at), json!({"nested": {"path": path}, "aggs": inside}));
            }
        }
    }
    Ok(all)
}

/// Reads what the aggregations of the facets at these places say, in the order of the places.
///
/// # Errors
///
/// If that is not what was asked, or if a histogram has too many buckets.
pub(crate) fn read(asked: Asked<'_>, places: &[usize], aggregations: &Value) -> Result<Vec<Reading>, EngineError> {
    let body = Body::new(asked, places)?;
    body.facets.iter().map(|facet| body.reading(facet, aggregations)).collect()
}

/// The facets of one request.
struct Body<'a> {
    asked: Asked<'a>,
    facets: Vec<Placed<'a>>,
}

/// A facet of a request, with the places of those whose aggregations it shares: the first ones that are alike.
struct Placed<'a> {
    place: usize,
    counted: Counted<'a>,
    /// A facet that asks the very same.
    asked_at: usize,
    /// A facet of the same level.
    level_at: usize,
    /// A facet of the same level and the same elements.
    elements_at: usize,
}

impl<'a> Body<'a> {
    fn new(asked: Asked<'a>, places: &[usize]) -> Result<Self, EngineError> {
        let mut facets: Vec<Placed<'a>> = Vec::with_capacity(places.len());
        for &place in places {
            let counted = Counted::new(asked, place)?;
            let first = |is_alike: &dyn Fn(&Counted<'a>) -> bool| {
                facets.iter().find(|earlier| is_alike(&earlier.counted)).map_or(place, |earlier| earlier.place)
            };
            let of_level = |other: &Counted<'a>| other.level == counted.level;
            let asked_at = first(&|other| other.request == counted.request);
            let level_at = first(&of_level);
            let elements_at = first(&|other| of_level(other) && other.request.elements == counted.request.elements);
            facets.push(Placed { place, counted, asked_at, level_at, elements_at });
        }
        Ok(Self { asked, facets })
    }

    fn request(&self, place: usize) -> &'a FacetRequest {
        &self.asked.plan.facets[place]
    }

    fn level(&self, place: usize) -> &'a str {
        let facet = self.facets.iter().find(|facet| facet.place == place);
        facet.map(|facet| facet.counted.level).unwrap_or_default()
    }

    /// Returns the aggregations of one facet at its level.
    fn parts(&self, facet: &Placed<'a>) -> Result<Map<String, Value>, EngineError> {
        let (place, counted) = (facet.place, &facet.counted);
        let mut parts = Map::new();
        if let Some(buckets) = self.buckets(facet) {
            parts.insert(format!("t{place}"), buckets.aggregation(counted.source()?, counted));
        }
        if counted.request.missing {
            let lacking = Filter::Exists { field: counted.request.field.clone() }.negated();
            let aggregation = counted.aggregation("filter", query(&lacking, self.asked.mapping), Map::new());
            parts.insert(format!("m{place}"), aggregation);
        }
        parts.extend(figures::aggregations(counted, place)?);
        Ok(parts)
    }

    fn buckets(&self, facet: &Placed<'a>) -> Option<BucketRequest> {
        BucketRequest::new(&facet.counted, MOST_BUCKETS / self.facets.len().max(1))
    }

    fn reading(&self, facet: &Placed<'a>, aggregations: &Value) -> Result<Reading, EngineError> {
        let counted = &facet.counted;
        let mut found = Some(aggregations);
        if !counted.level.is_empty() {
            found = found.and_then(|found| found.get(level_name(facet.level_at)));
        }
        if counted.request.elements != Filter::All {
            found = found.and_then(|found| found.get(elements_name(facet.elements_at)));
        }
        let found = found.unwrap_or(&Value::Null);
        let place = facet.asked_at;
        let mut answer = figures::read(counted, place, found)?;
        if counted.request.missing {
            answer.missing = counted.records(found.get(format!("m{place}")))?;
        }
        let mut is_complete = true;
        if self.buckets(facet).is_some() {
            let terms = Terms::read(found.get(format!("t{place}")))?;
            is_complete = terms.answer(counted);
            if is_complete && counted.request.distinct {
                answer.distinct = terms.buckets.len() as u64;
            }
            if let (true, Some(wanted)) = (is_complete, counted.request.buckets) {
                answer.buckets = buckets::read(terms, counted)?;
                answer.buckets.truncate(wanted);
            }
        }
        Ok(Reading { answer, is_complete })
    }
}

fn level_name(place: usize) -> String {
    format!("n{place}")
}

fn elements_name(place: usize) -> String {
    format!("e{place}")
}

/// Returns the error for an answer that is not what was asked.
fn malformed() -> EngineError {
    EngineError::Failed("its answer to an aggregation is not what was asked".to_owned())
}
