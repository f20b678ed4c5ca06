//! Completing a facet whose terms aggregation was inexact.
//!
//! All values are fetched, in partitions of the terms aggregation: a cluster assigns values to partitions by a hash,
//! the same on every shard, so the values of a partition and their counts are exact as soon as no shard leaves one out.
//! A partition that is too large is split further, into those whose numbers have the same remainder. Then the details
//! of the chosen values are fetched, some values at a time.
//!
//! A completion makes the bodies of searches and takes their responses; the caller sends them.

use cantata_engine::{Bucket, EngineError, FacetResult, Filter};
use cantata_mapping::TypedValue;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::field::FacetField;
use super::terms::{Records, TermsPartition, TermsRequest, TermsResponse, details, has_details, parse_key};
use super::top_values::TopValues;
use super::{FacetContext, malformed};
use crate::query::query;

/// How many values one request fetches.
const MAX_TERMS_PER_REQUEST: usize = 20_000;

/// Into how many partitions one that is too large is split.
const PARTITION_FANOUT: u64 = 8;

/// Of how many values one request fetches the details.
const MAX_DETAILS_PER_REQUEST: usize = 100;

/// The partition of all values.
const ALL: TermsPartition = TermsPartition { number: 0, count: 1 };

/// A facet that is being completed.
pub(crate) struct FacetCompletion<'a> {
    facet_field: FacetField<'a>,
    result: FacetResult,
    phase: Phase,
}

enum Phase {
    /// Fetching the values; these partitions are left.
    Values { pending: Vec<TermsPartition>, top_values: TopValues },
    /// Fetching the details; `known` of the values have them.
    Details { known: usize },
}

impl<'a> FacetCompletion<'a> {
    /// Starts to complete a facet of a plan; the result so far is kept.
    ///
    /// # Errors
    ///
    /// If the mapping does not have the field.
    pub(crate) fn new(context: FacetContext<'a>, index: usize, known: FacetResult) -> Result<Self, EngineError> {
        let facet_field = FacetField::new(context, index)?;
        let top_values = TopValues::new(facet_field.request.buckets.unwrap_or(0));
        let phase = Phase::Values { pending: vec![ALL], top_values };
        Ok(Self { facet_field, result: known, phase })
    }

    /// Returns the body of the next search; nothing if the facet is complete.
    ///
    /// # Errors
    ///
    /// If a cluster cannot count the values of the field.
    pub(crate) fn next(&self) -> Result<Option<Value>, EngineError> {
        let requested = match &self.phase {
            Phase::Values { pending, .. } => match pending.last() {
                Some(partition) => self.values(*partition)?,
                None => return Ok(None),
            },
            Phase::Details { known } => {
                let values = self.result.buckets.iter().skip(*known).take(MAX_DETAILS_PER_REQUEST);
                let filters: Vec<Value> = values.map(|bucket| self.having(bucket)).collect::<Result<_, _>>()?;
                if filters.is_empty() || !has_details(&self.facet_field) {
                    return Ok(None);
                }
                let details = details(&self.facet_field);
                self.facet_field.aggregation("filters", json!({"filters": filters}), details)
            }
        };
        let FacetField { context: FacetContext { plan, mapping, .. }, request, .. } = self.facet_field;
        let mut aggregation = Map::from_iter([("t".to_owned(), requested)]);
        if request.elements != Filter::All {
            let filter = query(&request.elements, mapping);
            aggregation = Map::from_iter([("e".to_owned(), json!({"filter": filter, "aggs": aggregation}))]);
        }
        if !self.facet_field.level.is_empty() {
            aggregation = Map::from_iter([("n".to_owned(), self.facet_field.at_level(&aggregation))]);
        }
        let records = query(&plan.filters[request.filter], mapping);
        Ok(Some(json!({"size": 0, "track_total_hits": false, "query": records, "aggs": aggregation})))
    }

    /// Takes the aggregations of the search of [`FacetCompletion::next`].
    ///
    /// # Errors
    ///
    /// If they are malformed.
    pub(crate) fn take(&mut self, aggregations: &Value) -> Result<(), EngineError> {
        let mut found = Some(aggregations);
        if !self.facet_field.level.is_empty() {
            found = self.facet_field.in_level(found.and_then(|found| found.get("n")));
        }
        if self.facet_field.request.elements != Filter::All {
            found = found.and_then(|found| found.get("e"));
        }
        let found = found.and_then(|found| found.get("t")).ok_or_else(malformed)?;
        match &mut self.phase {
            Phase::Values { pending, top_values } => {
                let Some(partition) = pending.pop() else { return Ok(()) };
                let terms = TermsResponse::read(Some(found))?;
                // The most frequent values of a partition need not be those of all.
                match terms.has_all() || (partition == ALL && terms.is_sufficient_for(&self.facet_field)) {
                    true => top_values.add(counts(terms, &self.facet_field)?),
                    false => pending.extend(partition.divided()),
                }
                if pending.is_empty() {
                    self.rank();
                }
            }
            Phase::Details { known } => {
                let from = *known;
                *known += MAX_DETAILS_PER_REQUEST;
                self.add_details(found, from)?;
            }
        }
        Ok(())
    }

    /// Returns the complete facet.
    pub(crate) fn finish(self) -> FacetResult {
        self.result
    }

    fn values(&self, partition: TermsPartition) -> Result<Value, EngineError> {
        let buckets = TermsRequest {
            size: MAX_TERMS_PER_REQUEST,
            partition: (partition != ALL).then_some(partition),
            has_counts: self.facet_field.request.buckets.is_some(),
            has_details: false,
        };
        let source = self.facet_field.merge_signed_zeros(self.facet_field.source()?);
        Ok(buckets.aggregation(source, &self.facet_field))
    }

    /// Moves the most frequent values into the result.
    fn rank(&mut self) {
        let details = Phase::Details { known: 0 };
        let Phase::Values { top_values, .. } = std::mem::replace(&mut self.phase, details) else { return };
        let (seen, best) = top_values.finish();
        if self.facet_field.request.distinct {
            self.result.distinct = seen;
        }
        let bucket = |(value, count)| Bucket { value, count, top_hits: Vec::new(), filtered: Vec::new() };
        self.result.buckets = best.into_iter().map(bucket).collect();
    }

    /// Returns the query for the elements that have the value of a bucket.
    fn having(&self, bucket: &Bucket) -> Result<Value, EngineError> {
        let field = self.facet_field.values_path()?.to_owned();
        Ok(query(&Filter::Terms { field, values: vec![bucket.value.clone()] }, self.facet_field.context.mapping))
    }

    fn add_details(&mut self, found: &Value, from: usize) -> Result<(), EngineError> {
        let found = found.get("buckets").and_then(Value::as_array).ok_or_else(malformed)?;
        let chosen = self.result.buckets.iter_mut().skip(from);
        for (bucket, found) in chosen.zip(found) {
            let records = if self.facet_field.level.is_empty() { Some(found) } else { found.get("r") };
            let records = records.and_then(|records| Records::deserialize(records).ok()).ok_or_else(malformed)?;
            (bucket.top_hits, bucket.filtered) = records.details();
        }
        Ok(())
    }
}

impl TermsPartition {
    fn divided(self) -> impl Iterator<Item = TermsPartition> {
        (0..PARTITION_FANOUT).map(move |step| TermsPartition {
            number: self.number + step * self.count,
            count: self.count * PARTITION_FANOUT,
        })
    }
}

/// Returns the values with their counts; zero if counts are not requested.
fn counts(terms: TermsResponse, facet_field: &FacetField<'_>) -> Result<Vec<(TypedValue, u64)>, EngineError> {
    let counts = terms.buckets.into_iter().map(|bucket| {
        let value = parse_key(&facet_field.field.kind, &bucket.key).ok_or_else(malformed)?;
        let count = if facet_field.request.buckets.is_some() { bucket.records(facet_field)? } else { 0 };
        Ok((value, count))
    });
    counts.collect()
}
