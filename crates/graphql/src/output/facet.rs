//! The output of facets.

use super::{OutputMember, TargetIndex};

/// One facet.
#[derive(Debug)]
pub(crate) struct FacetOutput {
    pub(crate) source: FacetSource,
    pub(crate) members: Vec<OutputMember<FacetMember>>,
}

/// Where the counts of a facet come from.
#[derive(Debug)]
pub(crate) enum FacetSource {
    /// A facet of the answer.
    Facet { index: TargetIndex, facet: usize },
    /// A field without values of its own: the total of a page in the answer is the number of records that lack it.
    MissingOnly { index: TargetIndex, page: usize },
}

#[derive(Debug)]
pub(crate) enum FacetMember {
    /// The number of distinct values.
    Distinct,
    /// The number of buckets: one for each distinct value, and one for missing values if there are any.
    DistinctAndMissing,
    Buckets(BucketsOutput),
    Stats(Vec<OutputMember<StatsMember>>),
    /// A histogram or a list of ranges.
    Intervals {
        list: usize,
        keys: IntervalKeys,
        members: Vec<OutputMember<IntervalsMember>>,
    },
}

/// Buckets, one for each value.
#[derive(Debug)]
pub(crate) struct BucketsOutput {
    pub(crate) limit: usize,
    /// Whether there is a bucket of missing values.
    pub(crate) missing: bool,
    /// Whether the values are numbers of single precision, whose keys have no more digits than that.
    pub(crate) single_precision: bool,
    pub(crate) members: Vec<OutputMember<BucketMember>>,
}

#[derive(Debug)]
pub(crate) enum BucketMember {
    Count,
    Key,
    KeyAsString,
    /// The first record, restricted to these paths; all of it if there are none.
    TopHit(Vec<String>),
    /// The number of records that match a bucket filter.
    Filtered(usize),
}

#[derive(Debug)]
pub(crate) enum StatsMember {
    Max,
    Min,
    Avg,
    Sum,
    Count,
}

/// The keys of the buckets of a histogram or of ranges.
#[derive(Debug)]
pub(crate) enum IntervalKeys {
    /// The lower bounds of a histogram.
    LowerBounds { is_date: bool },
    /// One for each range.
    Names(Vec<String>),
}

#[derive(Debug)]
pub(crate) enum IntervalsMember {
    Count,
    Buckets(BucketsOutput),
}
