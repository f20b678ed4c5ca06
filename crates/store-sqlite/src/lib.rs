//! The embedded store: SQLite, one writer thread with group commit, many readers.
//!
//! `metadata.db` holds everything and is written with full durability (WAL, an fsync before every answer);
//! `lookup.db` is an index derived from it. Point reads take microseconds and run on the caller's thread; whatever
//! may read many rows runs on the blocking pool.

mod analyses;
mod check;
mod checksum;
mod copy;
mod cursors;
mod database;
mod document_cache;
mod events;
mod file_block;
mod files;
mod lookup;
mod missing_checksums;
mod reader_pool;
mod records;
mod revisions;
mod studies;
mod types;
mod wal;
mod write_context;
mod writer;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use cantata_core::{AnalysisId, AnalysisType, Event, ObjectId, Study};
use cantata_durable_file as durable_file;
use cantata_store::{
    AnalysisChange, AnalysisQuery, DuplicateRule, FileFilter, FileLocation, FileRow, InsertOutcome, NewAnalysis,
    NewAnalysisType, ObjectIdPattern, PageRange, RecordKind, RecordWrite, ReplaceOutcome, Result, Revision,
    SharedRecord, StateSet, Store, StoreError, StoredAnalysis, TypeQuery,
};
use tokio::sync::watch;

pub use crate::check::{check_database, last_event};
pub use crate::copy::copy_database;
pub use crate::database::METADATA_FILE;
pub use crate::lookup::{check_lookup, remove_lookup};
pub use crate::wal::check_wal;

use crate::database::{StorePaths, open_writer};
use crate::document_cache::DocumentCache;
use crate::file_block::FileBlock;
use crate::lookup::{Lookup, LookupScreen, LookupWriter};
use crate::missing_checksums::ChecksumFiller;
use crate::reader_pool::{Reader, ReaderPool, with_snapshot};
use crate::write_context::WriteContext;
use crate::writer::Writer;

/// How many lookup entries are buffered in memory before they are flushed, by default.
const DEFAULT_LOOKUP_BATCH_ENTRIES: usize = 65_536;

/// A store in a folder.
pub struct SqliteStore {
    // Dropped before the writer: SQLite removes the WAL only when the last connection is closed.
    readers: Arc<ReaderPool>,
    // Dropped before the writer, which it waits for, and after the lookup of the readers, which the writer may wait for.
    _checksums: Option<ChecksumFiller>,
    writer: Writer,
    cache: Arc<DocumentCache>,
    screen: LookupScreen,
    latest_event: watch::Receiver<u64>,
    _lock: File,
}

impl SqliteStore {
    /// Opens the store in a folder, which is created if it is missing.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with_lookup_batch(folder, DEFAULT_LOOKUP_BATCH_ENTRIES)
    }

    /// Opens the store in a folder; `lookup_batch` lookup entries, two for each file, are buffered before a flush.
    pub fn open_with_lookup_batch(folder: &Path, lookup_batch: usize) -> Result<Self> {
        durable_file::create_folder(folder).map_err(|error| StoreError::failed("making the data folder", error))?;
        let files = StorePaths::within(folder);
        let lock = files.lock()?;
        check_wal(folder)?;
        let connection = open_writer(&files.metadata)?;
        cursors::clear_leases(&connection)?;
        let lookup = Lookup::start(&files, &connection, lookup_batch)?;
        let last_event = events::latest(&connection)?;
        let (event_sender, latest_event) = watch::channel(last_event);
        let context = WriteContext {
            connection,
            lookup: LookupWriter::new(lookup.reader()?),
            last_event,
            changed: Vec::new(),
            inserted: Vec::new(),
            state_counts: Vec::new(),
        };
        let cache = Arc::new(DocumentCache::new());
        let writer = Writer::start(context, Arc::clone(&cache), event_sender)?;
        let screen = lookup.screen();
        let checksums = match writer.queue() {
            Some(queue) => ChecksumFiller::start(&files.metadata, queue)?,
            None => None,
        };
        let readers = Arc::new(ReaderPool::new(files, lookup));
        Ok(Self { _checksums: checksums, readers, writer, cache, screen, latest_event, _lock: lock })
    }

    /// Runs a long read on the blocking pool.
    async fn read_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Reader) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let readers = Arc::clone(&self.readers);
        tokio::task::spawn_blocking(move || readers.read(work))
            .await
            .map_err(|error| StoreError::failed("reading on the blocking pool", error))?
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn create_study(&self, study: Study) -> Result<bool> {
        self.writer.write(move |context| studies::create(&context.connection, &study)).await
    }

    async fn study(&self, study_id: &str) -> Result<Option<Study>> {
        self.readers.read(|reader| studies::find(&reader.metadata, study_id))
    }

    async fn study_ids(&self) -> Result<Vec<String>> {
        self.readers.read(|reader| studies::ids(&reader.metadata))
    }

    async fn register_type(&self, new: NewAnalysisType) -> Result<AnalysisType> {
        self.writer.write(move |context| types::register(&context.connection, new)).await
    }

    async fn seed_types(&self, types: Vec<NewAnalysisType>) -> Result<()> {
        self.writer.write(move |context| types::seed(&context.connection, types)).await
    }

    async fn analysis_type(&self, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
        self.readers.read(|reader| types::find(&reader.metadata, name, version))
    }

    async fn latest_type_version(&self, name: &str) -> Result<Option<u32>> {
        self.readers.read(|reader| types::latest_version(&reader.metadata, name))
    }

    async fn list_types(&self, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
        let query = query.clone();
        self.read_blocking(move |reader| with_snapshot(reader, || types::list(&reader.metadata, &query))).await
    }

    async fn insert_analysis(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<InsertOutcome> {
        let mut new = new;
        let block = FileBlock::new(std::mem::take(&mut new.files), self.screen.key());
        let block = if duplicates == DuplicateRule::Allow { block } else { block.screened(&self.screen) };
        self.writer.write(move |context| revisions::insert(context, new, &block, duplicates)).await
    }

    async fn find_duplicate(&self, files: &[FileRow], duplicates: DuplicateRule) -> Result<Option<InsertOutcome>> {
        let block = FileBlock::new(files.to_vec(), self.screen.key());
        self.readers.read(|reader| {
            with_snapshot(reader, || files::find_duplicate(&reader.metadata, &reader.lookup, &block, duplicates))
        })
    }

    async fn replace_analysis(&self, change: AnalysisChange) -> Result<ReplaceOutcome> {
        let mut change = change;
        let block = FileBlock::new(std::mem::take(&mut change.changed_files), self.screen.key());
        self.writer.write(move |context| revisions::replace(context, &change, &block)).await
    }

    async fn analysis(&self, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
        if let Some(stored) = self.cache.get(id) {
            return Ok(Some(stored));
        }
        let generation = self.cache.generation();
        let stored = self.readers.read(|reader| analyses::find(&reader.metadata, id))?;
        if let Some(stored) = &stored {
            self.cache.insert_if_current(generation, id, stored);
        }
        Ok(stored)
    }

    async fn list_analyses(&self, query: &AnalysisQuery) -> Result<Vec<Revision>> {
        let query = query.clone();
        self.read_blocking(move |reader| analyses::list(&reader.metadata, &query)).await
    }

    async fn count_analyses(&self, study_id: &str, states: StateSet) -> Result<u64> {
        self.readers.read(|reader| analyses::count_in_states(&reader.metadata, study_id, states))
    }

    async fn documents(&self, revisions: &[Revision]) -> Result<Vec<String>> {
        let revisions = revisions.to_vec();
        self.read_blocking(move |reader| with_snapshot(reader, || analyses::documents(&reader.metadata, &revisions)))
            .await
    }

    async fn search_by_file(&self, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
        let (study_id, pattern) = (study_id.to_owned(), pattern.clone());
        self.read_blocking(move |reader| with_snapshot(reader, || files::search(reader, &study_id, &pattern))).await
    }

    async fn file(&self, id: ObjectId) -> Result<Option<FileLocation>> {
        self.readers.read(|reader| with_snapshot(reader, || files::find(reader, id)))
    }

    async fn list_files(&self, filter: &FileFilter, page: PageRange) -> Result<(u64, Vec<FileLocation>)> {
        let filter = filter.clone();
        self.read_blocking(move |reader| with_snapshot(reader, || files::list(reader, &filter, page))).await
    }

    async fn files_after(&self, filter: &FileFilter, after: Option<ObjectId>, limit: u64) -> Result<Vec<FileLocation>> {
        let filter = filter.clone();
        self.read_blocking(move |reader| with_snapshot(reader, || files::list_after(reader, &filter, after, limit)))
            .await
    }

    async fn events_after(&self, after: u64, limit: usize) -> Result<Vec<Event>> {
        self.read_blocking(move |reader| events::after(&reader.metadata, after, limit)).await
    }

    fn latest_event(&self) -> watch::Receiver<u64> {
        self.latest_event.clone()
    }

    fn commit_count(&self) -> u64 {
        self.writer.commit_count()
    }

    async fn cursor(&self, reader: &str) -> Result<u64> {
        self.readers.read(|connections| cursors::position(&connections.metadata, reader))
    }

    async fn advance_cursor(&self, reader: &str, holder: &str, to: u64) -> Result<bool> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.writer.write(move |context| cursors::advance(&context.connection, &reader, &holder, to)).await
    }

    async fn acquire_lease(&self, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.writer.write(move |context| cursors::acquire_lease(&context.connection, &reader, &holder, duration)).await
    }

    async fn release_lease(&self, reader: &str, holder: &str) -> Result<()> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.writer.write(move |context| cursors::release_lease(&context.connection, &reader, &holder)).await
    }

    async fn record(&self, kind: RecordKind, id: &str) -> Result<Option<SharedRecord>> {
        self.readers.read(|reader| records::find(&reader.metadata, kind, id))
    }

    async fn records_after(&self, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<SharedRecord>> {
        self.read_blocking(move |reader| records::after(&reader.metadata, kind, after, limit)).await
    }

    async fn latest_record_change(&self, kind: RecordKind) -> Result<u64> {
        self.readers.read(|reader| records::latest_change(&reader.metadata, kind))
    }

    async fn apply_record_write(&self, write: RecordWrite) -> Result<Option<u64>> {
        self.writer.write(move |context| records::write(&context.connection, &write)).await
    }

    async fn purge_removed_records(&self, kind: RecordKind, up_to: u64) -> Result<()> {
        self.writer.write(move |context| records::purge_removed(&context.connection, kind, up_to)).await
    }

    async fn check_health(&self) -> Result<()> {
        self.readers.read(|reader| events::latest(&reader.metadata))?;
        self.writer.check_health().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets how many pages the database may have; it keeps those that it has.
    async fn limit_pages(store: &SqliteStore, pages: i64) {
        let limited = store.writer.write(move |context| {
            context.connection.pragma_update(None, "max_page_count", pages).unwrap();
            Ok(())
        });
        limited.await.unwrap();
    }

    fn study(study_id: &str, bytes: usize) -> Study {
        Study { study_id: study_id.to_owned(), description: Some("x".repeat(bytes)), ..Study::default() }
    }

    #[tokio::test]
    async fn a_full_disk_refuses_changes_until_there_is_room_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        assert!(store.create_study(study("BEFORE", 10)).await.unwrap());
        limit_pages(&store, 1).await;
        for _ in 0..2 {
            let refused = store.create_study(study("REFUSED", 100_000)).await;
            assert!(matches!(refused, Err(StoreError::NotWritable { .. })), "{refused:?}");
            let health = store.check_health().await;
            assert!(matches!(health, Err(StoreError::NotWritable { .. })), "{health:?}");
        }
        assert_eq!(store.study_ids().await.unwrap(), ["BEFORE"], "reads go on");
        limit_pages(&store, 1 << 30).await;
        store.check_health().await.unwrap();
        assert!(store.create_study(study("AFTER", 100_000)).await.unwrap());
        assert_eq!(store.study_ids().await.unwrap(), ["AFTER", "BEFORE"]);
    }

    #[tokio::test]
    async fn changes_of_one_group_are_stored_or_refused_as_they_are_answered() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        limit_pages(&store, 200).await;
        let changes = (0..40).map(|number| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let study_id = format!("S{number:02}");
                let stored = store.create_study(study(&study_id, 100_000)).await;
                (study_id, stored.is_ok())
            })
        });
        let mut accepted = Vec::new();
        for change in changes.collect::<Vec<_>>() {
            let (study_id, is_stored) = change.await.unwrap();
            accepted.extend(is_stored.then_some(study_id));
        }
        let mut stored = store.study_ids().await.unwrap();
        stored.sort();
        accepted.sort();
        assert_eq!(stored, accepted);
        assert!(accepted.len() < 40, "the database has no room for all of them");
    }
}
