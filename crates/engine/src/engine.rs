//! The interface between the service and an engine.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use cantata_mapping::IndexMapping;
use serde_json::Value;

use crate::{Alias, AliasChange, Document, EngineError, Filter, Hit, SearchPlan, SearchResponse, SortKey};

/// A search engine: indexes of documents, each with a mapping.
///
/// Every read sees one snapshot of the index; an acknowledged write survives a crash and is seen by every read that
/// starts after it, or after the next refresh if it is [`IndexWriter::write_unrefreshed`]. Wherever an index is named, an
/// alias of one will do, except for creating and deleting an index.
///
/// Implemented by everything that reads, writes and administers; code that does only one of these takes the narrower
/// trait.
pub trait SearchEngine: IndexReader + IndexWriter + IndexAdmin {}

impl<E: IndexReader + IndexWriter + IndexAdmin> SearchEngine for E {}

/// Searching indexes.
#[async_trait]
pub trait IndexReader: Send + Sync + 'static {
    /// Returns the current mapping of an index.
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError>;

    /// Returns the paths of the fields that have several values in a document, or in an element of a nested container;
    /// nothing if the engine cannot tell without reading the documents.
    async fn list_fields(&self, _index: &str) -> Result<Option<BTreeSet<String>>, EngineError> {
        Ok(None)
    }

    /// Runs a plan.
    async fn search(&self, index: &str, plan: Arc<SearchPlan>) -> Result<SearchResponse, EngineError>;

    /// Starts an export. It reads one snapshot of the index, whatever is written meanwhile.
    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn ExportStream>, EngineError>;

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
}

/// Writing documents.
#[async_trait]
pub trait IndexWriter: Send + Sync + 'static {
    /// Writes a batch: everything but the rejected operations becomes visible at once. Of several operations on one
    /// id the last one wins.
    async fn write(&self, index: &str, batch: Vec<WriteOperation>) -> BatchOutcome;

    /// Writes documents that the index does not have yet, as in an initial load; calls may run concurrently. An engine
    /// may be faster at this than at [`IndexWriter::write`].
    async fn bulk_load(&self, index: &str, documents: Vec<WriteOperation>) -> BatchOutcome {
        self.write(index, documents).await
    }

    /// Writes a batch together with the position up to which its source has been read. After a crash the batch is
    /// never missing where the position is there.
    async fn write_with_position(&self, index: &str, batch: Vec<WriteOperation>, position: &str) -> BatchOutcome;

    /// Writes a batch with its position like [`IndexWriter::write_with_position`], but searches may miss it until the next
    /// [`IndexWriter::refresh`] of the index. An engine may be faster at this.
    async fn write_unrefreshed(&self, index: &str, batch: Vec<WriteOperation>, position: &str) -> BatchOutcome {
        self.write_with_position(index, batch, position).await
    }

    /// Refreshes an index: everything that was written to it before, by whatever process, is visible afterwards.
    async fn refresh(&self, _index: &str) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns how long changes that come one after the other may wait for a refresh; zero where a refresh costs nothing.
    fn refresh_interval(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the last position written; nothing if there never was one. A position belongs to its index: it is
    /// deleted with it, and an index that is created again has none.
    async fn position(&self, index: &str) -> Result<Option<String>, EngineError>;

    /// Says why an index cannot be read or written at the moment, as far as that is known. One that failed is tried again.
    async fn check_health(&self) -> Result<(), EngineError> {
        Ok(())
    }

    /// Returns why the background work of an index failed, as far as that is known, and until it succeeds. The index is read
    /// and written meanwhile, but may take more and more memory, space and time.
    fn maintenance_failure(&self, _index: &str) -> Option<EngineError> {
        None
    }
}

/// Creating, deleting and changing indexes and aliases.
#[async_trait]
pub trait IndexAdmin: Send + Sync + 'static {
    /// Creates an index; without a mapping, or where one allows it, documents add the fields.
    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError>;

    /// Deletes an index with its documents, and the aliases that point to it alone.
    async fn delete_index(&self, index: &str) -> Result<(), EngineError>;

    /// Returns all indexes, by name.
    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError>;

    /// Adds fields to the mapping of an index, and replaces its `_meta` if one is given. A field that exists with
    /// another type is an error that names its path, and then nothing is added.
    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError>;

    /// Returns all aliases, by name.
    async fn aliases(&self) -> Result<Vec<Alias>, EngineError>;

    /// Changes aliases atomically: a reader resolves an alias as it was before all changes, or after all of them.
    ///
    /// An alias with the name of an index is rejected. Removing one that does not exist changes nothing.
    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError>;
}

/// A change of one document in a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteOperation {
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

impl WriteOperation {
    /// Returns the id of the document.
    pub fn id(&self) -> &str {
        let (Self::Put { id, .. } | Self::Delete { id }) = self;
        id
    }
}

/// The outcome of a batch: a report on its operations, or why none of it was written.
pub type BatchOutcome = Result<BatchReport, EngineError>;

/// What became of the operations of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BatchReport {
    /// How many documents were added or replaced.
    pub written: usize,
    /// How many documents were removed.
    pub deleted: usize,
    /// The operations that were rejected.
    pub rejected: Vec<RejectedOperation>,
}

impl BatchReport {
    /// Adds a rejected operation.
    pub fn reject(&mut self, batch_index: usize, id: &str, reason: &impl ToString) {
        self.rejected.push(RejectedOperation { batch_index, id: id.to_owned(), reason: reason.to_string() });
    }

    /// Returns the indexes of the rejected operations in the batch.
    pub fn rejected_indexes(&self) -> Vec<usize> {
        self.rejected.iter().map(|rejected| rejected.batch_index).collect()
    }
}

/// An operation that the index rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedOperation {
    /// Its index in the batch.
    pub batch_index: usize,
    /// The id.
    pub id: String,
    /// Why: the path, what was found and what was expected.
    pub reason: String,
}

/// Name and size of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexSummary {
    /// The name.
    pub name: String,
    /// How many documents there are.
    pub documents: u64,
    /// How many bytes it takes on disk.
    pub bytes: u64,
    /// Why it cannot be used, and what to do; nothing if it can.
    pub problem: Option<String>,
}

/// Which records an export returns, and in which order.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportRequest {
    /// Which records.
    pub filter: Filter,
    /// The order; records equal in all keys are ordered by id.
    pub sort: Vec<SortKey>,
    /// How many records at most; all if not given.
    pub limit: Option<u64>,
    /// How many records a page has.
    pub page_size: usize,
}

/// A page of an export.
#[derive(Debug)]
pub struct ExportPage {
    /// The records, in order; never empty.
    pub hits: Vec<Hit>,
}

/// A running export, read page by page. Dropping it ends it.
#[async_trait]
pub trait ExportStream: Send {
    /// Returns the total number of records.
    fn total(&self) -> u64;

    /// Returns the next page; nothing after the last one.
    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError>;
}
