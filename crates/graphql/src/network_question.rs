//! What a request asks of the network of its catalogue. The caller asks the nodes and gives the answer as JSON.
//!
//! The answer has the members of the GraphQL type `Network`. A facet in it, of all nodes or of one, has `bucket_count`,
//! `buckets` (with `key_as_string` if the texts of keys are needed), `cardinality` and `stats`, and one member for each of
//! its histograms and lists of ranges, which [`histogram_member`] and [`range_member`] name.

use std::time::Duration;

use cantata_sqon::Sqon;
use serde_json::Value;

/// What one field `network` asks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetworkQuestion {
    /// The filter of the client, whose fields are all visible to it.
    pub filter: Option<Sqon>,
    /// The records that the rules of the catalogue let the client see; `None`: all.
    pub visible: Option<Sqon>,
    /// Whether the filter is one that is allowed below a suppression threshold.
    pub has_plain_filter: bool,
    /// The suppression threshold of the client's view.
    pub suppression_threshold: Option<u64>,
    /// The argument `aggregations_filter_themselves`.
    pub filters_themselves: Option<bool>,
    /// The argument `include_missing`.
    pub includes_missing: Option<bool>,
    /// How old statistics of all records may be; `None`: every node is asked.
    pub max_age: Option<Duration>,
    /// The ids of the nodes that are asked; `None`: all.
    pub nodes: Option<Vec<String>>,
    /// The facets, each field once.
    pub facets: Vec<NetworkFacet>,
    /// Whether the facets of each node are shown too.
    pub by_node: bool,
}

/// What is asked of one field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetworkFacet {
    /// The flat name of the field.
    pub field: String,
    /// Whether the buckets of its values are needed.
    pub buckets: bool,
    /// How many of them are shown at most; `None`: all. Their number is that of all in any case.
    pub max_buckets: Option<usize>,
    /// Whether the texts of their keys are needed, such as `true` of `1`.
    pub key_texts: bool,
    /// Whether its statistics are needed.
    pub stats: bool,
    /// The intervals of its histograms.
    pub histograms: Vec<f64>,
    /// Its lists of ranges.
    pub ranges: Vec<Vec<NamedRange>>,
}

/// A range and the key of its bucket.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRange {
    /// The key.
    pub key: String,
    /// The lower bound, which is part of the range.
    pub from: Option<f64>,
    /// The upper bound, which is not.
    pub to: Option<f64>,
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The filter could single out few records.
    #[error(
        "Invalid filter: a node of the network shows counts only, so that a filter can only be a list of `in` \
         conditions in an `and`, each on another field, without `*`"
    )]
    Filter,
}

/// The answer to a question: an object, or why there is none.
pub type NetworkAnswer = Result<Value, NetworkError>;

/// Returns the name of the member of a facet's answer that has one of its histograms.
pub fn histogram_member(index: usize) -> String {
    format!("histogram_{index}")
}

/// Returns the name of the member of a facet's answer that has one of its lists of ranges.
pub fn range_member(index: usize) -> String {
    format!("range_{index}")
}
