//! The store on PostgreSQL: for more than one server, or for a database that others look after.
//!
//! Any number of servers use one database together. What keeps them apart is in the database: a lock on the row with the
//! number of the last event for whatever writes analyses (`group`), a lock on a table for registering types, and
//! conditions of single statements for everything else. Each operation takes a connection from a pool; analyses are
//! written by one task in groups (`writer`); another listens to what other servers store (`follow`). Whatever takes a
//! connection runs as a task of its own: a caller that waits for something else meanwhile, and for long, must not keep
//! the connection from those it waits for.
//!
//! When the database goes away, operations fail as unavailable until it is back; nothing has to be started again.

mod address;
mod analyses;
mod connections;
mod cursors;
mod decision;
mod events;
mod failure;
mod files;
mod follow;
mod group;
mod schema;
mod statements;
mod studies;
mod types;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use cantata_core::{AnalysisId, AnalysisType, Event, ObjectId, Study};
use cantata_store::{
    AnalysisChange, AnalysisQuery, DuplicateRule, EntityFilter, FileEntry, FileRow, Insertion, NewAnalysis,
    NewAnalysisType, ObjectIdPattern, Page, Replacement, Result, Revision, StateSet, Store, StoreError, StoredAnalysis,
    TypeQuery,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use crate::address::{AddressError, DatabaseAddress};
use crate::connections::Connections;
use crate::follow::Followed;
use crate::studies::{KnownStudy, Studies};
use crate::types::Types;
use crate::writer::Writer;

/// A store in a database.
pub struct PostgresStore {
    connections: Arc<Connections>,
    studies: Arc<Studies>,
    types: Arc<Types>,
    writer: Writer,
    latest_event: watch::Receiver<u64>,
    following: JoinHandle<()>,
}

impl PostgresStore {
    /// Opens the store of a database, making its tables where they are missing. It uses at most so many connections,
    /// and one more that listens.
    pub async fn open(address: &DatabaseAddress, connection_limit: usize) -> Result<Self> {
        let connections = Arc::new(Connections::new(address, connection_limit)?);
        schema::bring_up_to_date(&connections).await?;
        let last_event = events::latest(&connections.get().await?).await?;
        let (event_sender, latest_event) = watch::channel(last_event);
        let studies = Arc::new(Studies::new(Arc::clone(&connections)));
        let types = Arc::new(Types::new(Arc::clone(&connections)));
        let followed = Followed { latest_event: event_sender.clone(), latest_versions: types.latest_versions() };
        Ok(Self {
            writer: Writer::start(Arc::clone(&connections), Arc::clone(&studies), event_sender),
            following: follow::start(Arc::clone(&connections), followed),
            connections,
            studies,
            types,
            latest_event,
        })
    }

    /// Runs work on the connections as a task of its own.
    async fn apart<T, W>(&self, work: impl FnOnce(Arc<Connections>) -> W) -> Result<T>
    where
        T: Send + 'static,
        W: Future<Output = Result<T>> + Send + 'static,
    {
        run_apart(work(Arc::clone(&self.connections))).await
    }

    /// Runs work on a study that is there, by its key; returns the default where there is none.
    async fn in_study<T, W>(&self, study_id: &str, work: impl FnOnce(Arc<Connections>, i32) -> W) -> Result<T>
    where
        T: Default + Send + 'static,
        W: Future<Output = Result<T>> + Send + 'static,
    {
        match self.known_study(study_id).await? {
            Some(known) => run_apart(work(Arc::clone(&self.connections), known.key)).await,
            None => Ok(T::default()),
        }
    }

    async fn known_study(&self, study_id: &str) -> Result<Option<Arc<KnownStudy>>> {
        if let Some(seen) = self.studies.seen(study_id) {
            return Ok(Some(seen));
        }
        let (studies, study_id) = (Arc::clone(&self.studies), study_id.to_owned());
        run_apart(async move { studies.find(&study_id).await }).await
    }
}

async fn run_apart<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    tokio::spawn(work).await.unwrap_or_else(|error| Err(StoreError::failed("an operation of the store", error)))
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.following.abort();
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn create_study(&self, study: Study) -> Result<bool> {
        let studies = Arc::clone(&self.studies);
        run_apart(async move { studies.create(&study).await }).await
    }

    async fn study(&self, study_id: &str) -> Result<Option<Study>> {
        Ok(self.known_study(study_id).await?.map(|known| known.study.clone()))
    }

    async fn study_ids(&self) -> Result<Vec<String>> {
        let studies = Arc::clone(&self.studies);
        run_apart(async move { studies.ids().await }).await
    }

    async fn register_type(&self, new: NewAnalysisType) -> Result<AnalysisType> {
        let types = Arc::clone(&self.types);
        run_apart(async move { types.register(new).await }).await
    }

    async fn seed_types(&self, seeds: Vec<NewAnalysisType>) -> Result<()> {
        let types = Arc::clone(&self.types);
        run_apart(async move { types.seed(seeds).await }).await
    }

    async fn analysis_type(&self, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
        let (types, name) = (Arc::clone(&self.types), name.to_owned());
        run_apart(async move { types.find(&name, version).await }).await
    }

    async fn latest_type_version(&self, name: &str) -> Result<Option<u32>> {
        if let Some(version) = self.types.seen_version(name) {
            return Ok(Some(version));
        }
        let (types, name) = (Arc::clone(&self.types), name.to_owned());
        run_apart(async move { types.latest_version(&name).await }).await
    }

    async fn list_types(&self, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
        let (types, query) = (Arc::clone(&self.types), query.clone());
        run_apart(async move { types.list(&query).await }).await
    }

    async fn insert_analysis(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<Insertion> {
        self.writer.insert(new, duplicates).await
    }

    async fn find_duplicate(&self, files: &[FileRow], duplicates: DuplicateRule) -> Result<Option<Insertion>> {
        let files = files.to_vec();
        self.apart(
            |connections| async move { files::find_duplicate(&connections.get().await?, &files, duplicates).await },
        )
        .await
    }

    async fn replace_analysis(&self, change: AnalysisChange) -> Result<Replacement> {
        self.writer.replace(change).await
    }

    async fn analysis(&self, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
        self.apart(|connections| async move { analyses::find(&connections.get().await?, id).await }).await
    }

    async fn list_analyses(&self, query: &AnalysisQuery) -> Result<Vec<Revision>> {
        let asked = query.clone();
        self.in_study(&query.study_id, |connections, study_key| async move {
            analyses::list(&connections.get().await?, study_key, &asked).await
        })
        .await
    }

    async fn count_analyses(&self, study_id: &str, states: StateSet) -> Result<u64> {
        self.in_study(study_id, |connections, study_key| async move {
            analyses::count(&connections.get().await?, study_key, states).await
        })
        .await
    }

    async fn documents(&self, revisions: &[Revision]) -> Result<Vec<String>> {
        let revisions = revisions.to_vec();
        self.apart(|connections| async move { analyses::documents(&connections.get().await?, &revisions).await }).await
    }

    async fn search_by_file(&self, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
        let pattern = pattern.clone();
        self.in_study(study_id, |connections, study_key| async move {
            files::search(&connections.get().await?, study_key, &pattern).await
        })
        .await
    }

    async fn file(&self, id: ObjectId) -> Result<Option<FileEntry>> {
        self.apart(|connections| async move { files::find(&connections.get().await?, id).await }).await
    }

    async fn list_files(&self, filter: &EntityFilter, page: Page) -> Result<(u64, Vec<FileEntry>)> {
        let asked = filter.clone();
        let list = |connections: Arc<Connections>, study_key| async move {
            files::list(&mut connections.get().await?, &asked, study_key, page).await
        };
        match &filter.study_id {
            Some(study_id) => self.in_study(study_id, |connections, key| list(connections, Some(key))).await,
            None => self.apart(|connections| list(connections, None)).await,
        }
    }

    async fn events_after(&self, after: u64, limit: usize) -> Result<Vec<Event>> {
        self.apart(|connections| async move { events::after(&connections.get().await?, after, limit).await }).await
    }

    fn latest_event(&self) -> watch::Receiver<u64> {
        self.latest_event.clone()
    }

    fn commits(&self) -> u64 {
        self.writer.commits()
    }

    async fn cursor(&self, reader: &str) -> Result<u64> {
        let reader = reader.to_owned();
        self.apart(|connections| async move { cursors::position(&connections.get().await?, &reader).await }).await
    }

    async fn move_cursor(&self, reader: &str, holder: &str, to: u64) -> Result<bool> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.apart(|connections| async move { cursors::move_to(&connections.get().await?, &reader, &holder, to).await })
            .await
    }

    async fn lease(&self, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.apart(
            |connections| async move { cursors::lease(&connections.get().await?, &reader, &holder, duration).await },
        )
        .await
    }

    async fn release(&self, reader: &str, holder: &str) -> Result<()> {
        let (reader, holder) = (reader.to_owned(), holder.to_owned());
        self.apart(|connections| async move { cursors::release(&connections.get().await?, &reader, &holder).await })
            .await
    }

    async fn health(&self) -> Result<()> {
        self.apart(|connections| async move { events::latest(&connections.get().await?).await.map(|_| ()) }).await
    }
}
