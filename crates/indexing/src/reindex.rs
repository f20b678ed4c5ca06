//! Reindexing: builds a new index of a catalogue while the old one is searched and updated.
//!
//! The new index gets the derived mapping and a snapshot of the source, then the changes since. When its position has
//! reached that of the old one, the alias is moved. Until then it is invisible, and it is deleted if the job ends early:
//! an index without a position is incomplete. A job that is taken over begins again, with another index.

use std::sync::Arc;

use cantata_engine::EngineError;
use hashbrown::HashSet;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::batch::Batch;
use crate::error::IndexingFailure;
use crate::jobs::{JobStatus, RunningJob};
use crate::rejected_documents::{DocumentRejection, RejectedDocuments};
use crate::source::SourceSnapshot;
use crate::worker::{IndexPosition, IndexWorker};

/// How many changes are applied at once.
const MAX_BATCH_CHANGES: usize = 10_000;

/// How many bytes of analyses are written at once.
const PART_BYTES: usize = 8 << 20;

/// With this lag the rest is applied while the follower waits.
const MAX_FINAL_LAG: u64 = 200;

/// Runs a job to its end; a failure is recorded in the job and returned.
#[tracing::instrument(name = "reindex", skip_all, fields(catalogue = worker.id))]
pub(crate) async fn reindex(
    worker: &Arc<IndexWorker>,
    job: RunningJob,
    mut stop: watch::Receiver<bool>,
) -> Result<(), IndexingFailure> {
    tracing::info!(catalogue = worker.id, "reindexing");
    let built = tokio::select! {
        () = job.cancelled() => Err(JobStatus::Cancelled),
        _ = stop.wait_for(|stop| *stop) => Err(JobStatus::Interrupted),
        () = job.lease_lost() => Err(JobStatus::Interrupted),
        built = build(worker, &job) => Ok(built),
    };
    // From here on it takes moments, and cannot be cancelled.
    let (status, failure) = match built {
        Err(status) => (status, None),
        Ok(Err(failure)) => (JobStatus::Failed, Some(failure)),
        Ok(Ok((at, rejected))) => match job.has_lease().await {
            Ok(true) => match switch_over(worker, at, rejected).await {
                Ok(()) => (JobStatus::Succeeded, None),
                Err(failure) => (JobStatus::Failed, Some(failure)),
            },
            Ok(false) => (JobStatus::Interrupted, None),
            Err(error) => (JobStatus::Failed, Some(error.into())),
        },
    };
    let index = job.job().and_then(|job| job.index);
    if status != JobStatus::Succeeded
        && let Some(index) = &index
        && let Err(error) = worker.generations.delete_incomplete(index).await
    {
        tracing::warn!(catalogue = worker.id, index, %error, "an incomplete index cannot be deleted");
    }
    match &failure {
        Some(failure) => tracing::warn!(catalogue = worker.id, error = %failure, "a reindex failed"),
        None => tracing::info!(catalogue = worker.id, index, ?status, "a reindex ended"),
    }
    match status {
        JobStatus::Interrupted => job.hand_over().await,
        _ => job.end(status, failure.as_ref().map(IndexingFailure::operator_message)).await,
    }
    failure.map_or(Ok(()), Err)
}

/// Fills a new index until it has nearly reached the position of the source.
async fn build(
    worker: &Arc<IndexWorker>,
    job: &RunningJob,
) -> Result<(IndexPosition, RejectedDocuments), IndexingFailure> {
    // That of a server that has died.
    if let Some(left) = job.job().and_then(|job| job.index) {
        worker.generations.delete_incomplete(&left).await?;
    }
    let (mapping, types) = worker.derive_mapping().await?;
    let index = worker.generations.create_next(&mapping).await?;
    job.set_index(&index).await?;
    let source = &worker.builder.source;
    let snapshot = worker.source.snapshot(source.studies.as_deref(), &source.states).await?;
    let SourceSnapshot { position, total, mut pages } = snapshot;
    job.update(|job| job.total = total);
    let mut rejected = RejectedDocuments::default();
    let mut parts = JoinSet::new();
    // Searches need processors, too.
    let max_parts = std::thread::available_parallelism().map_or(1, |all| usize::from(all).div_ceil(2));
    let mut is_over = false;
    while !is_over || !parts.is_empty() {
        if !is_over && parts.len() < max_parts {
            let (mut part, mut bytes) = (Vec::new(), 0);
            while bytes < PART_BYTES && !is_over {
                match pages.next().await? {
                    Some(page) => {
                        bytes += page.iter().map(String::len).sum::<usize>();
                        part.extend(page.into_iter().map(Arc::from));
                    }
                    None => is_over = true,
                }
            }
            let (worker, index) = (Arc::clone(worker), index.clone());
            parts.spawn(async move { write_part(&worker, &index, part).await });
            continue;
        }
        let Some(written) = parts.join_next().await else { continue };
        let (analyses, rejected_here) = written??;
        job.update(|job| {
            job.done += analyses;
            job.total = job.total.max(job.done);
            job.rejected += rejected_here.len() as u64;
        });
        rejected.record(&HashSet::new(), rejected_here);
    }
    let mut at = IndexPosition::new(index, Some(position), types);
    while worker.source.lag(at.position.as_deref()).is_some_and(|lag| lag > MAX_FINAL_LAG) {
        apply_next(worker, &mut at, &mut rejected).await?;
    }
    Ok((at, rejected))
}

/// Writes analyses of which the index has nothing; returns their number and the rejected documents.
async fn write_part(
    worker: &IndexWorker,
    index: &str,
    part: Vec<Arc<str>>,
) -> Result<(u64, Vec<DocumentRejection>), IndexingFailure> {
    let count = part.len() as u64;
    match write_new(worker, index, part.clone()).await {
        Err(IndexingFailure::Engine(EngineError::Rejected(_))) => {}
        written => return Ok((count, written?)),
    }
    // One of them makes the engine reject all.
    let mut rejected = Vec::new();
    for analysis in part {
        rejected.extend(match write_new(worker, index, vec![Arc::clone(&analysis)]).await {
            Err(IndexingFailure::Engine(EngineError::Rejected(reason))) => {
                vec![DocumentRejection::new(worker.builder.build(None, &analysis).analysis_id, None, reason)]
            }
            written => written?,
        });
    }
    Ok((count, rejected))
}

async fn write_new(
    worker: &IndexWorker,
    index: &str,
    part: Vec<Arc<str>>,
) -> Result<Vec<DocumentRejection>, IndexingFailure> {
    let engine = &*worker.generations.engine;
    let batch = Batch::of_new(&worker.builder, part).await?;
    let mut operations = batch.operations(engine, index, worker.builder.analysis_path()).await?;
    let report = engine.bulk_load(index, operations.take()).await?;
    Ok(operations.rejected(report))
}

/// Applies the next changes, without a position.
async fn apply_next(
    worker: &IndexWorker,
    at: &mut IndexPosition,
    rejected: &mut RejectedDocuments,
) -> Result<(), IndexingFailure> {
    let changes = worker.source.changes(at.position.as_deref(), MAX_BATCH_CHANGES).await?;
    let applied = worker.apply(at, changes, false).await?;
    rejected.record(&applied.analyses, applied.rejected);
    Ok(())
}

/// Brings the new index to the position of the old one and moves the alias to it.
async fn switch_over(
    worker: &IndexWorker,
    mut at: IndexPosition,
    mut rejected: RejectedDocuments,
) -> Result<(), IndexingFailure> {
    let _lock = worker.index_lock.lock().await;
    let generations = &worker.generations;
    let old = generations.current().await?;
    let (reached, damaged) = match &old {
        Some(index) => match generations.engine.position(index).await {
            Err(EngineError::IndexDamaged { .. }) => (None, Some(index.clone())),
            position => (position?, None),
        },
        None => (None, None),
    };
    let lag = |position: Option<&str>| worker.source.lag(position).unwrap_or(0);
    while lag(at.position.as_deref()) > lag(reached.as_deref()) {
        apply_next(worker, &mut at, &mut rejected).await?;
    }
    if worker.source.types_version().await? != at.types.version {
        worker.update_mapping(&at.index).await?;
    } else {
        worker.live_status().needs_reindex.clear();
    }
    let position = at.position.clone().unwrap_or_default();
    generations.engine.write_with_position(&at.index, Vec::new(), &position).await?;
    generations.switch_alias(old.as_deref(), &at.index).await?;
    worker.set_index(at.index.clone(), at.position);
    worker.replace_rejected(rejected);
    if let Some(index) = damaged {
        tracing::info!(catalogue = worker.id, index, "deleting a damaged index that was built again");
        if let Err(error) = generations.engine.delete_index(&index).await {
            tracing::warn!(catalogue = worker.id, index, %error, "a damaged index cannot be deleted");
        }
    }
    // The new index is in use; one that is not deleted now will be by the next job.
    if let Err(error) = generations.delete_except(&[Some(at.index), old]).await {
        tracing::warn!(catalogue = worker.id, %error, "an old index cannot be deleted");
    }
    Ok(())
}
