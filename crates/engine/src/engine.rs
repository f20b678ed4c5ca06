//! The seam between the service and an engine.

use std::sync::Arc;

use async_trait::async_trait;
use cantata_mapping::IndexMapping;
use serde_json::Value;

use crate::{Alias, AliasChange, Answer, Document, EngineError, Filter, Hit, Plan, SortKey};

/// A search engine: indexes of documents, each with a mapping.
///
/// Every read sees one state of the index as a whole; an acknowledged write survives a crash and is seen by every read
/// that starts after it. Wherever an index is named, an alias that leads to one will do, but for making and removing
/// an index.
#[async_trait]
pub trait SearchEngine: Send + Sync + 'static {
    /// Returns the mapping of an index as it is now.
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError>;

    /// Runs a plan.
    async fn search(&self, index: &str, plan: Arc<Plan>) -> Result<Answer, EngineError>;

    /// Begins an export. It shows one state of the index, whatever is written meanwhile.
    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn Exporting>, EngineError>;

    /// Returns the document of an id.
    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError>;

    /// Returns for each id whether there is a document.
    async fn has_documents(&self, index: &str, ids: &[&str]) -> Result<Vec<bool>, EngineError> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.push(self.document(index, id).await?.is_some());
        }
        Ok(found)
    }

    /// Makes an index; without a mapping, or where one allows it, the documents bring the fields.
    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError>;

    /// Removes an index with everything in it, and the aliases that lead to it alone.
    async fn delete_index(&self, index: &str) -> Result<(), EngineError>;

    /// Returns all indexes, by name.
    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError>;

    /// Writes a batch: all of it, but for the documents that are refused one by one, becomes visible at once. Of
    /// several operations on one id the last one holds.
    async fn write(&self, index: &str, batch: Vec<Operation>) -> Result<BatchReport, EngineError>;

    /// Writes documents that the index does not have yet, as when it is filled for the first time; several calls may be
    /// under way at once. An engine may take them in faster than by [`SearchEngine::write`].
    async fn fill(&self, index: &str, documents: Vec<Operation>) -> Result<BatchReport, EngineError> {
        self.write(index, documents).await
    }

    /// Writes a batch, and notes with it how far its source has been read. After a crash the batch is never missing
    /// where the position is there.
    async fn write_at(&self, index: &str, batch: Vec<Operation>, position: &str) -> Result<BatchReport, EngineError>;

    /// Returns the position that was noted last; nothing if there never was one. A position belongs to the index: it
    /// goes with it, and one that is made anew has none.
    async fn position(&self, index: &str) -> Result<Option<String>, EngineError>;

    /// Adds fields to the mapping of an index, and replaces its `_meta` if there is one among what is given. A field
    /// that is there with another type is refused by its path, and then nothing is added.
    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError>;

    /// Returns all aliases, by name.
    async fn aliases(&self) -> Result<Vec<Alias>, EngineError>;

    /// Changes aliases: all of it or nothing, and at once. A reader finds what an alias led to before, or what it
    /// leads to afterwards.
    ///
    /// An alias that has the name of an index is refused. To remove one that is not there changes nothing.
    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError>;
}

/// A change of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Adds the document, or replaces the one of this id.
    Put {
        /// The id.
        id: String,
        /// The JSON text of the document, an object.
        source: Vec<u8>,
    },
    /// Removes the document of this id, if there is one.
    Delete {
        /// The id.
        id: String,
    },
}

/// What became of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchReport {
    /// How many documents were added or replaced.
    pub written: usize,
    /// How many documents were removed.
    pub deleted: usize,
    /// The operations that were refused.
    pub refused: Vec<Refusal>,
}

/// An operation that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its place in the batch.
    pub place: usize,
    /// The id.
    pub id: String,
    /// Why: the path, what was found and what was expected.
    pub reason: String,
}

/// An index, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSummary {
    /// The name.
    pub name: String,
    /// How many documents there are.
    pub documents: u64,
    /// How many bytes it takes on disk.
    pub bytes: u64,
}

/// What an export brings: every record that passes the filter, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportRequest {
    /// Which records.
    pub filter: Filter,
    /// The order; records equal in all keys are ordered by id.
    pub sort: Vec<SortKey>,
    /// How many records at most; nothing: all.
    pub limit: Option<u64>,
    /// How many records a page has.
    pub page_size: usize,
}

/// A part of an export.
#[derive(Debug)]
pub struct ExportPage {
    /// The records, in order; never none.
    pub hits: Vec<Hit>,
}

/// A running export. Dropping it ends it.
#[async_trait]
pub trait Exporting: Send {
    /// Returns how many records the export will bring.
    fn total(&self) -> u64;

    /// Returns the next page; nothing after the last one.
    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError>;
}
