//! The plan of a request: all its filters, pages and facets, so that an engine can share work among them.
//!
//! Invariants: fields are paths of the index mapping that have values (aliases are resolved); `filter` of hits and
//! facets is an index into [`SearchPlan::filters`], which holds equal filters once; an element
//! filter is read at the level of the facet's field; numeric requests (stats, histograms, ranges) are made of numeric
//! and date fields only; intervals are finite and above zero; cursors fit the sort they come with; a sort by relevance
//! comes with the request for scores.

use std::hash::{Hash, Hasher};

use crate::{Cursor, Filter};

/// What a sort key names instead of a field to sort by relevance. No field has this name for a sort.
pub const RECORD_SCORE: &str = "_score";

/// One search of one index.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct SearchPlan {
    /// The filters over records that hits and facets refer to by index.
    pub filters: Vec<Filter>,
    /// The pages of records.
    pub hits: Vec<HitsRequest>,
    /// The facets.
    pub facets: Vec<FacetRequest>,
}

impl SearchPlan {
    /// Returns the index of a filter, which is added if it is new.
    pub fn add_filter(&mut self, filter: Filter) -> usize {
        match self.filters.iter().position(|known| *known == filter) {
            Some(index) => index,
            None => {
                self.filters.push(filter);
                self.filters.len() - 1
            }
        }
    }

    /// Returns the plan of one of the pages alone. Plans of equal pages are equal, whatever plans they come from.
    #[must_use]
    pub fn single_page(&self, index: usize) -> SearchPlan {
        let page = &self.hits[index];
        let mut single = SearchPlan::default();
        let mut add = |filter: usize| single.add_filter(self.filters[filter].clone());
        let filter = add(page.filter);
        let score = page.score.map(|score| ScoreRequest { query: add(score.query), within: add(score.within) });
        single.hits.push(HitsRequest { filter, score, ..page.clone() });
        single
    }

    /// Returns the plan of one of the facets alone. Plans of equal facets are equal, whatever plans they come from.
    #[must_use]
    pub fn single_facet(&self, index: usize) -> SearchPlan {
        let facet = &self.facets[index];
        let mut single = SearchPlan::default();
        let filter = single.add_filter(self.filters[facet.filter].clone());
        let bucket_filters = facet.bucket_filters.iter().map(|&index| single.add_filter(self.filters[index].clone()));
        let bucket_filters = bucket_filters.collect();
        single.facets.push(FacetRequest { filter, bucket_filters, ..facet.clone() });
        single
    }
}

/// A page of records. By default an empty one of all matching records, without their number.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct HitsRequest {
    /// Which records: an index into [`SearchPlan::filters`].
    pub filter: usize,
    /// How many records at most.
    pub size: usize,
    /// How many records to skip first.
    pub offset: usize,
    /// The order; records equal in all keys are ordered by id.
    pub sort: Vec<SortKey>,
    /// Only records after this one in the order.
    pub after: Option<Cursor>,
    /// Whether the number of all matching records is wanted.
    pub total: bool,
    /// Whether the documents of the records are wanted, beside ids and cursors.
    pub documents: bool,
    /// How the records are scored; nothing: no score is wanted, and none is computed.
    pub score: Option<ScoreRequest>,
}

/// How records are scored; see [`crate::relevance`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScoreRequest {
    /// The filter whose conditions score, an index into [`SearchPlan::filters`]. All records of the page pass it.
    pub query: usize,
    /// The records that statistics are made of, an index into [`SearchPlan::filters`]: those that the client may see,
    /// because a score tells how many others match.
    pub within: usize,
}

/// One key of an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SortKey {
    /// The path of the field, or [`RECORD_SCORE`] for the relevance; none is the id of the record.
    pub field: Option<String>,
    /// The direction.
    pub order: SortOrder,
    /// Which of several values counts.
    pub mode: SortMode,
    /// Where records without a value stand.
    pub missing: MissingOrder,
}

impl SortKey {
    /// Returns whether this sorts by relevance.
    pub fn is_score(&self) -> bool {
        self.field.as_deref() == Some(RECORD_SCORE)
    }
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
pub enum MissingOrder {
    /// Before all others.
    First,
    /// After all others.
    Last,
}

/// What to compute over the values of one field.
///
/// Counts are of records. A record is counted for a value if it passes the filter and has, at the level of the field,
/// an element with the value which passes the element filter and lies in elements that pass the ancestor filters; for a
/// field of the root level that element is the record itself. By default nothing is computed, over all elements.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FacetRequest {
    /// The path of the field.
    pub field: String,
    /// Which records: an index into [`SearchPlan::filters`].
    pub filter: usize,
    /// Which elements, read at the level of the field.
    pub elements: Filter,
    /// Which elements may be around them: tests of the nested containers above the level of the field, outermost first.
    pub ancestors: Vec<AncestorFilter>,
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
    /// For each bucket, this many of its first records in the order of ids.
    pub top_hits: Option<usize>,
    /// For each bucket, how many of its records pass these too: indexes into [`SearchPlan::filters`].
    pub bucket_filters: Vec<usize>,
}

/// A test of the elements around those that a facet counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AncestorFilter {
    /// The path of a nested container above the level of the facet's field.
    pub path: String,
    /// A test of its elements, read at their level.
    pub filter: Filter,
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
