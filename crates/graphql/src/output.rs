//! The shape of an answer, compiled from what was selected: what the writer walks through beside the engine's answer.
//!
//! Keys and everything that is known before the search are ready bytes; the rest says where in the answer or in a
//! document the value lies.

mod facet;
mod json;
mod node;
mod slots;

use std::sync::Arc;

use apollo_compiler::Name;

pub(crate) use facet::{
    BucketMember, Buckets, FacetMember, FacetOutput, FacetSource, ListKeys, ListedMember, StatsMember,
};
pub(crate) use json::JsonSelection;
pub(crate) use node::{Connection, ConnectionMember, EdgeMember, NestedMember, NodeMember, NodeOutput, Origin, Values};
pub(crate) use slots::Slots;

use crate::error::PathStep;

/// Bytes of JSON.
pub(crate) type Ready = Arc<[u8]>;

/// Returns the JSON `null`.
pub(crate) fn null() -> Ready {
    Arc::from(*b"null")
}

/// Returns a name as a JSON string; names have nothing to escape.
pub(crate) fn name_bytes(name: &str) -> Ready {
    format!("\"{name}\"").into_bytes().into()
}

/// A member of an object of the answer.
#[derive(Debug)]
pub(crate) struct Member<T> {
    /// The name, for error paths.
    pub(crate) name: Name,
    /// A comma, the name in quotes and a colon.
    pub(crate) key: Box<[u8]>,
    /// What stands there.
    pub(crate) value: T,
}

impl<T> Member<T> {
    pub(crate) fn new(name: &Name, value: T) -> Self {
        Self { name: name.clone(), key: format!(",\"{name}\":").into_bytes().into(), value }
    }
}

/// Which index something comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Index {
    /// That of the records.
    Records,
    /// That of the saved sets.
    Sets,
}

/// A value of the answer.
#[derive(Debug)]
pub(crate) enum Output {
    /// Known already.
    Ready(Ready),
    /// An object.
    Object(Vec<Member<Output>>),
    /// A page of records.
    Hits(HitsOutput),
    /// The facets of one `aggregations`.
    Facets { index: Index, members: Vec<Member<FacetOutput>>, path: Vec<PathStep> },
    /// What came of a command.
    Command { place: usize, selection: Vec<JsonSelection>, path: Vec<PathStep> },
}

/// A page of records.
#[derive(Debug)]
pub(crate) struct HitsOutput {
    pub(crate) index: Index,
    /// The place among the pages of the plan.
    pub(crate) place: usize,
    /// The number of records before the page.
    pub(crate) offset: u64,
    /// The members of the page.
    pub(crate) connection: Connection,
    pub(crate) path: Vec<PathStep>,
}
