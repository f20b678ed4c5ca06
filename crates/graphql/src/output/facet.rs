//! What is shown of the values of a field.

use super::{Index, Member, Ready};

/// One facet.
#[derive(Debug)]
pub(crate) struct FacetOutput {
    pub(crate) source: FacetSource,
    pub(crate) members: Vec<Member<FacetMember>>,
}

/// Where the counts come from.
#[derive(Debug)]
pub(crate) enum FacetSource {
    /// Nowhere: the whole facet is known already.
    Known(Ready),
    /// A facet of the plan.
    Facet { index: Index, place: usize },
    /// A field without values: the number of records in a page of the plan lacks it, that is, all of them.
    Lacking { index: Index, place: usize },
}

#[derive(Debug)]
pub(crate) enum FacetMember {
    Ready(Ready),
    /// The number of different values.
    Distinct,
    Buckets(Buckets),
    Stats(Vec<Member<StatsMember>>),
    /// A histogram or a list of ranges.
    Listed {
        place: usize,
        keys: ListKeys,
        members: Vec<Member<ListedMember>>,
    },
}

/// Buckets, one for each value.
#[derive(Debug)]
pub(crate) struct Buckets {
    /// How many at most.
    pub(crate) limit: usize,
    /// Whether records that lack the field have one too.
    pub(crate) missing: bool,
    pub(crate) members: Vec<Member<BucketMember>>,
}

#[derive(Debug)]
pub(crate) enum BucketMember {
    Ready(Ready),
    Count,
    Key,
    KeyAsString,
    /// The first record, as far as it lies at or below these paths; all of it if there are none.
    TopHit(Vec<String>),
    /// The number of records that pass a bucket filter.
    Filtered(usize),
}

#[derive(Debug)]
pub(crate) enum StatsMember {
    Ready(Ready),
    Max,
    Min,
    Avg,
    Sum,
    Count,
}

/// The keys of buckets that are not of values.
#[derive(Debug)]
pub(crate) enum ListKeys {
    /// The lower ends of a histogram; of moments or of numbers.
    Ends { moments: bool },
    /// One for each range.
    Names(Vec<String>),
}

#[derive(Debug)]
pub(crate) enum ListedMember {
    Ready(Ready),
    Count,
    Buckets(Buckets),
}

impl FacetOutput {
    /// Returns a facet that is known already.
    pub(crate) fn ready(bytes: Ready) -> Self {
        Self { source: FacetSource::Known(bytes), members: Vec::new() }
    }
}
