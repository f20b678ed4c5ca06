//! The index worker of a catalogue, shared by the follower of its source and by jobs.
//!
//! Both write through [`IndexWorker::apply`]. The **index lock** is held while the index behind the alias is written, or the
//! alias moved, so that no change gets lost between two indexes.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cantata_catalogue::SourceOrigin;
use cantata_core::{AnalysisTypeId, Timestamp};
use cantata_engine::{BatchReport, EngineError};
use hashbrown::HashSet;
use serde_json::Value;

use crate::batch::Batch;
use crate::document_builder::DocumentBuilder;
use crate::error::IndexingFailure;
use crate::index_generations::IndexGenerations;
use crate::mapping_derivation::derive_mapping;
use crate::mapping_update::plan_update;
use crate::rejected_documents::{DocumentRejection, RejectedDocuments};
use crate::source::{AnalysisSource, ChangeBatch};
use crate::status::{CatalogueIndexing, IndexingActivity, IndexingProblem, LiveStatus};
use crate::unrefreshed::Unrefreshed;

/// After how many changes without documents the position is persisted all the same.
const MAX_UNPERSISTED_CHANGES: usize = 10_000;

/// How many analyses without documents are tracked.
const MAX_ABSENT_ANALYSES: usize = 50_000;

/// Writes to the index of a catalogue.
pub(crate) struct IndexWorker {
    pub(crate) id: String,
    pub(crate) generations: IndexGenerations,
    pub(crate) builder: Arc<DocumentBuilder>,
    pub(crate) source: Arc<dyn AnalysisSource>,
    pub(crate) index_lock: tokio::sync::Mutex<()>,
    live_status: Mutex<LiveStatus>,
    /// The rejected documents, and whether they have changed since they were saved.
    rejected: Mutex<(RejectedDocuments, bool)>,
}

/// The types that the mapping of an index is derived from.
pub(crate) struct MappedTypes {
    pub(crate) version: u64,
    ids: HashSet<AnalysisTypeId>,
}

/// An index, and its position in the source.
pub(crate) struct IndexPosition {
    pub(crate) index: String,
    /// The position.
    pub(crate) position: Option<String>,
    /// The position that is persisted with the index; changes between the two have no documents.
    pub(crate) persisted: Option<String>,
    pub(crate) types: MappedTypes,
    unpersisted_changes: usize,
    /// Whether it is certain that nothing beyond the position was written: not before a write with its position has
    /// succeeded here, because a process may end between the two.
    is_exact: bool,
    /// Analyses that were created after that and have no documents. Most are submitted first and published soon.
    absent: HashSet<String>,
    /// What was written up to the position and may not be visible yet.
    pub(crate) unrefreshed: Unrefreshed,
}

impl IndexPosition {
    pub(crate) fn new(index: String, position: Option<String>, types: MappedTypes) -> Self {
        let (persisted, absent, unrefreshed) = (position.clone(), HashSet::new(), Unrefreshed::default());
        Self { index, position, persisted, types, unpersisted_changes: 0, is_exact: false, absent, unrefreshed }
    }

    /// Records that a write failed, of which parts may have been written.
    pub(crate) fn invalidate(&mut self) {
        self.is_exact = false;
        self.absent.clear();
        self.unrefreshed.record_failure();
    }

    /// Records which analyses of a batch have no documents.
    fn record_absent(&mut self, analyses: &HashSet<String>, absent: Vec<String>) {
        analyses.iter().for_each(|analysis_id| drop(self.absent.take(analysis_id)));
        if self.absent.len() + absent.len() > MAX_ABSENT_ANALYSES {
            self.absent.clear();
        }
        self.absent.extend(absent);
    }
}

/// The result of a batch.
pub(crate) struct AppliedBatch {
    pub(crate) analyses: HashSet<String>,
    /// The number of documents that were written or deleted.
    pub(crate) documents: usize,
    pub(crate) rejected: Vec<DocumentRejection>,
}

impl IndexWorker {
    pub(crate) fn new(
        id: String,
        generations: IndexGenerations,
        builder: DocumentBuilder,
        source: Arc<dyn AnalysisSource>,
        rejected: RejectedDocuments,
    ) -> Self {
        Self {
            id,
            generations,
            builder: Arc::new(builder),
            source,
            index_lock: tokio::sync::Mutex::default(),
            live_status: Mutex::default(),
            rejected: Mutex::new((rejected, false)),
        }
    }

    pub(crate) fn live_status(&self) -> MutexGuard<'_, LiveStatus> {
        self.live_status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rejected(&self) -> MutexGuard<'_, (RejectedDocuments, bool)> {
        self.rejected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the status of the catalogue.
    pub(crate) fn status(&self) -> CatalogueIndexing {
        let LiveStatus { activity, index, position, last_error, needs_reindex, notes, .. } = self.live_status().clone();
        let rejected = self.rejected();
        CatalogueIndexing {
            catalogue: self.id.clone(),
            source: source_name(&self.builder.source.origin).to_owned(),
            alias: self.generations.alias.clone(),
            lag: index.is_some().then(|| self.source.lag(position.as_deref())).flatten(),
            index,
            status: activity,
            position,
            last_error,
            needs_reindex,
            notes,
            rejected: rejected.0.documents.iter().rev().cloned().collect(),
            rejected_dropped: rejected.0.dropped,
        }
    }

    /// Returns the rejected documents if they have changed since the last call.
    pub(crate) fn take_changed_rejections(&self) -> Option<RejectedDocuments> {
        let mut rejected = self.rejected();
        std::mem::take(&mut rejected.1).then(|| rejected.0.clone())
    }

    /// Records the result of a batch.
    pub(crate) fn record(&self, applied: AppliedBatch) {
        for document in &applied.rejected {
            let DocumentRejection { analysis_id, document_id, reason, .. } = document;
            tracing::warn!(catalogue = self.id, analysis_id, document_id, reason, "a document is rejected");
        }
        let mut rejected = self.rejected();
        let changed = rejected.0.record(&applied.analyses, applied.rejected);
        rejected.1 |= changed;
    }

    /// Takes over the rejected documents that another server has recorded.
    pub(crate) fn take_over_rejected(&self, of_other: RejectedDocuments) {
        *self.rejected() = (of_other, false);
    }

    /// Replaces the rejected documents by those of a new index.
    pub(crate) fn replace_rejected(&self, with: RejectedDocuments) {
        *self.rejected() = (with, true);
    }

    /// Sets the index that is in use, and its position.
    pub(crate) fn set_index(&self, index: String, position: Option<String>) {
        let mut live_status = self.live_status();
        live_status.index = Some(index);
        live_status.position = position;
    }

    /// Records that another process writes to the index.
    pub(crate) fn stand_by(&self) {
        let mut live_status = self.live_status();
        live_status.activity = IndexingActivity::StandingBy;
        live_status.failures = 0;
    }

    /// Records a failure; returns whether it is another one than before.
    pub(crate) fn record_failure(&self, failure: &IndexingFailure) -> bool {
        let message = failure.operator_message();
        let mut live_status = self.live_status();
        let is_same = live_status.activity == IndexingActivity::Failing
            && live_status.last_error.as_ref().is_some_and(|last| last.message == message);
        live_status.activity = IndexingActivity::Failing;
        live_status.count_failure(failure);
        live_status.last_error = Some(IndexingProblem { message, at: Timestamp::now() });
        !is_same
    }

    /// Derives the mapping from all types.
    pub(crate) async fn derive_mapping(&self) -> Result<(Value, MappedTypes), IndexingFailure> {
        let version = self.source.types_version().await?;
        let types = self.source.types().await?;
        let derived = derive_mapping(&self.builder.source, &types);
        self.live_status().notes = derived.notes;
        Ok((derived.mapping, MappedTypes { version, ids: types.into_iter().map(|one| one.id).collect() }))
    }

    /// Adds to an index what its mapping lacks, and reports what cannot be added.
    pub(crate) async fn update_mapping(&self, index: &str) -> Result<MappedTypes, IndexingFailure> {
        let (mapping, types) = self.derive_mapping().await?;
        let present = self.generations.engine.mapping(index).await?;
        let update = plan_update(&mapping, present.raw());
        let mut conflicts = update.conflicts;
        match self.generations.engine.extend_mapping(index, &update.mapping).await {
            Ok(()) => {}
            Err(EngineError::Rejected(reason)) => conflicts.push(reason),
            Err(error) => return Err(error.into()),
        }
        if !conflicts.is_empty() && self.live_status().needs_reindex != conflicts {
            tracing::warn!(catalogue = self.id, index, ?conflicts, "the index needs a reindex");
        }
        self.live_status().needs_reindex = conflicts;
        Ok(types)
    }

    /// Makes everything visible that was written to an index.
    pub(crate) async fn refresh(&self, at: &mut IndexPosition) -> Result<(), EngineError> {
        self.generations.engine.refresh(&at.index).await?;
        at.unrefreshed.record_refresh(Instant::now());
        Ok(())
    }

    /// Applies changes to an index, with the position if it is to be persisted.
    ///
    /// A single analysis whose documents the engine refuses as a whole is rejected; several are an error.
    #[tracing::instrument(name = "index_batch", skip_all, fields(catalogue = self.id, analyses = changes.analyses.len()))]
    pub(crate) async fn apply(
        &self,
        at: &mut IndexPosition,
        changes: ChangeBatch,
        persists_position: bool,
    ) -> Result<AppliedBatch, IndexingFailure> {
        at.unpersisted_changes += changes.analyses.len();
        let absent = at.is_exact.then_some(&at.absent);
        let batch = Batch::of(&self.builder, changes.analyses, absent).await?;
        if batch.types().any(|one| !at.types.ids.contains(one)) {
            at.types = self.update_mapping(&at.index).await?;
        }
        let analyses: HashSet<String> = batch.analyses().map(str::to_owned).collect();
        let absent = batch.absent();
        if at.unrefreshed.hides(batch.looked_up()) {
            self.refresh(at).await?;
        }
        let engine = &*self.generations.engine;
        let mut operations = batch.operations(engine, &at.index, self.builder.analysis_path()).await?;
        let list = operations.take();
        let documents = list.len();
        let is_written = !list.is_empty() || at.unpersisted_changes >= MAX_UNPERSISTED_CHANGES;
        let position = (persists_position && is_written).then_some(changes.position.as_str());
        let defers_refresh = at.unrefreshed.defers(engine.refresh_interval(), Instant::now());
        let written = match position {
            _ if !is_written => Ok(BatchReport::default()),
            Some(position) if defers_refresh => engine.write_unrefreshed(&at.index, list, position).await,
            Some(position) => engine.write_with_position(&at.index, list, position).await,
            None => engine.write(&at.index, list).await,
        };
        let rejected = match (written, analyses.iter().next()) {
            (Ok(report), _) => {
                match position {
                    Some(_) if defers_refresh => at.unrefreshed.record_write(&analyses),
                    Some(_) => at.unrefreshed.record_refresh(Instant::now()),
                    None => {}
                }
                operations.rejected(report)
            }
            (Err(EngineError::Rejected(reason)), Some(analysis_id)) if analyses.len() == 1 => {
                if let Some(position) = position {
                    engine.write_with_position(&at.index, Vec::new(), position).await?;
                }
                at.unrefreshed.record_failure();
                vec![DocumentRejection::new(analysis_id.clone(), None, reason)]
            }
            (Err(error), _) => return Err(error.into()),
        };
        if position.is_some() {
            at.persisted = Some(changes.position.clone());
            at.unpersisted_changes = 0;
            at.is_exact = true;
        }
        at.record_absent(&analyses, absent);
        at.position = Some(changes.position);
        Ok(AppliedBatch { analyses, documents, rejected })
    }
}

/// Returns the name of a kind of source.
pub(crate) fn source_name(origin: &SourceOrigin) -> &'static str {
    match origin {
        SourceOrigin::Local => "here",
        SourceOrigin::Song(_) => "song",
    }
}
