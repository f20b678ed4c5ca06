//! All catalogues that are kept up to date: which ones there are, and what can be asked of them.
//!
//! The list of catalogues is looked at once a second; one that is new or changed gets a new feed, one that is gone
//! loses it. Its index stays.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cantata_catalogue::{CatalogueConfig, EngineChoice, SourceConfig};
use cantata_core::Timestamp;
use cantata_engine::SearchEngine;
use cantata_store::Store;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::error::IndexingError;
use crate::feed::{Feed, Lease};
use crate::jobs::{Job, Jobs};
use crate::place::Place;
use crate::recipe::Recipe;
use crate::reindex::reindex;
use crate::set_aside::SetAside;
use crate::source::AnalysisSource;
use crate::state_file;
use crate::status::{CatalogueIndexing, IndexingActivity, IndexingProblem};
use crate::worker::{Worker, origin_name};

/// How often the list of catalogues is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// How long stopping may take.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// A catalogue that has a source.
#[derive(Clone)]
pub struct FedCatalogue {
    /// Its id.
    pub id: String,
    /// The name that it searches.
    pub index: String,
    /// What it says of its source.
    pub source: SourceConfig,
    /// The engine that has its index.
    pub engine: Arc<dyn SearchEngine>,
    /// Whether other processes can write to the same index.
    pub is_shared: bool,
}

impl FedCatalogue {
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

    fn is(&self, other: &Self) -> bool {
        self.index == other.index && self.source == other.source && Arc::ptr_eq(&self.engine, &other.engine)
    }
}

/// Gives catalogues their sources.
pub trait Sources: Send + Sync + 'static {
    /// Returns the source that a catalogue names.
    ///
    /// # Errors
    ///
    /// If it cannot be used: why.
    fn source(&self, config: &SourceConfig) -> Result<Arc<dyn AnalysisSource>, String>;
}

impl<F> Sources for F
where
    F: Fn(&SourceConfig) -> Result<Arc<dyn AnalysisSource>, String> + Send + Sync + 'static,
{
    fn source(&self, config: &SourceConfig) -> Result<Arc<dyn AnalysisSource>, String> {
        self(config)
    }
}

/// What indexing works with.
pub struct IndexingParts {
    /// The folder for what is kept beside the indexes.
    pub folder: PathBuf,
    /// The store, which says which of several processes feeds an index.
    pub store: Arc<dyn Store>,
    /// This process, by a name that no other has.
    pub holder: String,
    /// The sources.
    pub sources: Box<dyn Sources>,
    /// The catalogues that have a source, as they are now.
    pub catalogues: Box<dyn Fn() -> Vec<FedCatalogue> + Send + Sync>,
}

/// Keeps the indexes of catalogues up to date with their sources, in the background.
pub struct Indexing {
    inner: Arc<Inner>,
    task: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    parts: IndexingParts,
    jobs: Jobs,
    fed: Mutex<BTreeMap<String, Fed>>,
    stop: watch::Sender<bool>,
    /// Jobs and feeds.
    tasks: Mutex<JoinSet<()>>,
}

/// A catalogue with its feed, or why it has none.
struct Fed {
    catalogue: FedCatalogue,
    worker: Result<Arc<Worker>, IndexingProblem>,
    stop: watch::Sender<bool>,
}

impl Indexing {
    /// Starts it.
    pub fn start(parts: IndexingParts) -> Self {
        let jobs = Jobs::open(parts.folder.join("jobs.json"));
        let inner = Arc::new(Inner {
            parts,
            jobs,
            fed: Mutex::default(),
            stop: watch::Sender::new(false),
            tasks: Mutex::default(),
        });
        let following = Arc::clone(&inner);
        let mut stop = inner.stop.subscribe();
        let task = tokio::spawn(async move {
            loop {
                following.follow();
                tokio::select! {
                    () = tokio::time::sleep(LOOK) => {}
                    _ = stop.wait_for(|stop| *stop) => return,
                }
            }
        });
        Self { inner, task: Mutex::new(Some(task)) }
    }

    /// Returns how each catalogue is.
    pub fn status(&self) -> Vec<CatalogueIndexing> {
        self.inner.fed().values().map(Fed::status).collect()
    }

    /// Returns the jobs.
    pub fn jobs(&self) -> &Jobs {
        &self.inner.jobs
    }

    /// Begins to make the index of a catalogue anew.
    ///
    /// # Errors
    ///
    /// If there is no such catalogue, or it is being worked on.
    pub fn reindex(&self, catalogue: &str) -> Result<Job, IndexingError> {
        let (worker, stop) = self.inner.worker(catalogue)?;
        let running = self.inner.jobs.begin(catalogue, None)?;
        let job = running.job().ok_or_else(|| IndexingError::UnknownCatalogue(catalogue.to_owned()))?;
        self.inner.tasks().spawn(async move {
            // What became of it is told in the job.
            let _ = reindex(&worker, running, stop).await;
        });
        Ok(job)
    }

    /// Goes back to the index that a catalogue had before the last reindex. The feed then brings it up to date. Done
    /// again, it leads back.
    ///
    /// # Errors
    ///
    /// If there is no such catalogue or no such index, or the engine failed.
    pub async fn rollback(&self, catalogue: &str) -> Result<CatalogueIndexing, IndexingError> {
        let (worker, _) = self.inner.worker(catalogue)?;
        let turn = worker.turn.lock().await;
        let Some(previous) = worker.place.previous().await? else {
            return Err(IndexingError::NothingToGoBackTo(catalogue.to_owned()));
        };
        let current = worker.place.current().await?;
        worker.place.switch(current.as_deref(), &previous).await?;
        tracing::info!(catalogue, from = current, to = previous, "an earlier index is in use again");
        let position = worker.place.engine.position(&previous).await?;
        worker.show_place(previous, position);
        drop(turn);
        Ok(worker.status())
    }

    /// Stops it. Jobs under way are interrupted; feeds go on after the next start where they are.
    pub async fn stop(&self) {
        self.inner.stop.send_replace(true);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            let _ = task.await;
        }
        for fed in self.inner.fed().values() {
            fed.stop.send_replace(true);
        }
        let mut tasks = std::mem::take(&mut *self.inner.tasks());
        let all_ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(STOP_LIMIT, all_ended).await.is_err() {
            tracing::warn!("indexing did not come to an end in time; it goes on from where it is after the next start");
        }
        self.inner.keep_set_aside();
    }
}

impl Fed {
    fn status(&self) -> CatalogueIndexing {
        match &self.worker {
            Ok(worker) => worker.status(),
            Err(problem) => CatalogueIndexing {
                catalogue: self.catalogue.id.clone(),
                source: origin_name(&self.catalogue.source.origin).to_owned(),
                alias: self.catalogue.index.clone(),
                index: None,
                status: IndexingActivity::Failing,
                position: None,
                behind: None,
                last_error: Some(problem.clone()),
                needs_reindex: Vec::new(),
                notes: Vec::new(),
                set_aside: Vec::new(),
                set_aside_dropped: 0,
            },
        }
    }
}

impl Inner {
    fn fed(&self) -> MutexGuard<'_, BTreeMap<String, Fed>> {
        self.fed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what works on a catalogue, and what tells it to stop.
    fn worker(&self, catalogue: &str) -> Result<(Arc<Worker>, watch::Receiver<bool>), IndexingError> {
        let fed = self.fed();
        let found = fed.get(catalogue).ok_or_else(|| IndexingError::UnknownCatalogue(catalogue.to_owned()))?;
        match &found.worker {
            Ok(worker) => Ok((Arc::clone(worker), found.stop.subscribe())),
            Err(problem) => Err(IndexingError::Unusable(problem.message.clone())),
        }
    }

    /// Sees to it that each catalogue has its feed.
    fn follow(&self) {
        let catalogues = (self.parts.catalogues)();
        let mut fed = self.fed();
        fed.retain(|id, one| {
            let stays = catalogues.iter().any(|catalogue| catalogue.id == *id && catalogue.is(&one.catalogue));
            if !stays {
                one.stop.send_replace(true);
            }
            stays && one.worker.is_ok()
        });
        for catalogue in catalogues {
            if !fed.contains_key(&catalogue.id) {
                fed.insert(catalogue.id.clone(), self.begin(catalogue));
            }
        }
        drop(fed);
        self.keep_set_aside();
        // Those that are over are of no more use.
        while self.tasks().try_join_next().is_some() {}
    }

    /// Begins to feed a catalogue.
    fn begin(&self, catalogue: FedCatalogue) -> Fed {
        let stop = watch::Sender::new(false);
        let source = match self.parts.sources.source(&catalogue.source) {
            Ok(source) => source,
            Err(message) => {
                let problem = IndexingProblem { message, at: Timestamp::now() };
                return Fed { catalogue, worker: Err(problem), stop };
            }
        };
        let FedCatalogue { id, index, engine, is_shared, .. } = catalogue.clone();
        let place = Place { engine, alias: index };
        let set_aside = state_file::read::<SetAside>(&self.set_aside_file(&id));
        let recipe = Recipe::new(catalogue.source.clone());
        let worker = Arc::new(Worker::new(id.clone(), place, recipe, source, set_aside));
        let lease = is_shared.then(|| Lease {
            store: Arc::clone(&self.parts.store),
            name: format!("index:{id}"),
            holder: self.parts.holder.clone(),
        });
        let feed = Feed { worker: Arc::clone(&worker), jobs: self.jobs.clone(), lease, stop: stop.subscribe() };
        self.tasks().spawn(feed.run());
        Fed { catalogue, worker: Ok(worker), stop }
    }

    fn set_aside_file(&self, catalogue: &str) -> PathBuf {
        self.parts.folder.join(format!("set-aside-{catalogue}.json"))
    }

    /// Keeps what was set aside for the next start.
    fn keep_set_aside(&self) {
        let fed = self.fed();
        let changed = fed.values().filter_map(|one| {
            let worker = one.worker.as_ref().ok()?;
            Some((worker.id.clone(), worker.new_set_aside()?))
        });
        for (id, set_aside) in changed {
            if let Err(error) = state_file::write(&self.set_aside_file(&id), &set_aside) {
                tracing::warn!(catalogue = id, %error, "what was set aside is forgotten at the next start");
            }
        }
    }
}
