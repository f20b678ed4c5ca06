//! Facets: aggregations for the facets of a plan, and parsing their responses.
//!
//! Facets of one level share one `nested` aggregation, below those of the levels above that are filtered, and those
//! whose elements pass the same filter share one `filter` aggregation below it, so that a cluster joins and filters
//! once for many facets. Names of aggregations are a letter and the index of the facet in the plan.
//!
//! A terms aggregation over many values or several shards may be inexact, and says so. Such a facet is completed by
//! further requests ([`FacetCompletion`]) until it is exact.

mod completion;
mod field;
mod numeric;
mod range_bounds;
mod terms;
mod top_values;

use std::collections::BTreeMap;

use cantata_engine::{EngineError, FacetRequest, FacetResult, Filter, SearchPlan};
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use crate::query::query;
use crate::sort::TieBreaker;
use field::FacetField;
use terms::{TermsRequest, TermsResponse};

pub(crate) use completion::FacetCompletion;

/// How many buckets all facets of one request may have; clusters reject 65,535.
const MAX_BUCKETS: usize = 60_000;

/// A plan with what its aggregations depend on.
#[derive(Clone, Copy)]
pub(crate) struct FacetContext<'a> {
    pub(crate) plan: &'a SearchPlan,
    pub(crate) mapping: &'a IndexMapping,
    /// The order of top hits.
    pub(crate) tie: TieBreaker,
}

/// A facet after one request.
pub(crate) struct PartialFacet {
    /// The result so far.
    pub(crate) result: FacetResult,
    /// Whether values and their number are exact.
    pub(crate) is_complete: bool,
}

/// Returns the aggregations of facets, given by their indexes, which all have the filter of one search.
///
/// # Errors
///
/// If a cluster cannot count the values of one of the fields.
pub(crate) fn aggregations(context: FacetContext<'_>, indexes: &[usize]) -> Result<Map<String, Value>, EngineError> {
    let body = FacetAggregations::new(context, indexes)?;
    let mut levels: BTreeMap<usize, BTreeMap<usize, Map<String, Value>>> = BTreeMap::new();
    for facet in body.facets.iter().filter(|facet| facet.index == facet.same_request_at) {
        levels
            .entry(facet.same_level_at)
            .or_default()
            .entry(facet.same_elements_at)
            .or_default()
            .extend(body.parts(facet)?);
    }
    let mut all = Map::new();
    for (same_level_at, elements) in levels {
        let mut inside = Map::new();
        for (same_elements_at, parts) in elements.into_iter().filter(|(_, parts)| !parts.is_empty()) {
            match &body.request(same_elements_at).elements {
                Filter::All => inside.extend(parts),
                filter => {
                    let filter = query(filter, context.mapping);
                    inside.insert(elements_name(same_elements_at), json!({"filter": filter, "aggs": parts}));
                }
            }
        }
        match body.facets.iter().find(|facet| facet.index == same_level_at) {
            Some(SharedFacet { facet_field, .. }) if !facet_field.level.is_empty() => {
                if !inside.is_empty() {
                    all.insert(level_name(same_level_at), facet_field.at_level(&inside));
                }
            }
            _ => all.extend(inside),
        }
    }
    Ok(all)
}

/// Parses the aggregations of facets, in the order of their indexes.
///
/// # Errors
///
/// If the response is malformed, or a histogram has too many buckets.
pub(crate) fn parse(
    context: FacetContext<'_>,
    indexes: &[usize],
    aggregations: &Value,
) -> Result<Vec<PartialFacet>, EngineError> {
    let body = FacetAggregations::new(context, indexes)?;
    body.facets.iter().map(|facet| body.parse_facet(facet, aggregations)).collect()
}

/// The facets of one search.
struct FacetAggregations<'a> {
    context: FacetContext<'a>,
    facets: Vec<SharedFacet<'a>>,
}

/// A facet with the indexes of the first facets whose aggregations it shares.
struct SharedFacet<'a> {
    index: usize,
    facet_field: FacetField<'a>,
    /// The first facet with the same request.
    same_request_at: usize,
    /// The first facet of the same level, with the same filters on the levels above.
    same_level_at: usize,
    /// The first facet of the same level and element filter.
    same_elements_at: usize,
}

impl<'a> FacetAggregations<'a> {
    fn new(context: FacetContext<'a>, indexes: &[usize]) -> Result<Self, EngineError> {
        let mut facets: Vec<SharedFacet<'a>> = Vec::with_capacity(indexes.len());
        for &index in indexes {
            let facet_field = FacetField::new(context, index)?;
            let first = |is_alike: &dyn Fn(&FacetField<'a>) -> bool| {
                facets.iter().find(|earlier| is_alike(&earlier.facet_field)).map_or(index, |earlier| earlier.index)
            };
            let of_level = |other: &FacetField<'a>| {
                other.level == facet_field.level && other.request.ancestors == facet_field.request.ancestors
            };
            let same_request_at = first(&|other| other.request == facet_field.request);
            let same_level_at = first(&of_level);
            let same_elements_at =
                first(&|other| of_level(other) && other.request.elements == facet_field.request.elements);
            facets.push(SharedFacet { index, facet_field, same_request_at, same_level_at, same_elements_at });
        }
        Ok(Self { context, facets })
    }

    fn request(&self, index: usize) -> &'a FacetRequest {
        &self.context.plan.facets[index]
    }

    /// Returns the aggregations of one facet at its level.
    fn parts(&self, facet: &SharedFacet<'a>) -> Result<Map<String, Value>, EngineError> {
        let (index, facet_field) = (facet.index, &facet.facet_field);
        let mut parts = Map::new();
        if let Some(buckets) = self.buckets(facet) {
            parts.insert(format!("t{index}"), buckets.aggregation(facet_field.source()?, facet_field));
        }
        if facet_field.request.missing {
            let lacking = Filter::Exists { field: facet_field.request.field.clone() }.negated();
            let aggregation = facet_field.aggregation("filter", query(&lacking, self.context.mapping), Map::new());
            parts.insert(format!("m{index}"), aggregation);
        }
        parts.extend(numeric::aggregations(facet_field, index)?);
        Ok(parts)
    }

    fn buckets(&self, facet: &SharedFacet<'a>) -> Option<TermsRequest> {
        TermsRequest::new(&facet.facet_field, MAX_BUCKETS / self.facets.len().max(1))
    }

    fn parse_facet(&self, facet: &SharedFacet<'a>, aggregations: &Value) -> Result<PartialFacet, EngineError> {
        let facet_field = &facet.facet_field;
        let mut found = Some(aggregations);
        if !facet_field.level.is_empty() {
            found = facet_field.in_level(found.and_then(|found| found.get(level_name(facet.same_level_at))));
        }
        if facet_field.request.elements != Filter::All {
            found = found.and_then(|found| found.get(elements_name(facet.same_elements_at)));
        }
        let found = found.unwrap_or(&Value::Null);
        let index = facet.same_request_at;
        let mut result = numeric::read(facet_field, index, found)?;
        if facet_field.request.missing {
            result.missing = facet_field.records(found.get(format!("m{index}")))?;
        }
        let mut is_complete = true;
        if self.buckets(facet).is_some() {
            let terms = TermsResponse::read(found.get(format!("t{index}")))?;
            is_complete = terms.is_sufficient_for(facet_field);
            if is_complete && facet_field.request.distinct {
                result.distinct = terms.buckets.len() as u64;
            }
            if let (true, Some(wanted)) = (is_complete, facet_field.request.buckets) {
                result.buckets = terms::read(terms, facet_field)?;
                result.buckets.truncate(wanted);
            }
        }
        Ok(PartialFacet { result, is_complete })
    }
}

fn level_name(index: usize) -> String {
    format!("n{index}")
}

fn elements_name(index: usize) -> String {
    format!("e{index}")
}

/// Returns the error for a malformed aggregation.
fn malformed() -> EngineError {
    EngineError::Failed("its answer to an aggregation is not what was asked".to_owned())
}
