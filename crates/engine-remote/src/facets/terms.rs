//! Terms aggregations: the most frequent values of a field, with top hits and filtered counts of each.

use cantata_engine::{Bucket, Document, EngineError};
use cantata_mapping::{FieldKind, TypedValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::field::FacetField;
use super::malformed;
use crate::query::query;

/// How many values the first request fetches at most.
const INITIAL_TERMS: usize = 1_000;

/// The same with top hits or filters for each value.
const INITIAL_TERMS_WITH_DETAILS: usize = 100;

/// A terms aggregation of one request.
pub(super) struct TermsRequest {
    /// How many values.
    pub(super) size: usize,
    /// The partition of the values; all if not given.
    pub(super) partition: Option<TermsPartition>,
    /// Whether to count the records of each value, and to sort by that count.
    pub(super) has_counts: bool,
    /// Whether to fetch top hits and filtered counts.
    pub(super) has_details: bool,
}

/// A partition of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TermsPartition {
    pub(super) number: u64,
    pub(super) count: u64,
}

/// The response of a terms aggregation.
#[derive(Deserialize)]
pub(super) struct TermsResponse {
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

/// The records of a bucket.
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

impl TermsRequest {
    /// Returns the first request, within a limit of buckets; nothing if neither values nor their number are requested.
    pub(super) fn new(facet_field: &FacetField<'_>, most: usize) -> Option<Self> {
        let request = facet_field.request;
        let has_details = has_details(facet_field);
        let at_first = match has_details {
            true => INITIAL_TERMS_WITH_DETAILS.min(most / (1 + request.bucket_filters.len())),
            false => INITIAL_TERMS.min(most),
        };
        // All values if their number is requested; with details that would be too much.
        let size = match request.buckets {
            Some(wanted) if has_details || !request.distinct => wanted.min(at_first),
            None if !request.distinct => return None,
            _ => at_first,
        };
        Some(Self { size: size.max(1), partition: None, has_counts: request.buckets.is_some(), has_details })
    }

    /// Returns the aggregation, at the level of the field.
    pub(super) fn aggregation(&self, source: Map<String, Value>, facet_field: &FacetField<'_>) -> Value {
        let mut terms = source;
        terms.insert("size".to_owned(), json!(self.size));
        // What one shard leaves out makes the counts of all others inexact, and a larger `shard_size` costs little.
        terms.insert("shard_size".to_owned(), json!(self.size.max(INITIAL_TERMS)));
        if let Some(partition) = self.partition {
            terms.insert(
                "include".to_owned(),
                json!({"partition": partition.number, "num_partitions": partition.count}),
            );
        }
        if !self.has_counts {
            return json!({"terms": terms});
        }
        if !facet_field.level.is_empty() {
            terms.insert("order".to_owned(), json!([{"r": "desc"}, {"_key": "asc"}]));
        }
        let details = if self.has_details { details(facet_field) } else { Map::new() };
        facet_field.aggregation("terms", Value::Object(terms), details)
    }
}

impl TermsResponse {
    /// Parses the aggregation.
    pub(super) fn read(found: Option<&Value>) -> Result<Self, EngineError> {
        found.and_then(|found| Self::deserialize(found).ok()).ok_or_else(malformed)
    }

    /// Returns whether these are the values that a facet requests, with exact counts and in order.
    pub(super) fn is_sufficient_for(&self, facet_field: &FacetField<'_>) -> bool {
        if facet_field.has_signed_zeros() && self.zeros() > 1 {
            return false;
        }
        let wanted = facet_field.request.buckets.unwrap_or(0);
        self.has_all() || (self.has_exact_counts() && !facet_field.request.distinct && wanted <= self.buckets.len())
    }

    /// Returns whether these are all values, with exact counts.
    pub(super) fn has_all(&self) -> bool {
        self.has_exact_counts() && self.sum_other_doc_count == 0
    }

    /// Returns whether no shard left out a value.
    fn has_exact_counts(&self) -> bool {
        self.doc_count_error_upper_bound == 0
    }

    fn zeros(&self) -> usize {
        self.buckets.iter().filter(|bucket| bucket.key.as_f64() == Some(0.0)).count()
    }
}

impl TermsBucket {
    /// Returns the number of records.
    pub(super) fn records(&self, facet_field: &FacetField<'_>) -> Result<u64, EngineError> {
        match &self.r {
            _ if facet_field.level.is_empty() => Ok(self.doc_count),
            Some(records) => Ok(records.doc_count),
            None => Err(malformed()),
        }
    }
}

/// Returns whether a facet requests top hits or filtered counts.
pub(super) fn has_details(facet_field: &FacetField<'_>) -> bool {
    facet_field.request.top_hits.is_some() || !facet_field.request.bucket_filters.is_empty()
}

/// Returns the sub-aggregations for top hits and filtered counts.
pub(super) fn details(facet_field: &FacetField<'_>) -> Map<String, Value> {
    let context = facet_field.context;
    let mut details = Map::new();
    if let Some(size) = facet_field.request.top_hits {
        let order = json!([{context.tie.field(): "asc"}]);
        details.insert("top".to_owned(), json!({"top_hits": {"size": size, "sort": order}}));
    }
    let indexes = &facet_field.request.bucket_filters;
    if !indexes.is_empty() {
        let filter = |index: &usize| query(&context.plan.filters[*index], context.mapping);
        let filters: Vec<Value> = indexes.iter().map(filter).collect();
        details.insert("f".to_owned(), json!({"filters": {"filters": filters}}));
    }
    details
}

/// Returns the buckets, in the order of the response.
pub(super) fn read(terms: TermsResponse, facet_field: &FacetField<'_>) -> Result<Vec<Bucket>, EngineError> {
    let buckets = terms.buckets.into_iter().map(|bucket| {
        let value = parse_key(&facet_field.field.kind, &bucket.key).ok_or_else(malformed)?;
        let count = bucket.records(facet_field)?;
        let own = Records { doc_count: bucket.doc_count, top: bucket.top, f: bucket.f };
        let records = bucket.r.unwrap_or(own);
        let (top_hits, filtered) = records.details();
        Ok(Bucket { value, count, top_hits, filtered })
    });
    buckets.collect()
}

impl Records {
    /// Returns the top hits, and the count of each filter.
    pub(super) fn details(self) -> (Vec<Document>, Vec<u64>) {
        let top = self.top.map(|top| top.hits.hits).unwrap_or_default();
        let filtered = self.f.map(|filtered| filtered.buckets).unwrap_or_default();
        (
            top.into_iter().map(|hit| Document::from(hit.source)).collect(),
            filtered.into_iter().map(|bucket| bucket.doc_count).collect(),
        )
    }
}

/// Parses a key; nothing if the field cannot have such a value.
pub(super) fn parse_key(kind: &FieldKind, key: &Value) -> Option<TypedValue> {
    Some(match kind {
        FieldKind::Boolean => TypedValue::Bool(key.as_i64()? != 0),
        FieldKind::Date { .. } => TypedValue::DateMillis(key.as_i64()?),
        FieldKind::DateNanos { .. } => TypedValue::DateNanos(key.as_i64()?),
        FieldKind::UnsignedLong => TypedValue::Unsigned(key.as_u64()?),
        FieldKind::Ip => TypedValue::Ip(key.as_str()?.parse::<std::net::IpAddr>().ok()?.to_canonical()),
        // Clusters multiply by the inverse of the factor, which is not as exact.
        FieldKind::ScaledFloat { scaling_factor } => {
            TypedValue::Double((key.as_f64()? * scaling_factor).round() / scaling_factor + 0.0)
        }
        kind if kind.is_integer() => TypedValue::Integer(key.as_i64()?),
        kind if kind.is_numeric() => TypedValue::Double(key.as_f64()? + 0.0),
        _ => TypedValue::Text(key.as_str()?.to_owned()),
    })
}
