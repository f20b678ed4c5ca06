//! The store on PostgreSQL: for more than one server, or for a managed database.
//!
//! Any number of servers share one database. Concurrency control is in the database: a lock on the row with the number
//! of the last event for writing analyses (`group_commit`), a lock on a table for registering types, and conditions of
//! single statements for everything else. Each operation takes a connection from a pool; one task collects changes of
//! analyses into groups (`writer`); another listens for notifications of other servers (`notifications`). Every
//! operation that holds a connection runs as a task of its own: a caller that is not polled for long must not block the
//! connection for others that it may itself be waiting for.
//!
//! While the database is away, operations fail as unavailable; they work again when it is back.

mod analyses;
mod cursors;
mod database_url;
mod error;
mod events;
mod files;
mod group_commit;
mod group_plan;
mod group_statements;
mod migrate;
mod notifications;
mod pool;
mod query;
mod records;
mod studies;
mod types;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use cantata_core::{AnalysisId, AnalysisType, Event, ObjectId, Study};
use cantata_store::{
    AnalysisChange, AnalysisQuery, DuplicateRule, FileFilter, FileLocation, FileRow, InsertOutcome, NewAnalysis,
    NewAnalysisType, ObjectIdPattern, PageRange, RecordKind, RecordWrite, ReplaceOutcome, Result, Revision,
    SharedRecord, StateSet, Store, StoreError, StoredAnalysis, TypeQuery,
};
use deadpool_postgres::Object;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use crate::database_url::{DatabaseUrl, DatabaseUrlError};
use crate::notifications::NotificationTarget;
use crate::pool::ConnectionPool;
use crate::studies::{CachedStudy, StudyRepository};
use crate::types::TypeRepository;
use crate::writer::AnalysisWriter;

/// A store in a database.
pub struct PostgresStore {
    pool: Arc<ConnectionPool>,
    studies: Arc<StudyRepository>,
    types: Arc<TypeRepository>,
    writer: AnalysisWriter,
    latest_event: watch::Receiver<u64>,
    /// Aborted when the store is dropped.
    _listener: JoinSet<()>,
}

impl PostgresStore {
    /// Opens the store of a database and migrates it. It uses at most `max_connections` connections, and one more that
    /// listens.
    pub async fn open(url: &DatabaseUrl, max_connections: usize) -> Result<Self> {
        let pool = Arc::new(ConnectionPool::new(url, max_connections)?);
        migrate::run_migrations(&pool).await?;
        let last_event = events::latest(&pool.get().await?).await?;
        let (event_sender, latest_event) = watch::channel(last_event);
        let studies = Arc::new(StudyRepository::new(Arc::clone(&pool)));
        let types = Arc::new(TypeRepository::new(Arc::clone(&pool)));
        let target =
            NotificationTarget { latest_event: event_sender.clone(), latest_versions: types.latest_versions() };
        Ok(Self {
            writer: AnalysisWriter::start(Arc::clone(&pool), Arc::clone(&studies), event_sender, max_connections),
            _listener: notifications::spawn_listener(Arc::clone(&pool), target),
            pool,
            studies,
            types,
            latest_event,
        })
    }

    /// Runs work with a connection of the pool as a task of its own.
    async fn with_client<T, W>(&self, work: impl FnOnce(Object) -> W + Send + 'static) -> Result<T>
    where
        T: Send + 'static,
        W: Future<Output = Result<T>> + Send + 'static,
    {
        let pool = Arc::clone(&self.pool);
        run_as_task(async move { work(pool.get().await?).await }).await
    }

    /// Runs work with the key of a study; returns the default if there is no such study.
    async fn in_study<T, W>(&self, study_id: &str, work: impl FnOnce(Object, i32) -> W + Send + 'static) -> Result<T>
    where
        T: Default + Send + 'static,
        W: Future<Output = Result<T>> + Send + 'static,
    {
        match self.find_study(study_id).await? {
            Some(study) => self.with_client(move |client| work(client, study.key)).await,
            None => Ok(T::default()),
        }
    }

    async fn find_study(&self, study_id: &str) -> Result<Option<Arc<CachedStudy>>> {
        if let Some(cached) = self.studies.cached(study_id) {
            return Ok(Some(cached));
        }
        let (studies, study_id) = (Arc::clone(&self.studies), study_id.to_owned());
        run_as_task(async move { studies.find(&study_id).await }).await
    }
}

async fn run_as_task<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    tokio::spawn(work).await.unwrap_or_else(|error| Err(StoreError::failed("an operation of the store", error)))
}

#[async_trait]
impl Store for PostgresStore {
    async fn create_study(&self, study: Study) -> Result<bool> {
        let studies = Arc::clone(&self.studies);
        run_as_task(async move { studies.create(&study).await }).await
    }

    async fn study(&self, study_id: &str) -> Result<Option<Study>> {
        Ok(self.find_study(study_id).await?.map(|cached| cached.study.clone()))
    }

    async fn study_ids(&self) -> Result<Vec<String>> {
        let studies = Arc::clone(&self.studies);
        run_as_task(async move { studies.ids().await }).await
    }

    async fn register_type(&self, new: NewAnalysisType) -> Result<AnalysisType> {
        let types = Arc::clone(&self.types);
        run_as_task(async move { types.register(new).await }).await
    }

    async fn seed_types(&self, seeds: Vec<NewAnalysisType>) -> Result<()> {
        let types = Arc::clone(&self.types);
        run_as_task(async move { types.seed(seeds).await }).await
    }

    async fn analysis_type(&self, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
        let (types, name) = (Arc::clone(&self.types), name.to_owned());
        run_as_task(async move { types.find(&name, version).await }).await
    }

    async fn latest_type_version(&self, name: &str) -> Result<Option<u32>> {
        if let Some(version) = self.types.cached_version(name) {
            return Ok(Some(version));
        }
        let (types, name) = (Arc::clone(&self.types), name.to_owned());
        run_as_task(async move { types.latest_version(&name).await }).await
    }

    async fn list_types(&self, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
        let (types, query) = (Arc::clone(&self.types), query.clone());
        run_as_task(async move { types.list(&query).await }).await
    }

    async fn insert_analysis(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<InsertOutcome> {
        self.writer.insert(new, duplicates).await
    }

    async fn find_duplicate(&self, files: &[FileRow], duplicates: DuplicateRule) -> Result<Option<InsertOutcome>> {
        let files = files.to_vec();
        self.with_client(move |client| async move { files::find_duplicate(&client, &files, duplicates).await }).await
    }

    async fn replace_analysis(&self, change: AnalysisChange) -> Result<ReplaceOutcome> {
        self.writer.replace(change).await
    }

    async fn analysis(&self, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
        self.with_client(move |client| async move { analyses::find(&client, id).await }).await
    }

    async fn list_analyses(&self, query: &AnalysisQuery) -> Result<Vec<Revision>> {
        let wanted = query.clone();
        self.in_study(&query.study_id, move |client, key| async move { analyses::list(&client, key, &wanted).await })
            .await
    }

    async fn count_analyses(&self, study_id: &str, states: StateSet) -> Result<u64> {
        self.in_study(study_id, move |client, key| async move { analyses::count(&client, key, states).await }).await
    }

    async fn documents(&self, revisions: &[Revision]) -> Result<Vec<String>> {
        let revisions = revisions.to_vec();
        self.with_client(move |client| async move { analyses::documents(&client, &revisions).await }).await
    }

    async fn search_by_file(&self, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
        let pattern = pattern.clone();
        self.in_study(study_id, move |client, key| async move { files::search(&client, key, &pattern).await }).await
    }

    async fn file(&self, id: ObjectId) -> Result<Option<FileLocation>> {
        self.with_client(move |client| async move { files::find(&client, id).await }).await
    }

    async fn list_files(&self, filter: &FileFilter, page: PageRange) -> Result<(u64, Vec<FileLocation>)> {
        let wanted = filter.clone();
        let list = move |mut client: Object, study_key| async move {
            files::list(&mut client, &wanted, study_key, page).await
        };
        match &filter.study_id {
            Some(study_id) => self.in_study(study_id, move |client, key| list(client, Some(key))).await,
            None => self.with_client(move |client| list(client, None)).await,
        }
    }

    async fn files_after(&self, filter: &FileFilter, after: Option<ObjectId>, limit: u64) -> Result<Vec<FileLocation>> {
        let wanted = filter.clone();
        let list = move |client: Object, study_key| async move {
            files::list_after(&client, &wanted, study_key, after, limit).await
        };
        match &filter.study_id {
            Some(study_id) => self.in_study(study_id, move |client, key| list(client, Some(key))).await,
            None => self.with_client(move |client| list(client, None)).await,
        }
    }

    async fn events_after(&self, after: u64, limit: usize) -> Result<Vec<Event>> {
        self.with_client(move |client| async move { events::after(&client, after, limit).await }).await
    }

    fn latest_event(&self) -> watch::Receiver<u64> {
        self.latest_event.clone()
    }

    fn commit_count(&self) -> u64 {
        self.writer.commit_count()
    }

    async fn cursor(&self, reader: &str) -> Result<u64> {
        let reader = reader.to_owned();
        self.with_client(move |client| async move { cursors::position(&client, &reader).await }).await
    }

    async fn advance_cursor(&self, reader: &str, holder: &str, to: u64) -> Result<bool> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.with_client(move |client| async move { cursors::advance(&client, &reader, &holder, to).await }).await
    }

    async fn acquire_lease(&self, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.with_client(move |client| async move { cursors::acquire_lease(&client, &reader, &holder, duration).await })
            .await
    }

    async fn release_lease(&self, reader: &str, holder: &str) -> Result<()> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.with_client(move |client| async move { cursors::release_lease(&client, &reader, &holder).await }).await
    }

    async fn record(&self, kind: RecordKind, id: &str) -> Result<Option<SharedRecord>> {
        let id = id.to_owned();
        self.with_client(move |client| async move { records::find(&client, kind, &id).await }).await
    }

    async fn records_after(&self, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<SharedRecord>> {
        self.with_client(move |client| async move { records::after(&client, kind, after, limit).await }).await
    }

    async fn latest_record_change(&self, kind: RecordKind) -> Result<u64> {
        self.with_client(move |client| async move { records::latest_change(&client, kind).await }).await
    }

    async fn apply_record_write(&self, write: RecordWrite) -> Result<Option<u64>> {
        self.with_client(move |mut client| async move { records::write(&mut client, &write).await }).await
    }

    async fn purge_removed_records(&self, kind: RecordKind, up_to: u64) -> Result<()> {
        self.with_client(move |mut client| async move { records::purge_removed(&mut client, kind, up_to).await }).await
    }

    fn is_shared(&self) -> bool {
        true
    }

    async fn check_health(&self) -> Result<()> {
        self.with_client(move |client| async move { events::latest(&client).await.map(|_| ()) }).await
    }
}
