//! Indexes and imports.

use cantata_engine::IndexSummary;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// An index, in short.
#[derive(Serialize, ToSchema)]
pub(crate) struct IndexInShort {
    /// The name.
    name: String,
    /// How many documents there are.
    #[schema(minimum = 0)]
    documents: u64,
    /// How many bytes it takes on disk.
    #[schema(minimum = 0)]
    bytes: u64,
    /// Why it cannot be used, and what to do; absent if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    problem: Option<String>,
}

impl From<IndexSummary> for IndexInShort {
    fn from(summary: IndexSummary) -> Self {
        let IndexSummary { name, documents, bytes, problem } = summary;
        Self { name, documents, bytes, problem }
    }
}

/// The figures of an index.
#[derive(ToSchema)]
pub(crate) struct IndexFigures {
    /// The name.
    name: String,
    /// How many documents there are.
    #[schema(minimum = 0)]
    documents: u64,
    /// How many deleted documents still take space.
    #[schema(minimum = 0)]
    deleted: u64,
    /// How many segments there are.
    #[schema(minimum = 0)]
    segments: u64,
    /// How many bytes it takes on disk.
    #[schema(minimum = 0)]
    bytes: u64,
    /// How many fields have values.
    #[schema(minimum = 0)]
    fields: u64,
}

/// The mapping of an index, in the form that the engines use.
#[derive(ToSchema)]
pub(crate) struct IndexMappingBody {
    /// The fields by name.
    #[schema(value_type = Object)]
    properties: Map<String, Value>,
}

/// What is wrong with an index.
#[derive(ToSchema)]
pub(crate) struct IndexProblems {
    /// A sentence for each problem.
    problems: Vec<String>,
}

/// What became of a part of an import.
#[derive(ToSchema)]
pub(crate) struct ImportOutcome {
    /// How many documents were taken; of several with one id, one.
    #[schema(minimum = 0)]
    taken: u64,
    /// The documents that were refused.
    refused: Vec<RefusedDocument>,
}

/// A document that was refused.
#[derive(ToSchema)]
pub(crate) struct RefusedDocument {
    /// Where it comes from.
    source: String,
    /// The line it is in.
    #[schema(minimum = 1)]
    line: u64,
    /// Why: the path, what was found and what was expected.
    reason: String,
}

/// How far a source was taken in.
#[derive(ToSchema)]
pub(crate) struct ImportPosition {
    /// In bytes from its start.
    #[schema(minimum = 0)]
    position: u64,
}
