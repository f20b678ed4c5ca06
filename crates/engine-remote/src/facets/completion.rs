//! Completing a facet that one request could not answer.
//!
//! All values are asked for, in parts that a request can bear: a cluster divides values by a hash, the same on every
//! shard, so the values of a part and their counts are exact as soon as no shard leaves one out. A part that is too
//! large is divided further; the parts of a part are those whose numbers leave the same remainder. Then what is to be
//! told of the chosen values is asked for, some values at a time.
//!
//! A completion says what to ask and takes the answers; whoever drives it sends the requests.

use cantata_engine::{Bucket, EngineError, FacetAnswer, Filter};
use cantata_mapping::TypedValue;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::buckets::{BucketRequest, Part, Records, Terms, details, has_details};
use super::counted::Counted;
use super::ranking::Ranking;
use super::{Asked, malformed, values};
use crate::query::query;

/// How many values a request asks for at most.
const VALUES_AT_ONCE: usize = 20_000;

/// Into how many parts a part that is too large is divided.
const PARTS: u64 = 8;

/// Of how many values the details are asked at once.
const DETAILS_AT_ONCE: usize = 100;

/// The part that is all values.
const ALL: Part = Part { number: 0, of: 1 };

/// A facet that is being completed.
pub(crate) struct Completion<'a> {
    counted: Counted<'a>,
    answer: FacetAnswer,
    phase: Phase,
}

enum Phase {
    /// The values are being asked for; these parts are left.
    Values { left: Vec<Part>, ranking: Ranking },
    /// The values are in the answer; the details of so many of them are too.
    Details { known: usize },
}

#[derive(Deserialize)]
struct Filters {
    buckets: Vec<Value>,
}

impl<'a> Completion<'a> {
    /// Begins to complete the facet at a place of a plan; what is known already stays as it is.
    ///
    /// # Errors
    ///
    /// If the mapping does not have the field.
    pub(crate) fn new(asked: Asked<'a>, place: usize, known: FacetAnswer) -> Result<Self, EngineError> {
        let counted = Counted::new(asked, place)?;
        let ranking = Ranking::new(counted.request.buckets.unwrap_or(0));
        let phase = Phase::Values { left: vec![ALL], ranking };
        Ok(Self { counted, answer: known, phase })
    }

    /// Returns the body of the next search; nothing, if there is nothing left to ask.
    ///
    /// # Errors
    ///
    /// If a cluster cannot count the values of the field.
    pub(crate) fn next(&self) -> Result<Option<Value>, EngineError> {
        let asked = match &self.phase {
            Phase::Values { left, .. } => match left.last() {
                Some(part) => self.values(*part)?,
                None => return Ok(None),
            },
            Phase::Details { known } => {
                let values = self.answer.buckets.iter().skip(*known).take(DETAILS_AT_ONCE);
                let filters: Vec<Value> = values.map(|bucket| self.having(bucket)).collect::<Result<_, _>>()?;
                if filters.is_empty() || !has_details(&self.counted) {
                    return Ok(None);
                }
                let details = details(&self.counted);
                self.counted.aggregation("filters", json!({"filters": filters}), details)
            }
        };
        let Counted { asked: Asked { plan, mapping, .. }, request, .. } = self.counted;
        let mut aggregation = Map::from_iter([("t".to_owned(), asked)]);
        if request.elements != Filter::All {
            let filter = query(&request.elements, mapping);
            aggregation = Map::from_iter([("e".to_owned(), json!({"filter": filter, "aggs": aggregation}))]);
        }
        if !self.counted.level.is_empty() {
            let nested = json!({"nested": {"path": self.counted.level}, "aggs": aggregation});
            aggregation = Map::from_iter([("n".to_owned(), nested)]);
        }
        let records = query(&plan.filters[request.filter], mapping);
        Ok(Some(json!({"size": 0, "track_total_hits": false, "query": records, "aggs": aggregation})))
    }

    /// Takes the aggregations of the answer to what [`Completion::next`] asked.
    ///
    /// # Errors
    ///
    /// If they are not what was asked.
    pub(crate) fn take(&mut self, aggregations: &Value) -> Result<(), EngineError> {
        let mut found = Some(aggregations);
        if !self.counted.level.is_empty() {
            found = found.and_then(|found| found.get("n"));
        }
        if self.counted.request.elements != Filter::All {
            found = found.and_then(|found| found.get("e"));
        }
        let found = found.and_then(|found| found.get("t")).ok_or_else(malformed)?;
        match &mut self.phase {
            Phase::Values { left, ranking } => {
                let Some(part) = left.pop() else { return Ok(()) };
                let terms = Terms::read(Some(found))?;
                // What is enough of all values need not be enough of a part of them.
                match terms.has_all() || (part == ALL && terms.answer(&self.counted)) {
                    true => ranking.add(counts(terms, &self.counted)?),
                    false => left.extend(part.divided()),
                }
                if left.is_empty() {
                    self.rank();
                }
            }
            Phase::Details { known } => {
                let from = *known;
                *known += DETAILS_AT_ONCE;
                self.add_details(found, from)?;
            }
        }
        Ok(())
    }

    /// Returns the answer, when there is nothing left to ask.
    pub(crate) fn finish(self) -> FacetAnswer {
        self.answer
    }

    fn values(&self, part: Part) -> Result<Value, EngineError> {
        let buckets = BucketRequest {
            size: VALUES_AT_ONCE,
            part: (part != ALL).then_some(part),
            is_counting: self.counted.request.buckets.is_some(),
            has_details: false,
        };
        let source = self.counted.with_one_zero(self.counted.source()?);
        Ok(buckets.aggregation(source, &self.counted))
    }

    /// Puts the values that were chosen into the answer.
    fn rank(&mut self) {
        let details = Phase::Details { known: 0 };
        let Phase::Values { ranking, .. } = std::mem::replace(&mut self.phase, details) else { return };
        let (seen, best) = ranking.finish();
        if self.counted.request.distinct {
            self.answer.distinct = seen;
        }
        let bucket = |(value, count)| Bucket { value, count, top_hits: Vec::new(), filtered: Vec::new() };
        self.answer.buckets = best.into_iter().map(bucket).collect();
    }

    /// Returns the query for the elements that have the value of a bucket.
    fn having(&self, bucket: &Bucket) -> Result<Value, EngineError> {
        let field = self.counted.path_of_values()?.to_owned();
        Ok(query(&Filter::Terms { field, values: vec![bucket.value.clone()] }, self.counted.asked.mapping))
    }

    fn add_details(&mut self, found: &Value, from: usize) -> Result<(), EngineError> {
        let found = Filters::deserialize(found).map_err(|_| malformed())?;
        let chosen = self.answer.buckets.iter_mut().skip(from);
        for (bucket, found) in chosen.zip(found.buckets) {
            let records = if self.counted.level.is_empty() { Some(&found) } else { found.get("r") };
            let records = records.and_then(|records| Records::deserialize(records).ok()).ok_or_else(malformed)?;
            (bucket.top_hits, bucket.filtered) = records.details();
        }
        Ok(())
    }
}

impl Part {
    fn divided(self) -> impl Iterator<Item = Part> {
        (0..PARTS).map(move |step| Part { number: self.number + step * self.of, of: self.of * PARTS })
    }
}

/// Returns the values with their counts, as far as these are wanted.
fn counts(terms: Terms, counted: &Counted<'_>) -> Result<Vec<(TypedValue, u64)>, EngineError> {
    let counts = terms.buckets.into_iter().map(|bucket| {
        let value = values::read(&counted.field.kind, &bucket.key).ok_or_else(malformed)?;
        let count = if counted.request.buckets.is_some() { bucket.records(counted)? } else { 0 };
        Ok((value, count))
    });
    counts.collect()
}
