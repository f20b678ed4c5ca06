//! A batch of changes as operations on an index.
//!
//! Only the last change of an analysis counts. What the index has of the analysis and is not among its documents any
//! more is removed; what is replaced is removed first, so that a document that the engine refuses leaves no old one
//! behind. Applied again, a batch changes nothing.

use std::sync::{Arc, LazyLock};

use cantata_core::AnalysisTypeId;
use cantata_engine::{BatchReport, EngineError, Filter, HitsRequest, Operation, Plan, SearchEngine};
use cantata_mapping::TypedValue;
use hashbrown::{HashMap, HashSet};
use tokio::task::spawn_blocking;

use crate::recipe::{Recipe, Shaped, shape_all};
use crate::set_aside::SetAsideDocument;
use crate::source::ChangedAnalysis;

/// How many analyses are looked up at once.
const LOOKED_UP: usize = 1_000;

/// How many ids are asked for at once.
const PAGE: usize = 5_000;

/// How many threads can run at once. To ask the system takes as long as to make some documents.
static PROCESSORS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// Changes that are ready to be written.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    shaped: Vec<Shaped>,
    /// The analyses of which the index may have documents.
    known: HashSet<String>,
}

impl Batch {
    /// Makes the documents of the last change of each analysis. If the changes certainly come for the first time, the
    /// index has nothing of an analysis that begins with them, or of those that are told to be `absent`.
    pub(crate) async fn of(
        recipe: &Arc<Recipe>,
        changes: Vec<ChangedAnalysis>,
        absent: Option<&HashSet<String>>,
    ) -> Result<Self, String> {
        let mut new = HashSet::new();
        let mut last: HashMap<String, ChangedAnalysis> = HashMap::new();
        for change in changes {
            if absent.is_some_and(|absent| change.is_new || absent.contains(&change.analysis_id)) {
                new.insert(change.analysis_id.clone());
            }
            last.insert(change.analysis_id.clone(), change);
        }
        let known = last.keys().filter(|id| !new.contains(*id)).cloned().collect();
        let shaped = shape_all(recipe, last.into_values().collect(), spawn_blocking, *PROCESSORS, |recipe, change| {
            let wanted = recipe.may_want(&change.study_id, change.state);
            match change.document.filter(|_| wanted) {
                Some(document) => recipe.shape(Some(change.analysis_id), &document),
                None => Shaped::unwanted(change.analysis_id),
            }
        });
        Ok(Self { shaped: shaped.await?, known })
    }

    /// Makes documents of analyses of which the index has none.
    pub(crate) async fn of_new(recipe: &Arc<Recipe>, analyses: Vec<Arc<str>>) -> Result<Self, String> {
        // Many of these are shaped at the same time.
        let shaped =
            shape_all(recipe, analyses, cantata_background::run, 1, |recipe, analysis| recipe.shape(None, &analysis));
        Ok(Self { shaped: shaped.await?, known: HashSet::new() })
    }

    /// Returns the types of the analyses.
    pub(crate) fn types(&self) -> impl Iterator<Item = &AnalysisTypeId> {
        self.shaped.iter().filter_map(|shaped| shaped.analysis_type.as_ref())
    }

    /// Returns the analyses that changed.
    pub(crate) fn analyses(&self) -> impl Iterator<Item = &str> {
        self.shaped.iter().map(|shaped| shaped.analysis_id.as_str())
    }

    /// Returns the analyses of which the index has nothing, neither before nor after this.
    pub(crate) fn absent(&self) -> Vec<String> {
        let is_absent = |shaped: &&Shaped| {
            shaped.documents.as_ref().is_ok_and(Vec::is_empty) && !self.known.contains(&shaped.analysis_id)
        };
        self.shaped.iter().filter(is_absent).map(|shaped| shaped.analysis_id.clone()).collect()
    }

    /// Returns what is to be written, after a look at what the index has.
    pub(crate) async fn operations(
        self,
        engine: &dyn SearchEngine,
        index: &str,
        analysis_path: &str,
    ) -> Result<Operations, EngineError> {
        let present = ids_of(engine, index, analysis_path, self.known).await?;
        let mut operations = Operations::default();
        operations.list.extend(present.into_iter().map(|id| Operation::Delete { id }));
        operations.first_document = operations.list.len();
        for shaped in self.shaped {
            let Shaped { analysis_id, documents, .. } = shaped;
            match documents {
                Ok(documents) => {
                    for document in documents {
                        operations.owners.push(analysis_id.clone());
                        operations.list.push(Operation::Put { id: document.id, source: document.source });
                    }
                }
                Err(reason) => {
                    operations.set_aside.push(SetAsideDocument::new(analysis_id, None, reason));
                }
            }
        }
        Ok(operations)
    }
}

/// What is to be written.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// The operations.
    pub(crate) list: Vec<Operation>,
    /// The place of the first document, after which there are only documents.
    first_document: usize,
    /// The analysis of each document.
    owners: Vec<String>,
    /// What cannot be written.
    set_aside: Vec<SetAsideDocument>,
}

impl Operations {
    /// Takes the operations out, to be written.
    pub(crate) fn take(&mut self) -> Vec<Operation> {
        std::mem::take(&mut self.list)
    }

    /// Returns everything that could not be written, once the engine has said what it refused.
    pub(crate) fn refused(mut self, report: BatchReport) -> Vec<SetAsideDocument> {
        for refusal in report.refused {
            let owner = refusal.place.checked_sub(self.first_document).and_then(|place| self.owners.get(place));
            let analysis_id = owner.cloned().unwrap_or_default();
            self.set_aside.push(SetAsideDocument::new(analysis_id, Some(refusal.id), refusal.reason));
        }
        self.set_aside
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
    for some in analyses.chunks(LOOKED_UP) {
        let values = some.iter().cloned().map(TypedValue::Text).collect();
        let filter = Filter::Terms { field: analysis_path.to_owned(), values };
        let mut after = None;
        loop {
            let page = HitsRequest {
                filter: 0,
                size: PAGE,
                offset: 0,
                sort: Vec::new(),
                after,
                total: false,
                documents: false,
            };
            let plan = Plan { filters: vec![filter.clone()], hits: vec![page], facets: Vec::new() };
            let answer = engine.search(index, Arc::new(plan)).await?;
            let hits = answer.hits.into_iter().next().unwrap_or_default().hits;
            let is_last = hits.len() < PAGE;
            after = hits.last().map(|hit| hit.cursor.clone());
            ids.extend(hits.into_iter().map(|hit| hit.cursor.id));
            if is_last {
                break;
            }
        }
    }
    Ok(ids)
}
