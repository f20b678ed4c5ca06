//! The response to a plan: plain data, in the order of the plan's requests.

use cantata_mapping::TypedValue;

use crate::{Cursor, Document};

/// The response to a plan.
#[derive(Debug, Default)]
pub struct SearchResponse {
    /// One for each of [`crate::SearchPlan::hits`].
    pub hits: Vec<HitsResult>,
    /// One for each of [`crate::SearchPlan::facets`].
    pub facets: Vec<FacetResult>,
}

/// A page of records.
#[derive(Debug, Clone, Default)]
pub struct HitsResult {
    /// The total number of matching records, if requested.
    pub total: Option<u64>,
    /// The records, in order.
    pub hits: Vec<Hit>,
}

/// A record.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Its position in the sort order, with its id.
    pub cursor: Cursor,
    /// Its document, if requested.
    pub document: Option<Document>,
    /// Its relevance, if requested; never negative.
    pub score: Option<f32>,
}

/// The result of a facet request.
#[derive(Debug, Clone, Default)]
pub struct FacetResult {
    /// The most frequent values: by count from the greatest, equal counts by value from the least.
    pub buckets: Vec<Bucket>,
    /// The number of different values.
    pub distinct: u64,
    /// The number of records that have an element which lacks the field.
    pub missing: u64,
    /// The statistics of the values.
    pub stats: Option<FieldStats>,
    /// For each histogram, the lower ends of its buckets in order, from the first that is not empty to the last such,
    /// with their counts.
    pub histograms: Vec<Vec<(f64, u64)>>,
    /// For each list of ranges, their counts.
    pub ranges: Vec<Vec<u64>>,
}

/// A value with its count.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// The value.
    pub value: TypedValue,
    /// How many records have it.
    pub count: u64,
    /// The first of these records by id, if requested.
    pub top_hits: Vec<Document>,
    /// How many of these records pass each of the request's bucket filters.
    pub filtered: Vec<u64>,
}

/// The statistics of a set of values; each value of each element counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldStats {
    /// How many values.
    pub count: u64,
    /// The least; zero if there are none.
    pub min: f64,
    /// The greatest; zero if there are none.
    pub max: f64,
    /// The sum.
    pub sum: f64,
}
