//! The plan of a request: everything it wants to know, in one piece, so that an engine can share the work.
//!
//! Invariants, kept by whoever makes a plan: fields are paths of the index mapping that have values (aliases are
//! resolved); `filter` of hits and facets is a place in [`Plan::filters`], equal filters stand there once; an element
//! filter is read at the level of the facet's field; numeric requests (stats, histograms, ranges) are made of numeric
//! and date fields only; intervals are finite and above zero; cursors fit the sort they come with.

use std::hash::{Hash, Hasher};

use crate::{Cursor, Filter};

/// Everything that one request wants to know of one index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Plan {
    /// The filters over records that hits and facets refer to by place.
    pub filters: Vec<Filter>,
    /// The pages of records.
    pub hits: Vec<HitsRequest>,
    /// The facets.
    pub facets: Vec<FacetRequest>,
}

impl Plan {
    /// Returns the place of a filter, which is added if it is new.
    pub fn filter(&mut self, filter: Filter) -> usize {
        match self.filters.iter().position(|known| *known == filter) {
            Some(place) => place,
            None => {
                self.filters.push(filter);
                self.filters.len() - 1
            }
        }
    }

    /// Returns the plan that asks for one of the pages alone; equal ones are equal whatever plans they come from.
    #[must_use]
    pub fn of_page(&self, place: usize) -> Plan {
        let page = &self.hits[place];
        Plan {
            filters: vec![self.filters[page.filter].clone()],
            hits: vec![HitsRequest { filter: 0, ..page.clone() }],
            facets: Vec::new(),
        }
    }

    /// Returns the plan that asks for one of the facets alone; equal ones are equal whatever plans they come from.
    #[must_use]
    pub fn of_facet(&self, place: usize) -> Plan {
        let facet = &self.facets[place];
        let mut alone = Plan::default();
        let filter = alone.filter(self.filters[facet.filter].clone());
        let bucket_filters = facet.bucket_filters.iter().map(|&place| alone.filter(self.filters[place].clone()));
        let bucket_filters = bucket_filters.collect();
        alone.facets.push(FacetRequest { filter, bucket_filters, ..facet.clone() });
        alone
    }
}

/// A page of records.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HitsRequest {
    /// Which records: a place in [`Plan::filters`].
    pub filter: usize,
    /// How many records at most.
    pub size: usize,
    /// How many records are passed over first.
    pub offset: usize,
    /// The order; records equal in all keys are ordered by id.
    pub sort: Vec<SortKey>,
    /// Only records after this one in the order.
    pub after: Option<Cursor>,
    /// Whether the number of all matching records is wanted.
    pub total: bool,
    /// Whether the documents of the records are wanted, beside ids and cursors.
    pub documents: bool,
}

/// One key of an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SortKey {
    /// The path of the field; nothing stands for the id of the record.
    pub field: Option<String>,
    /// The direction.
    pub order: SortOrder,
    /// Which of several values counts.
    pub mode: SortMode,
    /// Where records without a value stand.
    pub missing: Missing,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SortOrder {
    /// The least first.
    Ascending,
    /// The greatest first.
    Descending,
}

/// Which of several values of a record, also those of all its nested elements, an order goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SortMode {
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// The sum; numbers and dates only.
    Sum,
    /// The mean; numbers and dates only.
    Avg,
}

/// Where records without a value stand in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Before all others.
    First,
    /// After all others.
    Last,
}

/// What is wanted of the values of one field.
///
/// Counts are of records. A record is counted for a value if it passes the filter and has, at the level of the field,
/// an element with the value which passes the element filter; for a field of the root level that element is the record
/// itself.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetRequest {
    /// The path of the field.
    pub field: String,
    /// Which records: a place in [`Plan::filters`].
    pub filter: usize,
    /// Which elements, read at the level of the field.
    pub elements: Filter,
    /// How many values with their counts: the most frequent ones, equal ones by value. Nothing: none are wanted.
    pub buckets: Option<usize>,
    /// Whether the number of different values is wanted.
    pub distinct: bool,
    /// Whether the number of records with an element that lacks the field is wanted.
    pub missing: bool,
    /// Whether the least, the greatest, the sum and the number of the values are wanted.
    pub stats: bool,
    /// Histograms, each by its interval.
    pub histograms: Vec<f64>,
    /// Lists of ranges.
    pub ranges: Vec<Vec<NumberRange>>,
    /// For each bucket, its first records in the order of ids.
    pub top_hits: Option<TopHitsRequest>,
    /// For each bucket, how many of its records pass these too: places in [`Plan::filters`].
    pub bucket_filters: Vec<usize>,
}

/// Intervals and ends of ranges are never NaN.
impl Eq for FacetRequest {}

impl Hash for FacetRequest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Requests that differ in anything else are rare.
        (&self.field, self.filter, &self.elements, self.buckets).hash(state);
    }
}

/// A range of numbers, or of milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    /// The lower end, part of the range.
    pub from: Option<f64>,
    /// The upper end, not part of the range.
    pub to: Option<f64>,
}

/// The first records of each bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TopHitsRequest {
    /// How many.
    pub size: usize,
}
