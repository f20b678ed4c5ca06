//! One catalogue and what works on its index: the feed that follows the source, and jobs.
//!
//! Both write through [`Worker::apply`]. The **turn** is held by whoever changes the index that the alias leads to, or
//! where the alias leads, so that no change gets lost between two indexes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cantata_catalogue::SourceOrigin;
use cantata_core::{AnalysisTypeId, Timestamp};
use cantata_engine::{BatchReport, EngineError};
use hashbrown::HashSet;
use serde_json::Value;

use crate::batch::Batch;
use crate::derive::derive;
use crate::error::Failure;
use crate::fit::fit;
use crate::place::Place;
use crate::recipe::Recipe;
use crate::set_aside::{SetAside, SetAsideDocument};
use crate::source::{AnalysisSource, Changes};
use crate::status::{CatalogueIndexing, IndexingActivity, IndexingProblem, Shown};

/// How many changes without a document are passed over until that is noted with the index.
const UNNOTED: usize = 10_000;

/// Of how many analyses is remembered that the index has nothing of them.
const REMEMBERED: usize = 50_000;

/// A catalogue that is kept up to date.
pub(crate) struct Worker {
    pub(crate) id: String,
    pub(crate) place: Place,
    pub(crate) recipe: Arc<Recipe>,
    pub(crate) source: Arc<dyn AnalysisSource>,
    pub(crate) turn: tokio::sync::Mutex<()>,
    shown: Mutex<Shown>,
    set_aside: Mutex<(SetAside, bool)>,
}

/// The types that the mapping of an index has been derived from.
pub(crate) struct KnownTypes {
    pub(crate) mark: u64,
    ids: HashSet<AnalysisTypeId>,
}

/// An index, and how far it has followed the source.
pub(crate) struct At {
    pub(crate) index: String,
    /// How far.
    pub(crate) position: Option<String>,
    /// How far as it is noted with the index: what lies between has no documents.
    pub(crate) noted: Option<String>,
    pub(crate) known: KnownTypes,
    unnoted: usize,
    /// Whether it is certain that nothing beyond the position was written: not before a write with its position has
    /// succeeded here, because a process may end between the two.
    is_certain: bool,
    /// Analyses that began after that, and of which nothing was written. Most are submitted first and published soon.
    absent: HashSet<String>,
}

impl At {
    pub(crate) fn new(index: String, position: Option<String>, known: KnownTypes) -> Self {
        Self { index, noted: position.clone(), position, known, unnoted: 0, is_certain: false, absent: HashSet::new() }
    }

    /// Notes that a write failed, of which parts may have been written.
    pub(crate) fn doubt(&mut self) {
        self.is_certain = false;
        self.absent.clear();
    }

    /// Notes what a batch left without documents.
    fn remember(&mut self, taken: &HashSet<String>, absent: Vec<String>) {
        taken.iter().for_each(|analysis_id| drop(self.absent.take(analysis_id)));
        if self.absent.len() + absent.len() > REMEMBERED {
            self.absent.clear();
        }
        self.absent.extend(absent);
    }
}

/// What became of a batch.
pub(crate) struct Applied {
    /// The analyses that were in it.
    pub(crate) taken: HashSet<String>,
    /// The documents that were not written.
    pub(crate) refused: Vec<SetAsideDocument>,
}

impl Worker {
    pub(crate) fn new(
        id: String,
        place: Place,
        recipe: Recipe,
        source: Arc<dyn AnalysisSource>,
        set_aside: SetAside,
    ) -> Self {
        Self {
            id,
            place,
            recipe: Arc::new(recipe),
            source,
            turn: tokio::sync::Mutex::default(),
            shown: Mutex::default(),
            set_aside: Mutex::new((set_aside, false)),
        }
    }

    pub(crate) fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_aside(&self) -> MutexGuard<'_, (SetAside, bool)> {
        self.set_aside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how it is.
    pub(crate) fn status(&self) -> CatalogueIndexing {
        let Shown { activity, index, position, last_error, needs_reindex, notes } = self.shown().clone();
        let set_aside = self.set_aside();
        CatalogueIndexing {
            catalogue: self.id.clone(),
            source: origin_name(&self.recipe.source.origin).to_owned(),
            alias: self.place.alias.clone(),
            behind: (index.is_some()).then(|| self.source.behind(position.as_deref())).flatten(),
            index,
            status: activity,
            position,
            last_error,
            needs_reindex,
            notes,
            set_aside: set_aside.0.documents.iter().rev().cloned().collect(),
            set_aside_dropped: set_aside.0.dropped,
        }
    }

    /// Returns the documents that were set aside, if there are others than when this was last asked.
    pub(crate) fn new_set_aside(&self) -> Option<SetAside> {
        let mut set_aside = self.set_aside();
        std::mem::take(&mut set_aside.1).then(|| set_aside.0.clone())
    }

    /// Notes what became of a batch.
    pub(crate) fn note(&self, applied: Applied) {
        for document in &applied.refused {
            let SetAsideDocument { analysis_id, document_id, reason, .. } = document;
            tracing::warn!(catalogue = self.id, analysis_id, document_id, reason, "a document is set aside");
        }
        let mut set_aside = self.set_aside();
        let changed = set_aside.0.note(&applied.taken, applied.refused);
        set_aside.1 |= changed;
    }

    /// Notes that the index is another one, with other documents that could not be indexed.
    pub(crate) fn replace_set_aside(&self, with: SetAside) {
        *self.set_aside() = (with, true);
    }

    /// Shows which index is in use, and how far it came.
    pub(crate) fn show_place(&self, index: String, position: Option<String>) {
        let mut shown = self.shown();
        shown.index = Some(index);
        shown.position = position;
    }

    /// Shows a failure; says whether it is another one than before.
    pub(crate) fn show_failure(&self, failure: &Failure) -> bool {
        let message = failure.in_short();
        let mut shown = self.shown();
        let is_same = shown.activity == IndexingActivity::Failing
            && shown.last_error.as_ref().is_some_and(|last| last.message == message);
        shown.activity = IndexingActivity::Failing;
        shown.last_error = Some(IndexingProblem { message, at: Timestamp::now() });
        !is_same
    }

    /// Derives the mapping from all types.
    pub(crate) async fn derived(&self) -> Result<(Value, KnownTypes), Failure> {
        let mark = self.source.types_mark().await?;
        let types = self.source.types().await?;
        let derived = derive(&self.recipe.source, &types);
        self.shown().notes = derived.notes;
        Ok((derived.mapping, KnownTypes { mark, ids: types.into_iter().map(|one| one.id).collect() }))
    }

    /// Adds to an index what its mapping lacks, and shows what cannot be added.
    pub(crate) async fn fit_mapping(&self, index: &str) -> Result<KnownTypes, Failure> {
        let (mapping, known) = self.derived().await?;
        let present = self.place.engine.mapping(index).await?;
        let fitted = fit(&mapping, present.raw());
        let mut misfits = fitted.misfits;
        match self.place.engine.extend_mapping(index, &fitted.mapping).await {
            Ok(()) => {}
            Err(EngineError::Refused(reason)) => misfits.push(reason),
            Err(error) => return Err(error.into()),
        }
        if !misfits.is_empty() && self.shown().needs_reindex != misfits {
            tracing::warn!(catalogue = self.id, index, ?misfits, "the index needs a reindex");
        }
        self.shown().needs_reindex = misfits;
        Ok(known)
    }

    /// Takes changes into an index; how far it came is noted with it, if it may be.
    ///
    /// A single analysis whose documents the engine refuses as a whole is set aside; several are an error.
    pub(crate) async fn apply(&self, at: &mut At, changes: Changes, is_noted: bool) -> Result<Applied, Failure> {
        at.unnoted += changes.analyses.len();
        let absent = at.is_certain.then_some(&at.absent);
        let batch = Batch::of(&self.recipe, changes.analyses, absent).await.map_err(Failure::Here)?;
        if batch.types().any(|one| !at.known.ids.contains(one)) {
            at.known = self.fit_mapping(&at.index).await?;
        }
        let taken: HashSet<String> = batch.analyses().map(str::to_owned).collect();
        let absent = batch.absent();
        let engine = &*self.place.engine;
        let mut operations = batch.operations(engine, &at.index, self.recipe.analysis_path()).await?;
        let list = operations.take();
        let is_written = !list.is_empty() || at.unnoted >= UNNOTED;
        let position = (is_noted && is_written).then_some(changes.position.as_str());
        let written = match position {
            _ if !is_written => Ok(BatchReport::default()),
            Some(position) => engine.write_at(&at.index, list, position).await,
            None => engine.write(&at.index, list).await,
        };
        let refused = match (written, taken.iter().next()) {
            (Ok(report), _) => operations.refused(report),
            (Err(EngineError::Refused(reason)), Some(analysis_id)) if taken.len() == 1 => {
                if let Some(position) = position {
                    engine.write_at(&at.index, Vec::new(), position).await?;
                }
                vec![SetAsideDocument::new(analysis_id.clone(), None, reason)]
            }
            (Err(error), _) => return Err(error.into()),
        };
        if position.is_some() {
            at.noted = Some(changes.position.clone());
            at.unnoted = 0;
            at.is_certain = true;
        }
        at.remember(&taken, absent);
        at.position = Some(changes.position);
        Ok(Applied { taken, refused })
    }
}

/// Returns what a source is called.
pub(crate) fn origin_name(origin: &SourceOrigin) -> &'static str {
    match origin {
        SourceOrigin::Here => "here",
        SourceOrigin::Song(_) => "song",
    }
}
