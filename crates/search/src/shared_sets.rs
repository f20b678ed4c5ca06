//! Saved sets in the metadata store, so that all servers of a database have the same ones. A cluster is shared by them anyway, and
//! has its sets itself; this is for the embedded engine, of which each server has its own.
//!
//! The store has the sets; the index of the engine is a copy that is searched. Before a search the copy takes over what was
//! changed since its position, and needs no other notice of a change. A copy that has not seen removals before they were purged
//! is compared with the store. An index without a position was filled by an earlier version: its sets are imported first.

use std::sync::Arc;

use cantata_core::error_chain;
use cantata_engine::{EngineError, ExportRequest, Filter, SearchEngine, WriteOperation};
use cantata_store::{RecordBase, RecordKind, SharedRecord, Store, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{Mutex, OnceCell};

const KIND: RecordKind = RecordKind::SavedSet;

/// What precedes the number of a change in a position; positions that are numbers are those of events.
const POSITION_PREFIX: &str = "sets:";

/// How many sets are copied at a time; one may be large.
const PAGE_SIZE: usize = 50;

/// The sets of one index.
pub(crate) struct SharedSets {
    store: Arc<dyn Store>,
    engine: Arc<dyn SearchEngine>,
    index: String,
    imported: OnceCell<()>,
    /// Held while the index is brought up to date.
    copying: Mutex<()>,
}

/// A set as the store has it.
#[derive(Serialize, Deserialize)]
struct StoredSet {
    /// The index that it belongs to.
    index: String,
    set: Value,
}

impl SharedSets {
    /// Names the sets of an index; nothing is read yet.
    pub(crate) fn new(store: Arc<dyn Store>, engine: Arc<dyn SearchEngine>, index: &str) -> Self {
        Self { store, engine, index: index.to_owned(), imported: OnceCell::new(), copying: Mutex::new(()) }
    }

    /// Returns a set, and the change that made it what it is.
    pub(crate) async fn find(&self, id: &str) -> Result<Option<(Value, u64)>, EngineError> {
        self.import().await?;
        let record = self.store.record(KIND, id).await.map_err(|error| store_error(&error))?;
        Ok(record.and_then(|record| Some((self.read(&record)?, record.change))))
    }

    /// Adds a set of a new id.
    pub(crate) async fn add(&self, id: &str, set: &Value) -> Result<(), EngineError> {
        self.write(id, RecordBase::Absent, set).await.map(|_| ())
    }

    /// Replaces a set as a change has made it; returns false, and changes nothing, if it is another one by now, or gone.
    pub(crate) async fn replace(&self, id: &str, change: u64, set: &Value) -> Result<bool, EngineError> {
        self.write(id, RecordBase::Record(change), set).await
    }

    /// Removes a set as a change has made it; returns false, and changes nothing, if it is another one by now, or gone.
    pub(crate) async fn remove(&self, id: &str, change: u64) -> Result<bool, EngineError> {
        let written = self.store.write_record(KIND, id, RecordBase::Record(change), None).await;
        written.map(|change| change.is_some()).map_err(|error| store_error(&error))
    }

    /// Brings the index up to date; it must exist.
    pub(crate) async fn copy(&self) -> Result<(), EngineError> {
        self.import().await?;
        let _copying = self.copying.lock().await;
        let latest = self.store.latest_record_change(KIND).await.map_err(|error| store_error(&error))?;
        let position = self.engine.position(&self.index).await?;
        let position = position.and_then(|position| position.strip_prefix(POSITION_PREFIX)?.parse::<u64>().ok());
        // A store that was restored from a backup may be behind the index.
        let mut at = position.filter(|position| *position <= latest).unwrap_or_default();
        let mut is_compared = position.is_none();
        while at < latest {
            let page = self.store.records_after(KIND, at, PAGE_SIZE).await.map_err(|error| store_error(&error))?;
            // Asked after the page was read, which lacks what was purged meanwhile.
            if !is_compared && self.store.purged_records(KIND).await.map_err(|error| store_error(&error))? > at {
                self.remove_unknown().await?;
                is_compared = true;
            }
            // The latest changes may have been removals that were purged.
            at = page.last().map_or(latest, |last| last.change);
            let batch = page.iter().filter_map(|record| self.operation(record)).collect();
            let position = format!("{POSITION_PREFIX}{at}");
            let report = self.engine.write_with_position(&self.index, batch, &position).await?;
            if let Some(rejected) = report.rejected.into_iter().next() {
                tracing::warn!(set = rejected.id, reason = rejected.reason, "a saved set cannot be listed");
            }
        }
        Ok(())
    }

    /// Removes the sets from the index that the store does not have.
    async fn remove_unknown(&self) -> Result<(), EngineError> {
        let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: PAGE_SIZE };
        let mut export = self.engine.export(&self.index, request).await?;
        let mut unknown = Vec::new();
        while let Some(page) = export.next().await? {
            for hit in &page.hits {
                let id = &hit.cursor.id;
                if self.store.record(KIND, id).await.map_err(|error| store_error(&error))?.is_none() {
                    unknown.push(WriteOperation::Delete { id: id.clone() });
                }
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        self.engine.write(&self.index, unknown).await.map(|_| ())
    }

    fn operation(&self, record: &SharedRecord) -> Option<WriteOperation> {
        let id = record.id.clone();
        if record.document.is_none() {
            return Some(WriteOperation::Delete { id });
        }
        let set = self.read(record)?;
        Some(WriteOperation::Put { id, source: set.to_string().into_bytes() })
    }

    /// Reads a set of this index; one that cannot be read is none.
    fn read(&self, record: &SharedRecord) -> Option<Value> {
        let stored: StoredSet = serde_json::from_str(record.document.as_ref()?).ok()?;
        (stored.index == self.index).then_some(stored.set)
    }

    /// Imports the sets of an index that an earlier version has filled, once.
    async fn import(&self) -> Result<(), EngineError> {
        self.imported.get_or_try_init(|| self.import_index()).await.map(|_| ())
    }

    async fn import_index(&self) -> Result<(), EngineError> {
        match self.engine.position(&self.index).await {
            Ok(None) => {}
            Ok(Some(_)) | Err(EngineError::IndexNotFound(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
        let request = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: PAGE_SIZE };
        let mut export = match self.engine.export(&self.index, request).await {
            Err(EngineError::IndexNotFound(_)) => return Ok(()),
            export => export?,
        };
        while let Some(page) = export.next().await? {
            let sets = page.hits.iter().filter_map(|hit| {
                let set = serde_json::to_value(hit.document.as_ref()?.root()).ok()?;
                Some((hit.cursor.id.clone(), set))
            });
            for (id, set) in sets.collect::<Vec<(String, Value)>>() {
                self.write(&id, RecordBase::Absent, &set).await?;
            }
        }
        Ok(())
    }

    /// Writes a set; returns false, and changes nothing, unless the base holds.
    async fn write(&self, id: &str, base: RecordBase, set: &Value) -> Result<bool, EngineError> {
        let stored = StoredSet { index: self.index.clone(), set: set.clone() };
        let document = serde_json::to_string(&stored).map_err(|error| EngineError::Failed(error.to_string()))?;
        let written = self.store.write_record(KIND, id, base, Some(document)).await;
        written.map(|change| change.is_some()).map_err(|error| store_error(&error))
    }
}

/// Tells a failure of the store as one of the engine, which has the sets for all that clients know.
pub(crate) fn store_error(error: &StoreError) -> EngineError {
    let text = error_chain(error);
    match error {
        StoreError::Unavailable(_) | StoreError::OutcomeUnknown { .. } => {
            tracing::warn!(error = text, "the saved sets cannot be used at the moment");
            EngineError::Busy
        }
        StoreError::NotWritable { .. } => EngineError::NotWritable(text),
        StoreError::Failed { .. } | StoreError::Corrupt { .. } => EngineError::Failed(text),
    }
}
