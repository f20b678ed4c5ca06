//! A batch of changes as operations on an index.
//!
//! Only the last change of an analysis counts. All documents that the index has of an analysis are deleted before the new
//! ones are written, so that a document that the engine rejects leaves no old one behind. A batch is idempotent.

use std::sync::{Arc, LazyLock};

use cantata_core::AnalysisTypeId;
use cantata_engine::{BatchReport, EngineError, Filter, HitsRequest, SearchEngine, SearchPlan, WriteOperation};
use cantata_mapping::TypedValue;
use hashbrown::{HashMap, HashSet};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

use crate::document_builder::{BuiltAnalysis, DocumentBuilder, IndexDocument};
use crate::rejected_documents::DocumentRejection;
use crate::source::ChangedAnalysis;

/// How many analyses one look-up of their documents has.
const MAX_LOOKUP_ANALYSES: usize = 1_000;

/// How many ids one page of a look-up has.
const LOOKUP_PAGE_SIZE: usize = 5_000;

/// The number of processors, which takes the system as long to tell as some documents take to build.
static PROCESSORS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// How many analyses are worth another thread.
const MIN_ANALYSES_PER_THREAD: usize = 64;

/// The work of one thread.
type BuildTask = Box<dyn FnOnce() -> Vec<BuiltAnalysis> + Send>;

/// Changes that are ready to be written.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    built: Vec<BuiltAnalysis>,
    /// The analyses of which the index may have documents.
    known: HashSet<String>,
}

impl Batch {
    /// Builds the documents of the last change of each analysis. If it is certain that the changes were not applied before,
    /// `absent` holds analyses of which the index has nothing; it has nothing either of those that the changes create.
    pub(crate) async fn of(
        builder: &Arc<DocumentBuilder>,
        changes: Vec<ChangedAnalysis>,
        absent: Option<&HashSet<String>>,
    ) -> Result<Self, JoinError> {
        let mut new = HashSet::new();
        let mut last: HashMap<String, ChangedAnalysis> = HashMap::new();
        for change in changes {
            if absent.is_some_and(|absent| change.is_new || absent.contains(&change.analysis_id)) {
                new.insert(change.analysis_id.clone());
            }
            last.insert(change.analysis_id.clone(), change);
        }
        let known = last.keys().filter(|id| !new.contains(*id)).cloned().collect();
        let built = build_all(builder, last.into_values().collect(), spawn_blocking, *PROCESSORS, |builder, change| {
            let may_be_selected = builder.may_select(&change.study_id, change.state);
            match change.document.filter(|_| may_be_selected) {
                Some(document) => builder.build(Some(change.analysis_id), &document),
                None => BuiltAnalysis::not_selected(change.analysis_id),
            }
        });
        Ok(Self { built: built.await?, known })
    }

    /// Builds documents of analyses of which the index has none.
    pub(crate) async fn of_new(builder: &Arc<DocumentBuilder>, analyses: Vec<Arc<str>>) -> Result<Self, JoinError> {
        // Many batches are built at the same time.
        let built = build_all(builder, analyses, cantata_background::spawn_low_priority, 1, |builder, analysis| {
            builder.build(None, &analysis)
        });
        Ok(Self { built: built.await?, known: HashSet::new() })
    }

    /// Returns the types of the analyses.
    pub(crate) fn types(&self) -> impl Iterator<Item = &AnalysisTypeId> {
        self.built.iter().filter_map(|built| built.analysis_type.as_ref())
    }

    /// Returns the analyses that changed.
    pub(crate) fn analyses(&self) -> impl Iterator<Item = &str> {
        self.built.iter().map(|built| built.analysis_id.as_str())
    }

    /// Returns the analyses whose documents are looked up.
    pub(crate) fn looked_up(&self) -> &HashSet<String> {
        &self.known
    }

    /// Returns the analyses of which the index has nothing, neither before nor after this.
    pub(crate) fn absent(&self) -> Vec<String> {
        let is_absent = |built: &&BuiltAnalysis| {
            built.documents.as_ref().is_ok_and(Vec::is_empty) && !self.known.contains(&built.analysis_id)
        };
        self.built.iter().filter(is_absent).map(|built| built.analysis_id.clone()).collect()
    }

    /// Returns the operations, after a look-up of the documents that the index has.
    pub(crate) async fn operations(
        self,
        engine: &dyn SearchEngine,
        index: &str,
        analysis_path: &str,
    ) -> Result<Operations, EngineError> {
        let present = ids_of(engine, index, analysis_path, self.known).await?;
        let mut operations = Operations::default();
        operations.list.extend(present.into_iter().map(|id| WriteOperation::Delete { id }));
        operations.first_document = operations.list.len();
        for built in self.built {
            let BuiltAnalysis { analysis_id, documents, .. } = built;
            match documents {
                Ok(documents) => {
                    for IndexDocument { id, source } in documents {
                        operations.owners.push(analysis_id.clone());
                        operations.list.push(WriteOperation::Put { id, source });
                    }
                }
                Err(error) => operations.rejected.push(DocumentRejection::new(analysis_id, None, error.to_string())),
            }
        }
        Ok(operations)
    }
}

/// The operations of a batch.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    pub(crate) list: Vec<WriteOperation>,
    /// The number of the first document, after which there are only documents.
    first_document: usize,
    /// The analysis of each document.
    owners: Vec<String>,
    /// The analyses without documents.
    rejected: Vec<DocumentRejection>,
}

impl Operations {
    /// Takes the operations out, to be written.
    pub(crate) fn take(&mut self) -> Vec<WriteOperation> {
        std::mem::take(&mut self.list)
    }

    /// Returns everything that was rejected, here and by the engine.
    pub(crate) fn rejected(mut self, report: BatchReport) -> Vec<DocumentRejection> {
        for rejection in report.rejected {
            let document = rejection.batch_index.checked_sub(self.first_document);
            let analysis_id = document.and_then(|index| self.owners.get(index)).cloned().unwrap_or_default();
            self.rejected.push(DocumentRejection::new(analysis_id, Some(rejection.id), rejection.reason));
        }
        self.rejected
    }
}

/// Returns the ids of the documents that an index has of analyses.
async fn ids_of(
    engine: &dyn SearchEngine,
    index: &str,
    analysis_path: &str,
    analyses: HashSet<String>,
) -> Result<Vec<String>, EngineError> {
    let mut analyses: Vec<String> = analyses.into_iter().collect();
    analyses.sort_unstable();
    let mut ids = Vec::new();
    for some in analyses.chunks(MAX_LOOKUP_ANALYSES) {
        let values = some.iter().cloned().map(TypedValue::Text).collect();
        let filter = Filter::Terms { field: analysis_path.to_owned(), values };
        let mut after = None;
        loop {
            let page = HitsRequest {
                filter: 0,
                size: LOOKUP_PAGE_SIZE,
                offset: 0,
                sort: Vec::new(),
                after,
                total: false,
                documents: false,
                score: None,
            };
            let plan = SearchPlan { filters: vec![filter.clone()], hits: vec![page], facets: Vec::new() };
            let answer = engine.search(index, Arc::new(plan)).await?;
            let hits = answer.hits.into_iter().next().unwrap_or_default().hits;
            let is_last = hits.len() < LOOKUP_PAGE_SIZE;
            after = hits.last().map(|hit| hit.cursor.clone());
            ids.extend(hits.into_iter().map(|hit| hit.cursor.id));
            if is_last {
                break;
            }
        }
    }
    Ok(ids)
}

/// Builds the documents of many analyses, away from the threads that serve requests; their order is kept.
///
/// The analyses are divided among at most this many tasks, which `spawn` runs; each calls `build` for one after the
/// other.
async fn build_all<T: Send + 'static>(
    builder: &Arc<DocumentBuilder>,
    mut analyses: Vec<T>,
    spawn: impl Fn(BuildTask) -> JoinHandle<Vec<BuiltAnalysis>>,
    tasks: usize,
    build: fn(&DocumentBuilder, T) -> BuiltAnalysis,
) -> Result<Vec<BuiltAnalysis>, JoinError> {
    let size = analyses.len().div_ceil(tasks).max(MIN_ANALYSES_PER_THREAD);
    let mut running = Vec::new();
    while !analyses.is_empty() {
        let rest = analyses.split_off(size.min(analyses.len()));
        let (builder, part) = (Arc::clone(builder), std::mem::replace(&mut analyses, rest));
        running.push(spawn(Box::new(move || part.into_iter().map(|one| build(&builder, one)).collect())));
    }
    let mut built = Vec::new();
    for task in running {
        built.extend(task.await?);
    }
    Ok(built)
}
