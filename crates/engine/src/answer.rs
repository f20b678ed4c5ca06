//! What an engine answers to a plan: plain data, in the order of the plan's requests.

use cantata_mapping::TypedValue;

use crate::{Cursor, Document};

/// The answer to a plan.
#[derive(Debug, Default)]
pub struct Answer {
    /// One for each of [`crate::Plan::hits`].
    pub hits: Vec<HitsAnswer>,
    /// One for each of [`crate::Plan::facets`].
    pub facets: Vec<FacetAnswer>,
}

/// A page of records.
#[derive(Debug, Clone, Default)]
pub struct HitsAnswer {
    /// How many records match in all, if that was asked.
    pub total: Option<u64>,
    /// The records, in order.
    pub hits: Vec<Hit>,
}

/// A record.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Its place in the order, with its id.
    pub cursor: Cursor,
    /// Its document, if that was asked.
    pub document: Option<Document>,
}

/// What was asked of the values of a field.
#[derive(Debug, Clone, Default)]
pub struct FacetAnswer {
    /// The most frequent values: by count from the greatest, equal counts by value from the least.
    pub buckets: Vec<Bucket>,
    /// The number of different values.
    pub distinct: u64,
    /// The number of records that have an element which lacks the field.
    pub missing: u64,
    /// The figures of the values.
    pub stats: Option<Stats>,
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
    /// The first of these records by id, if that was asked.
    pub top_hits: Vec<Document>,
    /// How many of these records pass each of the request's bucket filters.
    pub filtered: Vec<u64>,
}

/// The figures of a set of values; each value of each element counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    /// How many values.
    pub count: u64,
    /// The least; zero if there are none.
    pub min: f64,
    /// The greatest; zero if there are none.
    pub max: f64,
    /// The sum.
    pub sum: f64,
}
