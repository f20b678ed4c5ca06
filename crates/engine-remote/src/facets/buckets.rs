//! The most frequent values of a field, and what is told of each.

use cantata_engine::{Bucket, Document, EngineError};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::counted::Counted;
use super::{malformed, values};
use crate::query::query;

/// How many values the first request asks for at most.
const AT_FIRST: usize = 1_000;

/// The same where records are shown or filtered for each value.
const AT_FIRST_WITH_DETAILS: usize = 100;

/// What is asked of the values of a facet in one request.
pub(super) struct BucketRequest {
    /// How many values.
    pub(super) size: usize,
    /// Which of them: one of so many parts, into which the cluster divides them.
    pub(super) part: Option<Part>,
    /// Whether they are asked for with the records that they have, and in the order of these.
    pub(super) is_counting: bool,
    /// Whether what is told of each value is asked for too.
    pub(super) has_details: bool,
}

/// A part of all values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) number: u64,
    pub(super) of: u64,
}

/// The values as a cluster gives them.
#[derive(Deserialize)]
pub(super) struct Terms {
    doc_count_error_upper_bound: i64,
    sum_other_doc_count: u64,
    pub(super) buckets: Vec<TermsBucket>,
}

#[derive(Deserialize)]
pub(super) struct TermsBucket {
    pub(super) key: Value,
    doc_count: u64,
    r: Option<Records>,
    top: Option<TopHits>,
    f: Option<Filtered>,
}

/// What is told of the records of a bucket.
#[derive(Deserialize)]
pub(super) struct Records {
    pub(super) doc_count: u64,
    top: Option<TopHits>,
    f: Option<Filtered>,
}

#[derive(Deserialize)]
struct TopHits {
    hits: TopHitsPage,
}

#[derive(Deserialize)]
struct TopHitsPage {
    hits: Vec<TopHit>,
}

#[derive(Deserialize)]
struct TopHit {
    #[serde(rename = "_source")]
    source: Value,
}

#[derive(Deserialize)]
struct Filtered {
    buckets: Vec<FilteredBucket>,
}

#[derive(Deserialize)]
struct FilteredBucket {
    doc_count: u64,
}

impl BucketRequest {
    /// Returns what is asked first, within so many buckets; nothing, if neither values nor their number are wanted.
    pub(super) fn new(counted: &Counted<'_>, most: usize) -> Option<Self> {
        let request = counted.request;
        let has_details = has_details(counted);
        let at_first = match has_details {
            true => AT_FIRST_WITH_DETAILS.min(most / (1 + request.bucket_filters.len())),
            false => AT_FIRST.min(most),
        };
        // All values, if their number is wanted; with details that would be too much to ask.
        let size = match request.buckets {
            Some(wanted) if has_details || !request.distinct => wanted.min(at_first),
            None if !request.distinct => return None,
            _ => at_first,
        };
        Some(Self { size: size.max(1), part: None, is_counting: request.buckets.is_some(), has_details })
    }

    /// Returns the aggregation, at the level of the field.
    pub(super) fn aggregation(&self, source: Map<String, Value>, counted: &Counted<'_>) -> Value {
        let mut terms = source;
        terms.insert("size".to_owned(), json!(self.size));
        // What a shard leaves out makes the counts of all others uncertain, and it costs little to let it tell more.
        terms.insert("shard_size".to_owned(), json!(self.size.max(AT_FIRST)));
        if let Some(part) = self.part {
            terms.insert("include".to_owned(), json!({"partition": part.number, "num_partitions": part.of}));
        }
        if !self.is_counting {
            return json!({"terms": terms});
        }
        if !counted.level.is_empty() {
            terms.insert("order".to_owned(), json!([{"r": "desc"}, {"_key": "asc"}]));
        }
        let details = if self.has_details { details(counted) } else { Map::new() };
        counted.aggregation("terms", Value::Object(terms), details)
    }
}

impl Terms {
    /// Reads the values.
    pub(super) fn read(found: Option<&Value>) -> Result<Self, EngineError> {
        found.and_then(|found| Self::deserialize(found).ok()).ok_or_else(malformed)
    }

    /// Returns whether the values that a facet wants are here, with their exact counts and in order.
    pub(super) fn answer(&self, counted: &Counted<'_>) -> bool {
        if counted.has_two_zeros() && self.zeros() > 1 {
            return false;
        }
        let wanted = counted.request.buckets.unwrap_or(0);
        self.has_all() || (self.has_exact_counts() && !counted.request.distinct && wanted <= self.buckets.len())
    }

    /// Returns whether these are all values there are, with their exact counts.
    pub(super) fn has_all(&self) -> bool {
        self.has_exact_counts() && self.sum_other_doc_count == 0
    }

    /// Returns whether no shard left anything out.
    fn has_exact_counts(&self) -> bool {
        self.doc_count_error_upper_bound == 0
    }

    fn zeros(&self) -> usize {
        self.buckets.iter().filter(|bucket| bucket.key.as_f64() == Some(0.0)).count()
    }
}

impl TermsBucket {
    /// Returns the number of records.
    pub(super) fn records(&self, counted: &Counted<'_>) -> Result<u64, EngineError> {
        match &self.r {
            _ if counted.level.is_empty() => Ok(self.doc_count),
            Some(records) => Ok(records.doc_count),
            None => Err(malformed()),
        }
    }
}

/// Returns whether anything but their number is wanted of the records of each bucket.
pub(super) fn has_details(counted: &Counted<'_>) -> bool {
    counted.request.top_hits.is_some() || !counted.request.bucket_filters.is_empty()
}

/// Returns what is asked of the records of a bucket.
pub(super) fn details(counted: &Counted<'_>) -> Map<String, Value> {
    let asked = counted.asked;
    let mut details = Map::new();
    if let Some(top) = counted.request.top_hits {
        let order = json!([{asked.tie.field(): "asc"}]);
        details.insert("top".to_owned(), json!({"top_hits": {"size": top.size, "sort": order}}));
    }
    let places = &counted.request.bucket_filters;
    if !places.is_empty() {
        let filter = |place: &usize| query(&asked.plan.filters[*place], asked.mapping);
        let filters: Vec<Value> = places.iter().map(filter).collect();
        details.insert("f".to_owned(), json!({"filters": {"filters": filters}}));
    }
    details
}

/// Returns the buckets of values, in the order in which they came.
pub(super) fn read(terms: Terms, counted: &Counted<'_>) -> Result<Vec<Bucket>, EngineError> {
    let buckets = terms.buckets.into_iter().map(|bucket| {
        let value = values::read(&counted.field.kind, &bucket.key).ok_or_else(malformed)?;
        let count = bucket.records(counted)?;
        let own = Records { doc_count: bucket.doc_count, top: bucket.top, f: bucket.f };
        let records = bucket.r.unwrap_or(own);
        let (top_hits, filtered) = records.details();
        Ok(Bucket { value, count, top_hits, filtered })
    });
    buckets.collect()
}

impl Records {
    /// Returns the first records, and how many pass each of the filters.
    pub(super) fn details(self) -> (Vec<Document>, Vec<u64>) {
        let top = self.top.map(|top| top.hits.hits).unwrap_or_default();
        let filtered = self.f.map(|filtered| filtered.buckets).unwrap_or_default();
        (
            top.into_iter().map(|hit| Document::from(hit.source)).collect(),
            filtered.into_iter().map(|bucket| bucket.doc_count).collect(),
        )
    }
}
