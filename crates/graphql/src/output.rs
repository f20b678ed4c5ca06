//! The shape of a response, compiled from the selected fields. The writer walks it together with the engine's answer.
//!
//! Keys and everything that is known before the search are bytes of JSON; the rest refers to a value in the answer or
//! in a document.

mod facet;
mod json;
mod member_table;
mod node;

use std::sync::Arc;

use apollo_compiler::Name;

pub(crate) use facet::{
    BucketMember, BucketsOutput, FacetMember, FacetOutput, FacetSource, IntervalKeys, IntervalsMember, StatsMember,
};
pub(crate) use json::JsonSelection;
pub(crate) use member_table::MemberTable;
pub(crate) use node::{
    ConnectionMember, ConnectionOutput, EdgeMember, NodeMember, NodeOutput, ValueOrigin, ValuesOutput,
};

use crate::error::ErrorPathSegment;

/// Bytes of JSON.
pub(crate) type JsonBytes = Arc<[u8]>;

/// A member of an object of the response.
#[derive(Debug)]
pub(crate) struct OutputMember<T> {
    /// The name in error paths.
    pub(crate) name: Name,
    /// A comma, the name in quotes and a colon.
    pub(crate) key: Box<[u8]>,
    pub(crate) value: MemberValue<T>,
}

/// The value of a member.
#[derive(Debug)]
pub(crate) enum MemberValue<T> {
    /// A value that is known before the search.
    Ready(JsonBytes),
    /// A value that the search gives.
    Computed(T),
}

impl<T> OutputMember<T> {
    pub(crate) fn new(name: &Name, value: MemberValue<T>) -> Self {
        let key = [b",\"".as_slice(), name.as_bytes(), b"\":"].concat().into_boxed_slice();
        Self { name: name.clone(), key, value }
    }

    /// Returns the value, if the search gives it.
    pub(crate) fn computed(&self) -> Option<&T> {
        match &self.value {
            MemberValue::Computed(value) => Some(value),
            MemberValue::Ready(_) => None,
        }
    }
}

impl<T> MemberValue<T> {
    pub(crate) fn null() -> Self {
        Self::Ready(Arc::from(*b"null"))
    }

    /// Returns a name as a JSON string; names have nothing to escape.
    pub(crate) fn name(name: &str) -> Self {
        Self::Ready(format!("\"{name}\"").into_bytes().into())
    }
}

/// The index that a field is answered from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetIndex {
    /// The index of the records.
    Records,
    /// The index of the saved sets.
    Sets,
}

/// A value of the response.
#[derive(Debug)]
pub(crate) enum Output {
    /// An object.
    Object(Vec<OutputMember<Output>>),
    /// A page of records.
    Hits(Box<HitsOutput>),
    /// The facets of one `aggregations`.
    Facets { index: TargetIndex, members: Vec<OutputMember<FacetOutput>>, path: Vec<ErrorPathSegment> },
    /// The outcome of a command.
    Command { index: usize, selection: Vec<JsonSelection>, path: Vec<ErrorPathSegment> },
    /// The answer to a question to the network.
    Network { index: usize, selection: Vec<JsonSelection>, path: Vec<ErrorPathSegment> },
}

impl Output {
    /// Returns whether nested elements of records are filtered or sorted.
    pub(crate) fn selects_elements(&self) -> bool {
        match self {
            Self::Object(members) => members.iter().filter_map(OutputMember::computed).any(Self::selects_elements),
            Self::Hits(hits) => hits.connection.selects_elements(),
            Self::Facets { .. } | Self::Command { .. } | Self::Network { .. } => false,
        }
    }
}

/// A page of records.
#[derive(Debug)]
pub(crate) struct HitsOutput {
    pub(crate) index: TargetIndex,
    /// The page in the answer.
    pub(crate) page: usize,
    pub(crate) offset: u64,
    pub(crate) connection: Arc<ConnectionOutput>,
    pub(crate) path: Vec<ErrorPathSegment>,
}
