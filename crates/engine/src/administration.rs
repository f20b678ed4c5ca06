//! What an engine that keeps its own files lets an administrator do.

use std::ops::Range;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::EngineError;

/// Looking after the indexes of an engine that keeps its own files.
#[async_trait]
pub trait IndexAdministration: Send + Sync + 'static {
    /// Returns the figures of an index.
    async fn stats(&self, index: &str) -> Result<IndexStats, EngineError>;

    /// Puts the files of an index together and drops what is deleted.
    async fn compact(&self, index: &str) -> Result<(), EngineError>;

    /// Reads an index as a whole and returns what is wrong with it.
    async fn verify(&self, index: &str) -> Result<Vec<String>, EngineError>;

    /// Takes in a part of an import; when this returns, it is part of the index and survives a crash.
    async fn import_chunk(
        &self,
        index: &str,
        chunk: ImportChunk,
        id_field: Option<String>,
    ) -> Result<ImportReport, EngineError>;

    /// Returns how far a source was taken in by an import that did not end.
    async fn import_position(&self, index: &str, source: &str) -> Result<u64, EngineError>;

    /// Ends an import: its source would be taken in from its start again.
    async fn end_import(&self, index: &str, source: &str) -> Result<(), EngineError>;
}

/// The figures of an index.
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

/// A part of the input of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportChunk {
    /// Where it comes from, such as the name of a file.
    pub source: String,
    /// The bytes that hold the documents.
    pub bytes: Vec<u8>,
    /// The documents: the line they begin at, and where their JSON stands among the bytes.
    pub documents: Vec<(u64, Range<usize>)>,
    /// How far the source was taken in when this chunk was; in whatever unit its reader counts.
    pub end: u64,
}

/// What became of a part of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// How many documents were taken.
    pub taken: u64,
    /// The documents that were refused.
    pub refused: Vec<ImportRefusal>,
}

/// A document that an import refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportRefusal {
    /// Where it comes from.
    pub source: String,
    /// The line it begins at.
    pub line: u64,
    /// Why.
    pub reason: String,
}
