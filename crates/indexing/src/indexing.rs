//! Indexing of all catalogues that have a source.
//!
//! The list of catalogues is polled once a second: one that is new or changed gets a new follower, one that is gone loses
//! it. Its index stays. A follower that panicked is started again and continues from the position of its index. A panic while
//! the list is polled ends that poll only, and one while a source is opened is a problem of its catalogue.
//!
//! Where servers share a store, each has its own copy of the indexes of the embedded engine. A server that starts must not
//! answer searches from a copy that lacks what the others have: it has **caught up** once every copy has what was in the store
//! when the server started. Catalogues that come later do not count, and neither does a lag that comes later. A copy that keeps
//! failing without getting any further is not waited for: it would take every server out of rotation that is restarted, with all
//! other catalogues.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cantata_catalogue::{CatalogueConfig, EngineChoice, SourceConfig, SourceOrigin};
use cantata_core::{Timestamp, error_chain};
use cantata_engine::SearchEngine;
use cantata_store::Store;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use crate::document_builder::DocumentBuilder;
use crate::error::IndexingError;
use crate::index_generations::IndexGenerations;
use crate::jobs::{Job, Jobs, RunningJob};
use crate::reindex::reindex;
use crate::rejected_documents::RejectedDocuments;
use crate::shared_rejections::SharedRejections;
use crate::source::AnalysisSource;
use crate::source_follower::{IndexLease, SourceFollower};
use crate::state_file;
use crate::status::{CatalogueIndexing, IndexingActivity, IndexingProblem};
use crate::worker::{IndexWorker, source_name};

/// How often the list of catalogues is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often a copy fails without getting any further before it is no longer waited for; with the delays between the attempts,
/// more than ten seconds. While the store cannot be reached, a copy is waited for: it gets further afterwards.
const MAX_AWAITED_FAILURES: u32 = 7;

/// How long saving the rejected documents may take before the next poll.
const SAVE_TIMEOUT: Duration = Duration::from_secs(3);

/// How long stopping may take.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// A catalogue that has a source.
#[derive(Clone)]
pub struct IndexedCatalogue {
    /// Its id.
    pub id: String,
    /// The alias that it searches.
    pub index: String,
    /// Its source settings.
    pub source: SourceConfig,
    /// The engine that has its index.
    pub engine: Arc<dyn SearchEngine>,
    /// Whether other processes can write to the same index.
    pub is_shared: bool,
}

impl IndexedCatalogue {
    /// Returns a catalogue with its engine, if it has a source.
    pub fn of(config: &CatalogueConfig, engine: &Arc<dyn SearchEngine>) -> Option<Self> {
        Some(Self {
            id: config.id.clone(),
            index: config.index.clone(),
            source: config.source.clone()?,
            engine: Arc::clone(engine),
            is_shared: config.engine != EngineChoice::Embedded,
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.index == other.index && self.source == other.source && Arc::ptr_eq(&self.engine, &other.engine)
    }
}

/// Opens the source that a catalogue names, or returns which setting cannot be used.
pub type OpenSource =
    dyn Fn(&SourceConfig) -> Result<Arc<dyn AnalysisSource>, Box<dyn std::error::Error + Send + Sync>> + Send + Sync;

/// What indexing depends on.
pub struct IndexingContext {
    /// The folder for state beside the indexes.
    pub folder: PathBuf,
    /// The store, which has the leases.
    pub store: Arc<dyn Store>,
    /// A name of this process that no other has.
    pub holder: String,
    /// Opens sources.
    pub open_source: Box<OpenSource>,
    /// The catalogues that have a source, as they are now.
    pub catalogues: Box<dyn Fn() -> Vec<IndexedCatalogue> + Send + Sync>,
}

/// Keeps the indexes of catalogues up to date with their sources, in the background.
pub struct Indexing {
    inner: Arc<IndexingInner>,
    task: Mutex<Option<JoinHandle<()>>>,
}

struct IndexingInner {
    context: IndexingContext,
    jobs: Jobs,
    shared_rejections: SharedRejections,
    catalogues: Mutex<BTreeMap<String, CatalogueEntry>>,
    /// The catalogues whose copies have not caught up, each with the event up to which it must; none before the first poll.
    awaited: Mutex<Option<BTreeMap<String, u64>>>,
    stop: watch::Sender<bool>,
    /// Jobs and followers.
    tasks: Mutex<JoinSet<()>>,
}

/// A catalogue with its worker, or why it has none.
struct CatalogueEntry {
    catalogue: IndexedCatalogue,
    worker: Result<Arc<IndexWorker>, IndexingProblem>,
    /// The task that follows the source, if there is a worker.
    follower: Option<AbortHandle>,
    stop: watch::Sender<bool>,
}

impl Indexing {
    /// Starts it.
    pub fn start(context: IndexingContext) -> Self {
        let jobs = Jobs::new(Arc::clone(&context.store), &context.holder, &context.folder);
        let inner = Arc::new(IndexingInner {
            shared_rejections: SharedRejections::new(Arc::clone(&context.store)),
            context,
            jobs,
            catalogues: Mutex::default(),
            awaited: Mutex::default(),
            stop: watch::Sender::new(false),
            tasks: Mutex::default(),
        });
        let polling = Arc::clone(&inner);
        let mut stop = inner.stop.subscribe();
        let task = tokio::spawn(async move {
            // First: followers delete what interrupted jobs have left.
            let mut jobs = tokio::spawn(Arc::clone(&polling).sync_jobs());
            let _ = tokio::time::timeout(SAVE_TIMEOUT, &mut jobs).await;
            loop {
                // Nothing else starts followers, so the task must not end. What was half done is done by the next poll.
                if catch_unwind(AssertUnwindSafe(|| polling.update_catalogues())).is_err() {
                    tracing::error!("polling the catalogues panicked; it is tried again");
                }
                // In a task of its own for the same reason. What is not saved now is saved with the next change.
                let syncing = Arc::clone(&polling);
                let sync = async move { tokio::time::timeout(SAVE_TIMEOUT, syncing.sync_rejected()).await };
                let _ = tokio::spawn(sync).await;
                // Not ended by a timeout: a job that was taken over must be worked on.
                if jobs.is_finished() {
                    jobs = tokio::spawn(Arc::clone(&polling).sync_jobs());
                }
                tokio::select! {
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                    _ = stop.wait_for(|stop| *stop) => break,
                }
            }
            // It has the store, which may be opened again once this has stopped.
            let _ = tokio::time::timeout(SAVE_TIMEOUT, jobs).await;
        });
        Self { inner, task: Mutex::new(Some(task)) }
    }

    /// Returns the status of each catalogue.
    pub fn status(&self) -> Vec<CatalogueIndexing> {
        self.inner.catalogues().values().map(CatalogueEntry::status).collect()
    }

    /// Returns whether a catalogue cannot follow its source at the moment.
    pub fn is_failing(&self) -> bool {
        let is_failing = |one: &CatalogueEntry| match &one.worker {
            Ok(worker) => worker.live_status().failures > 0,
            Err(_) => true,
        };
        self.inner.catalogues().values().any(is_failing)
    }

    /// Returns whether the copies of indexes have everything that was in the store when this server started, but for those that
    /// keep failing; true ever after.
    pub fn has_caught_up(&self) -> bool {
        let mut awaited = self.inner.awaited();
        let Some(left) = awaited.as_mut() else { return !self.inner.context.store.is_shared() };
        if !left.is_empty() {
            let catalogues = self.inner.catalogues();
            left.retain(|id, event| catalogues.get(id).is_some_and(|one| one.is_awaited(*event)));
        }
        left.is_empty()
    }

    /// Returns the jobs.
    pub fn jobs(&self) -> &Jobs {
        &self.inner.jobs
    }

    /// Begins to build a new index of a catalogue.
    ///
    /// # Errors
    ///
    /// If there is no such catalogue, it is being worked on, or the store that has the jobs cannot be used.
    pub async fn reindex(&self, catalogue: &str) -> Result<Job, IndexingError> {
        self.inner.worker(catalogue)?;
        let is_shared = self.inner.catalogues().get(catalogue).is_some_and(|one| one.catalogue.is_shared);
        let running = self.inner.jobs.begin(catalogue, is_shared, None).await?;
        let job = running.job().ok_or_else(|| IndexingError::UnknownCatalogue(catalogue.to_owned()))?;
        self.inner.run(running);
        Ok(job)
    }

    /// Rolls back to the index that a catalogue had before the last reindex. The follower then brings it up to date. A
    /// second rollback undoes the first.
    ///
    /// # Errors
    ///
    /// If there is no such catalogue or no such index, or the engine failed.
    pub async fn rollback(&self, catalogue: &str) -> Result<CatalogueIndexing, IndexingError> {
        let (worker, _) = self.inner.worker(catalogue)?;
        let lock = worker.index_lock.lock().await;
        let Some(previous) = worker.generations.previous().await? else {
            return Err(IndexingError::NoPreviousIndex(catalogue.to_owned()));
        };
        let current = worker.generations.current().await?;
        // Before the alias moves: if one of them failed afterwards, trying again would undo the rollback.
        let position = worker.generations.engine.position(&previous).await?;
        worker.generations.engine.refresh(&previous).await?;
        worker.generations.switch_alias(current.as_deref(), &previous).await?;
        tracing::info!(catalogue, from = current, to = previous, "rolled back to an earlier index");
        worker.set_index(previous, position);
        drop(lock);
        Ok(worker.status())
    }

    /// Stops it. Running jobs are interrupted; followers continue from their position after the next start.
    pub async fn stop(&self) {
        self.inner.stop.send_replace(true);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            let _ = task.await;
        }
        for entry in self.inner.catalogues().values() {
            entry.stop.send_replace(true);
        }
        let mut tasks = std::mem::take(&mut *self.inner.tasks());
        let all_ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_TIMEOUT, all_ended).await.is_err() {
            tracing::warn!("indexing did not stop in time; it continues from its position after the next start");
        }
        let _ = tokio::time::timeout(SAVE_TIMEOUT, self.inner.sync_rejected()).await;
        let _ = tokio::time::timeout(SAVE_TIMEOUT, self.inner.jobs.refresh()).await;
    }
}

impl CatalogueEntry {
    /// Returns whether the index lacks an event or an earlier one, and may get it soon.
    fn is_awaited(&self, event: u64) -> bool {
        let Ok(worker) = &self.worker else { return false };
        let live_status = worker.live_status();
        // Positions in the store are event numbers.
        let position = live_status.position.as_deref().and_then(|position| position.parse::<u64>().ok());
        let is_before = position.is_none_or(|position| position < event);
        let keeps_failing = live_status.failures >= MAX_AWAITED_FAILURES;
        if is_before && keeps_failing {
            tracing::warn!(catalogue = worker.id, "a copy of an index keeps failing; the server is ready without it");
        }
        is_before && !keeps_failing
    }

    fn status(&self) -> CatalogueIndexing {
        match &self.worker {
            Ok(worker) => worker.status(),
            Err(problem) => CatalogueIndexing {
                catalogue: self.catalogue.id.clone(),
                source: source_name(&self.catalogue.source.origin).to_owned(),
                alias: self.catalogue.index.clone(),
                index: None,
                status: IndexingActivity::Failing,
                position: None,
                lag: None,
                last_error: Some(problem.clone()),
                needs_reindex: Vec::new(),
                notes: Vec::new(),
                rejected: Vec::new(),
                rejected_dropped: 0,
            },
        }
    }
}

impl IndexingInner {
    fn catalogues(&self) -> MutexGuard<'_, BTreeMap<String, CatalogueEntry>> {
        self.catalogues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn awaited(&self) -> MutexGuard<'_, Option<BTreeMap<String, u64>>> {
        self.awaited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the worker of a catalogue, and its stop signal.
    fn worker(&self, catalogue: &str) -> Result<(Arc<IndexWorker>, watch::Receiver<bool>), IndexingError> {
        let catalogues = self.catalogues();
        let found = catalogues.get(catalogue).ok_or_else(|| IndexingError::UnknownCatalogue(catalogue.to_owned()))?;
        match &found.worker {
            Ok(worker) => Ok((Arc::clone(worker), found.stop.subscribe())),
            Err(problem) => Err(IndexingError::Unusable(problem.message.clone())),
        }
    }

    /// Works on a job; without a worker of its catalogue it is interrupted.
    fn run(&self, running: RunningJob) {
        let worker = running.catalogue().and_then(|catalogue| self.worker(&catalogue).ok());
        let Some((worker, stop)) = worker else { return };
        self.tasks().spawn(async move {
            // The job has the result.
            let _ = reindex(&worker, running, stop).await;
        });
    }

    /// Exchanges the jobs with the other servers, and takes over those of servers that have died.
    async fn sync_jobs(self: Arc<Self>) {
        self.jobs.refresh().await;
        if *self.stop.borrow() {
            return;
        }
        let shared: BTreeSet<String> = {
            let catalogues = self.catalogues();
            let shared = catalogues.values().filter(|one| one.catalogue.is_shared && one.worker.is_ok());
            shared.map(|one| one.catalogue.id.clone()).collect()
        };
        match self.jobs.take_over(&shared).await {
            Ok(taken) => taken.into_iter().for_each(|running| self.run(running)),
            Err(error) => tracing::debug!(error = error_chain(&error), "no job can be taken over at the moment"),
        }
        self.jobs.refresh().await;
    }

    /// Starts followers of catalogues that are new or changed, and stops those of catalogues that are gone.
    fn update_catalogues(&self) {
        let catalogues = (self.context.catalogues)();
        let mut entries = self.catalogues();
        entries.retain(|id, one| {
            let stays = catalogues.iter().any(|catalogue| catalogue.id == *id && catalogue.is_same(&one.catalogue));
            if !stays {
                one.stop.send_replace(true);
            }
            stays && one.worker.is_ok()
        });
        for one in entries.values_mut() {
            // Nothing stopped it, so it panicked. What it held in memory is gone with it.
            if let Ok(worker) = &one.worker
                && one.follower.as_ref().is_some_and(AbortHandle::is_finished)
            {
                tracing::error!(catalogue = one.catalogue.id, "a follower ended unexpectedly and is started again");
                one.follower = Some(self.follow(&one.catalogue, worker, &one.stop));
            }
        }
        for catalogue in catalogues {
            if !entries.contains_key(&catalogue.id) {
                self.shared_rejections.start_over();
                entries.insert(catalogue.id.clone(), self.start_follower(catalogue));
            }
        }
        let copies = self.copies(&entries);
        drop(entries);
        self.awaited().get_or_insert(copies);
        // Reap the tasks that have ended.
        while self.tasks().try_join_next().is_some() {}
    }

    /// Returns the catalogues whose indexes are copies, each with the latest event.
    fn copies(&self, entries: &BTreeMap<String, CatalogueEntry>) -> BTreeMap<String, u64> {
        let latest = *self.context.store.latest_event().borrow();
        if latest == 0 || !self.context.store.is_shared() {
            return BTreeMap::new();
        }
        let is_copy = |one: &&CatalogueEntry| {
            !one.catalogue.is_shared && one.catalogue.source.origin == SourceOrigin::Local && one.worker.is_ok()
        };
        entries.values().filter(is_copy).map(|one| (one.catalogue.id.clone(), latest)).collect()
    }

    /// Starts to follow the source of a catalogue.
    fn start_follower(&self, catalogue: IndexedCatalogue) -> CatalogueEntry {
        let stop = watch::Sender::new(false);
        let opened = catch_unwind(AssertUnwindSafe(|| (self.context.open_source)(&catalogue.source)));
        let source = match opened.unwrap_or_else(|_| Err("opening the source panicked; the log has the cause".into())) {
            Ok(source) => source,
            Err(error) => {
                let problem = IndexingProblem { message: error.to_string(), at: Timestamp::now() };
                return CatalogueEntry { catalogue, worker: Err(problem), follower: None, stop };
            }
        };
        let IndexedCatalogue { id, index, engine, .. } = catalogue.clone();
        let generations = IndexGenerations { engine, alias: index };
        let rejected = state_file::read::<RejectedDocuments>(&self.rejected_file(&id));
        let builder = DocumentBuilder::new(&catalogue.source);
        let worker = Arc::new(IndexWorker::new(id, generations, builder, source, rejected));
        let follower = Some(self.follow(&catalogue, &worker, &stop));
        CatalogueEntry { catalogue, worker: Ok(worker), follower, stop }
    }

    /// Starts a follower of a worker.
    fn follow(
        &self,
        catalogue: &IndexedCatalogue,
        worker: &Arc<IndexWorker>,
        stop: &watch::Sender<bool>,
    ) -> AbortHandle {
        let lease = catalogue.is_shared.then(|| IndexLease {
            store: Arc::clone(&self.context.store),
            name: format!("index:{}", catalogue.id),
            holder: self.context.holder.clone(),
        });
        let follower =
            SourceFollower { worker: Arc::clone(worker), jobs: self.jobs.clone(), lease, stop: stop.subscribe() };
        self.tasks().spawn(follower.run())
    }

    fn rejected_file(&self, catalogue: &str) -> PathBuf {
        self.context.folder.join(format!("set-aside-{catalogue}.json"))
    }

    /// Saves the rejected documents of catalogues where they have changed, and takes over those of other servers.
    async fn sync_rejected(&self) {
        for (id, is_shared, rejected) in self.take_changed_rejections() {
            let saved = match is_shared {
                true => self.shared_rejections.write(&id, &rejected).await.map_err(|error| error_chain(&error)),
                false => state_file::write(&self.rejected_file(&id), &rejected).map_err(|error| error.to_string()),
            };
            if let Err(error) = saved {
                tracing::warn!(
                    catalogue = id,
                    error,
                    "the rejected documents cannot be saved, and will be forgotten at the next start"
                );
            }
        }
        let of_others = match self.shared_rejections.changed_by_others().await {
            Ok(of_others) => of_others,
            Err(error) => {
                tracing::debug!(error = error_chain(&error), "the rejected documents of other servers cannot be read");
                return;
            }
        };
        let catalogues = self.catalogues();
        for (id, rejected) in of_others {
            if let Some(CatalogueEntry { catalogue, worker: Ok(worker), .. }) = catalogues.get(&id)
                && catalogue.is_shared
            {
                worker.take_over_rejected(rejected);
            }
        }
    }

    /// Returns the rejected documents that have changed, with their catalogues and whether the index is shared.
    fn take_changed_rejections(&self) -> Vec<(String, bool, RejectedDocuments)> {
        let catalogues = self.catalogues();
        let changed = catalogues.values().filter_map(|one| {
            let worker = one.worker.as_ref().ok()?;
            Some((worker.id.clone(), one.catalogue.is_shared, worker.take_changed_rejections()?))
        });
        changed.collect()
    }
}
