//! A store, an engine and the indexing between them, in a folder; they can be stopped and started again.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::{CatalogueConfig, ConfigDefaults, SourceConfig};
use cantata_core::{
    Analysis, AnalysisId, AnalysisState, AnalysisTypeId, EventAction, File, FileAccess, ObjectId, PartialTypeOptions,
    Study, Timestamp,
};
use cantata_engine::{ExportRequest, Filter, IndexReader as _, SearchEngine};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_indexing::document_builder::DocumentBuilder;
use cantata_indexing::{
    AnalysisSource, CatalogueIndexing, IndexedCatalogue, Indexing, IndexingActivity, IndexingContext, Job, JobStatus,
    StoreSource,
};
use cantata_store::{
    AnalysisChange, AnalysisQuery, DuplicateRule, InsertOutcome, NewAnalysis, NewAnalysisType, ReplaceOutcome,
    Revision, StateSet, Store, StoreError,
};
use cantata_store_sqlite::SqliteStore;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// How long something may take that should take moments.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

/// How often a folder is opened that is still in use.
const MAX_OPENINGS: usize = 1_500;

pub(crate) const STUDIES: [&str; 2] = ["A", "B"];

/// The name of the analysis type that every bed has.
pub(crate) const TYPE: &str = "sequencing";

pub(crate) struct Bed {
    folder: PathBuf,
    /// Removed with the bed.
    _temporary: Option<TempDir>,
    catalogues: Vec<(String, Value)>,
    running: Option<Running>,
}

pub(crate) struct Running {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) engine: Arc<EmbeddedEngine>,
    pub(crate) indexing: Indexing,
}

/// Reads what a `source.json` says.
pub(crate) fn source(keys: &Value) -> SourceConfig {
    let config = json!({"esIndex": "x", "documentType": "file", "source": keys});
    CatalogueConfig::from_value("x", &config, &ConfigDefaults::default()).unwrap().source.unwrap()
}

impl Bed {
    /// Starts indexing for catalogues, each an id that is its index too, and what its `source.json` says.
    pub(crate) async fn start(catalogues: &[(&str, Value)]) -> Self {
        let temporary = TempDir::new().unwrap();
        let mut bed = Self::stopped(temporary.path().to_owned(), catalogues);
        bed._temporary = Some(temporary);
        bed.open().await;
        bed.prepare().await.unwrap();
        bed
    }

    /// Returns a bed of a folder that is not started.
    pub(crate) fn stopped(folder: PathBuf, catalogues: &[(&str, Value)]) -> Self {
        let catalogues = catalogues.iter().map(|(id, source)| ((*id).to_owned(), source.clone())).collect();
        Self { folder, _temporary: None, catalogues, running: None }
    }

    /// Creates the studies and the type, where they are not there.
    pub(crate) async fn prepare(&self) -> Result<(), StoreError> {
        for study in STUDIES {
            self.store().create_study(Study { study_id: study.to_owned(), ..Study::default() }).await?;
        }
        if self.store().latest_type_version(TYPE).await?.is_none() {
            self.store().register_type(new_type(&json!({"reads": {"type": "integer"}}))).await?;
        }
        Ok(())
    }

    /// Starts it on what is in the folder. On a busy machine, work that a stop has given up may use that a moment longer.
    async fn open(&mut self) {
        for _ in 0..MAX_OPENINGS {
            if self.try_open().is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.try_open().unwrap();
    }

    /// Starts it on what is in the folder, if that can be opened.
    pub(crate) fn try_open(&mut self) -> Result<(), Box<dyn Error>> {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&self.folder.join("store"))?);
        let engine = Arc::new(EmbeddedEngine::open(&self.folder.join("search"))?);
        let searched: Arc<dyn SearchEngine> = engine.clone();
        let fed: Vec<IndexedCatalogue> = self
            .catalogues
            .iter()
            .map(|(id, keys)| IndexedCatalogue {
                id: id.clone(),
                index: id.clone(),
                source: source(keys),
                engine: Arc::clone(&searched),
                is_shared: false,
            })
            .collect();
        let analyses: Arc<dyn AnalysisSource> = Arc::new(StoreSource::new(Arc::clone(&store)));
        let indexing = Indexing::start(IndexingContext {
            folder: self.folder.join("indexing"),
            store: Arc::clone(&store),
            holder: "test".to_owned(),
            open_source: Box::new(move |_: &SourceConfig| Ok(Arc::clone(&analyses))),
            catalogues: Box::new(move || fed.clone()),
        });
        self.running = Some(Running { store, engine, indexing });
        Ok(())
    }

    /// Adds a catalogue.
    pub(crate) async fn feed(&mut self, id: &str, source: Value) {
        self.stop().await;
        self.catalogues.push((id.to_owned(), source));
        self.open().await;
    }

    /// Goes on with these catalogues alone.
    pub(crate) async fn feed_only(&mut self, catalogues: &[(&str, Value)]) {
        self.stop().await;
        self.catalogues = catalogues.iter().map(|(id, source)| ((*id).to_owned(), source.clone())).collect();
        self.open().await;
    }

    /// Stops everything.
    pub(crate) async fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.indexing.stop().await;
            running.engine.wait_until_idle().await;
        }
    }

    /// Stops everything, lets something happen to the folder, and starts it again.
    pub(crate) async fn restart_after(&mut self, happens: impl FnOnce(&std::path::Path)) {
        self.stop().await;
        happens(&self.folder);
        self.open().await;
    }

    pub(crate) fn running(&self) -> &Running {
        self.running.as_ref().unwrap()
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.running().store
    }

    pub(crate) fn engine(&self) -> &EmbeddedEngine {
        &self.running().engine
    }

    pub(crate) fn indexing(&self) -> &Indexing {
        &self.running().indexing
    }

    /// Registers the next version of the type, whose `experiment` has these properties.
    pub(crate) async fn register(&self, experiment: Value) {
        self.store().register_type(new_type(&experiment)).await.unwrap();
    }

    pub(crate) fn status(&self, catalogue: &str) -> Option<CatalogueIndexing> {
        self.indexing().status().into_iter().find(|one| one.catalogue == catalogue)
    }

    /// Waits until something holds of a catalogue, and returns how it is then.
    pub(crate) async fn until(&self, catalogue: &str, holds: impl Fn(&CatalogueIndexing) -> bool) -> CatalogueIndexing {
        let waiting = async {
            loop {
                if let Some(status) = self.status(catalogue).filter(|status| holds(status)) {
                    return status;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        match tokio::time::timeout(WAIT_TIMEOUT, waiting).await {
            Ok(status) => status,
            Err(_) => panic!("{:#?}", self.status(catalogue)),
        }
    }

    /// Waits until a catalogue has taken in everything.
    pub(crate) async fn caught_up(&self, catalogue: &str) -> CatalogueIndexing {
        let is_done = |status: &CatalogueIndexing| {
            status.status == IndexingActivity::Following && status.index.is_some() && status.lag == Some(0)
        };
        self.until(catalogue, is_done).await
    }

    /// Waits until a job is over.
    pub(crate) async fn ended(&self, job: u64) -> Job {
        let waiting = async {
            loop {
                let job = self.indexing().jobs().job(job).unwrap();
                if job.status != JobStatus::Running {
                    return job;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(WAIT_TIMEOUT, waiting).await.unwrap()
    }

    /// Waits until everything is taken in, and holds the index against the store.
    pub(crate) async fn assert_right(&self) {
        for (catalogue, keys) in &self.catalogues {
            self.caught_up(catalogue).await;
            assert_eq!(self.contents(catalogue).await, self.expected(keys).await, "{catalogue}");
        }
    }

    /// Returns what an index has.
    pub(crate) async fn contents(&self, index: &str) -> BTreeMap<String, Value> {
        let all = ExportRequest { filter: Filter::All, sort: Vec::new(), limit: None, page_size: 100 };
        let mut export = self.engine().export(index, all).await.unwrap();
        let mut contents = BTreeMap::new();
        while let Some(page) = export.next().await.unwrap() {
            for hit in page.hits {
                let document = serde_json::to_value(hit.document.unwrap().root()).unwrap();
                assert!(contents.insert(hit.cursor.id, document).is_none(), "a document is there twice");
            }
        }
        contents
    }

    /// Returns what the index should have, by the store as it is now.
    pub(crate) async fn expected(&self, keys: &Value) -> BTreeMap<String, Value> {
        let shape = DocumentBuilder::new(&source(keys));
        let mut expected = BTreeMap::new();
        for study in STUDIES {
            for Stored { analysis, .. } in self.analyses(study).await.unwrap() {
                let AnalysisTypeId { name, version } = &analysis.analysis_type;
                if shape.selects(study, analysis.state, name, *version) {
                    let documents = shape.documents(&serde_json::to_string(&analysis).unwrap()).unwrap();
                    let read = |source: &[u8]| serde_json::from_slice::<Value>(source).unwrap();
                    expected.extend(documents.into_iter().map(|one| (one.id, read(&one.source))));
                }
            }
        }
        expected
    }

    /// Returns the analyses of a study.
    pub(crate) async fn analyses(&self, study: &str) -> Result<Vec<Stored>, StoreError> {
        let revisions = self.store().list_analyses(&AnalysisQuery::all(study, StateSet::ALL)).await?;
        let documents = self.store().documents(&revisions).await?;
        let analyses = documents.iter().map(|document| serde_json::from_str(document).unwrap());
        Ok(analyses.zip(revisions).map(|(analysis, revision)| Stored { analysis, revision }).collect())
    }
}

/// An analysis in the store.
pub(crate) struct Stored {
    pub(crate) analysis: Analysis,
    revision: Revision,
}

impl Stored {
    /// Submits an analysis with this many files.
    pub(crate) async fn submit(store: &Arc<dyn Store>, study: &str, files: usize, experiment: Value) -> Self {
        Self::insert(store, study, files, experiment, |_| {}).await
    }

    /// Submits an analysis that is published from the beginning.
    pub(crate) async fn submit_published(store: &Arc<dyn Store>, study: &str, files: usize, experiment: Value) -> Self {
        let publish = |analysis: &mut Analysis| {
            analysis.change_state(AnalysisState::Published, analysis.created_at).unwrap();
        };
        Self::insert(store, study, files, experiment, publish).await
    }

    async fn insert(
        store: &Arc<dyn Store>,
        study: &str,
        files: usize,
        experiment: Value,
        change: impl FnOnce(&mut Analysis),
    ) -> Self {
        let version = store.latest_type_version(TYPE).await.unwrap().unwrap();
        let mut analysis = new_analysis(study, files, experiment, version);
        change(&mut analysis);
        Self::try_insert(store, analysis).await.unwrap()
    }

    /// Submits an analysis.
    pub(crate) async fn try_insert(store: &Arc<dyn Store>, analysis: Analysis) -> Result<Self, StoreError> {
        let new = NewAnalysis::of(&analysis)?;
        match store.insert_analysis(new, DuplicateRule::Allow).await? {
            InsertOutcome::Stored(revision) => Ok(Self { analysis, revision }),
            other => panic!("{other:?}"),
        }
    }

    /// Submits and publishes an analysis with one file.
    pub(crate) async fn publish_new(store: &Arc<dyn Store>, experiment: Value) -> Self {
        let mut stored = Self::submit(store, STUDIES[0], 1, experiment).await;
        stored.become_state(store, AnalysisState::Published).await;
        stored
    }

    pub(crate) fn id(&self) -> String {
        self.analysis.analysis_id.to_string()
    }

    pub(crate) async fn become_state(&mut self, store: &Arc<dyn Store>, state: AnalysisState) {
        self.change(store, EventAction::for_state(state), |analysis| {
            analysis.change_state(state, Timestamp::now()).unwrap();
        })
        .await;
    }

    pub(crate) async fn experiment(&mut self, store: &Arc<dyn Store>, experiment: Value) {
        self.change(store, EventAction::Update, |analysis| {
            analysis.data.insert("experiment".to_owned(), experiment);
        })
        .await;
    }

    pub(crate) async fn change(
        &mut self,
        store: &Arc<dyn Store>,
        action: EventAction,
        change: impl FnOnce(&mut Analysis),
    ) {
        let mut after = self.analysis.clone();
        change(&mut after);
        self.try_replace(store, action, after).await.unwrap();
    }

    /// Replaces the analysis by another state of it.
    pub(crate) async fn try_replace(
        &mut self,
        store: &Arc<dyn Store>,
        action: EventAction,
        after: Analysis,
    ) -> Result<(), StoreError> {
        let change = AnalysisChange::between(self.revision, &self.analysis, &after, action)?;
        match store.replace_analysis(change).await? {
            ReplaceOutcome::Stored(revision) => *self = Self { analysis: after, revision },
            ReplaceOutcome::Conflict => panic!("nobody else changes it"),
        }
        Ok(())
    }
}

/// Returns an analysis that is not published.
pub(crate) fn new_analysis(study: &str, files: usize, experiment: Value, version: u32) -> Analysis {
    let (id, now) = (AnalysisId::generate(), Timestamp::now());
    let files = (0..files).map(|number| file(study, id, number)).collect();
    let data = Map::from_iter([("experiment".to_owned(), experiment)]);
    Analysis::new(id, study, AnalysisTypeId { name: TYPE.to_owned(), version }, files, data, now)
}

/// Returns a version of the type, whose `experiment` has these properties.
fn new_type(experiment: &Value) -> NewAnalysisType {
    let experiment = json!({"type": "object", "properties": experiment});
    let schema = json!({"type": "object", "required": ["experiment"], "properties": {"experiment": experiment}});
    NewAnalysisType {
        name: TYPE.to_owned(),
        schema,
        options: PartialTypeOptions::default(),
        created_at: Timestamp::now(),
    }
}

/// Returns a file of an analysis.
pub(crate) fn file(study: &str, analysis_id: AnalysisId, number: usize) -> File {
    File {
        info: Map::new(),
        object_id: ObjectId::parse(&AnalysisId::generate().to_string()).unwrap(),
        study_id: study.to_owned(),
        analysis_id,
        file_name: format!("{number}.bam"),
        file_size: 7,
        file_type: "bam".to_owned(),
        file_md5sum: AnalysisId::generate().to_string().replace('-', ""),
        file_access: FileAccess::Open,
        data_type: "reads".to_owned(),
    }
}
