//! From analyses to documents: what a catalogue wants, and what becomes of it. Nothing here does I/O.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use cantata_catalogue::SourceConfig;
use cantata_core::{AnalysisState, AnalysisTypeId};

use tokio::task::JoinHandle;

use crate::shape::{IndexDocument, Members, Place, Shape, in_one_line};

/// How many analyses are worth another thread.
const WORTH_A_THREAD: usize = 64;

/// Some analyses that are to be shaped.
pub(crate) type Part = Box<dyn FnOnce() -> Vec<Shaped> + Send>;

/// What a catalogue wants of its source, and in which shape.
pub(crate) struct Recipe {
    pub(crate) source: SourceConfig,
    shape: Shape,
}

/// An analysis as documents.
#[derive(Debug)]
pub(crate) struct Shaped {
    pub(crate) analysis_id: String,
    /// Its documents, none if it is not wanted, or why there cannot be any.
    pub(crate) documents: Result<Vec<IndexDocument>, String>,
    /// Its type, if it is wanted.
    pub(crate) analysis_type: Option<AnalysisTypeId>,
}

impl Shaped {
    pub(crate) fn unwanted(analysis_id: String) -> Self {
        Self { analysis_id, documents: Ok(Vec::new()), analysis_type: None }
    }

    fn refused(analysis_id: String, reason: String) -> Self {
        Self { analysis_id, documents: Err(reason), analysis_type: None }
    }
}

impl Recipe {
    /// Reads what a catalogue says of its source.
    pub(crate) fn new(source: SourceConfig) -> Self {
        Self { shape: Shape::new(&source), source }
    }

    /// Returns the field of a document that holds the id of its analysis.
    pub(crate) fn analysis_path(&self) -> &str {
        self.shape.analysis_path()
    }

    /// Says whether an analysis may be wanted, without a look at its document.
    pub(crate) fn may_want(&self, study_id: &str, state: AnalysisState) -> bool {
        let SourceConfig { studies, states, .. } = &self.source;
        states.contains(&state) && studies.as_ref().is_none_or(|studies| studies.iter().any(|one| one == study_id))
    }

    /// Makes documents of an analysis, whose id is told if it is known.
    pub(crate) fn shape(&self, analysis_id: Option<String>, document: &str) -> Shaped {
        let document = in_one_line(document);
        let read = document.as_deref().map_err(Clone::clone).and_then(|it| Members::of(it, Place::Analysis));
        let analysis = match read {
            Ok(analysis) => analysis,
            Err(reason) => return Shaped::refused(analysis_id.unwrap_or_default(), reason),
        };
        let text = |key: &str| analysis.text(key).ok();
        let analysis_id = analysis_id.or_else(|| text("analysisId")).unwrap_or_default();
        let state = text("analysisState").and_then(|state| AnalysisState::parse(&state));
        let Some((study_id, state)) = text("studyId").zip(state) else {
            return Shaped::refused(analysis_id, "the analysis has no studyId or no analysisState".to_owned());
        };
        let Some(analysis_type) = type_of(&analysis) else {
            return Shaped::refused(analysis_id, "the analysis has no analysisType with name and version".to_owned());
        };
        if !self.shape.selects(&study_id, state, &analysis_type.name, analysis_type.version) {
            return Shaped::unwanted(analysis_id);
        }
        // A fault of ours in one analysis is no reason to stop at it for ever.
        let shaped = std::panic::catch_unwind(AssertUnwindSafe(|| self.shape.documents_of(&analysis)));
        let failed = |_| Err("its documents could not be made; the log has the cause".to_owned());
        let documents = shaped.unwrap_or_else(failed);
        Shaped { analysis_id, documents, analysis_type: Some(analysis_type) }
    }
}

fn type_of(analysis: &Members<'_>) -> Option<AnalysisTypeId> {
    serde_json::from_str(analysis.get("analysisType")?.get()).ok()
}

/// Makes documents of many analyses, away from the threads that serve requests; their order is kept.
///
/// `work` is given one after the other what is to be shaped, on at most so many threads, on which `spawn` runs it.
pub(crate) async fn shape_all<T: Send + 'static>(
    recipe: &Arc<Recipe>,
    mut analyses: Vec<T>,
    spawn: impl Fn(Part) -> JoinHandle<Vec<Shaped>>,
    threads: usize,
    work: fn(&Recipe, T) -> Shaped,
) -> Result<Vec<Shaped>, String> {
    let part = analyses.len().div_ceil(threads).max(WORTH_A_THREAD);
    let mut parts = Vec::new();
    loop {
        let rest = analyses.split_off(part.min(analyses.len()));
        let (recipe, mine) = (Arc::clone(recipe), std::mem::replace(&mut analyses, rest));
        if mine.is_empty() {
            break;
        }
        parts.push(spawn(Box::new(move || mine.into_iter().map(|one| work(&recipe, one)).collect())));
    }
    let mut shaped = Vec::new();
    for part in parts {
        shaped.extend(part.await.map_err(|error| format!("a document could not be made: {error}"))?);
    }
    Ok(shaped)
}
