//! Maintenance of indexes by an engine that keeps its own files.

use std::ops::Range;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// Statistics, compaction, verification and import of indexes kept in local files.
#[async_trait]
pub trait IndexMaintenance: Send + Sync + 'static {
    /// Returns the statistics of an index.
    async fn stats(&self, index: &str) -> Result<IndexStats, EngineError>;

    /// Merges the segments of an index and drops deleted documents.
    async fn compact(&self, index: &str) -> Result<(), EngineError>;

    /// Reads all of an index and returns the problems found.
    async fn verify(&self, index: &str) -> Result<Vec<String>, EngineError>;

    /// Imports a chunk of documents; when this returns, they are visible and durable.
    async fn import_chunk(&self, index: &str, chunk: ImportChunk, id_field: Option<String>) -> ImportOutcome;

    /// Returns the position of an unfinished import in its source.
    async fn import_position(&self, index: &str, source: &str) -> Result<u64, EngineError>;

    /// Ends an import; importing the source again starts at its beginning.
    async fn end_import(&self, index: &str, source: &str) -> Result<(), EngineError>;
}

/// The statistics of an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexStats {
    /// The name.
    pub name: String,
    /// How many documents there are.
    pub documents: u64,
    /// How many deleted documents still take space.
    pub deleted: u64,
    /// How many segments there are.
    pub segments: usize,
    /// How many bytes it takes on disk.
    pub bytes: u64,
    /// How many fields have values.
    pub fields: usize,
}

/// A chunk of the input of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportChunk {
    /// Where it comes from, such as the name of a file.
    pub source: String,
    /// The bytes that hold the documents.
    pub bytes: Vec<u8>,
    /// The documents: the line they begin at, and where their JSON stands among the bytes.
    pub documents: Vec<(u64, Range<usize>)>,
    /// The position in the source after this chunk, in the unit of its reader.
    pub end: u64,
}

/// The outcome of a chunk: a report on its documents, or why none of it was imported.
pub type ImportOutcome = Result<ImportReport, EngineError>;

/// What became of the documents of a chunk.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// How many documents were indexed.
    #[serde(rename = "taken")]
    pub indexed: u64,
    /// The documents that were rejected.
    #[serde(rename = "refused")]
    pub rejected: Vec<RejectedImport>,
}

/// A document that an import rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedImport {
    /// Where it comes from.
    pub source: String,
    /// The line it begins at.
    pub line: u64,
    /// Why it was rejected.
    pub reason: String,
}
