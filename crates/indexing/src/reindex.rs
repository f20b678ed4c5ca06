//! Making the index of a catalogue anew, while it is searched and while changes come in.
//!
//! A new index gets the derived mapping and everything that the source has now, then the changes since. When it has
//! come as far as the old one, the alias is switched. Until then nobody sees it, and nothing of it is left if the job
//! ends early: it has no position before it is complete, which is how a half made one is known.

use std::sync::Arc;

use cantata_engine::EngineError;
use hashbrown::HashSet;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::batch::Batch;
use crate::error::Failure;
use crate::jobs::{JobStatus, RunningJob};
use crate::set_aside::{SetAside, SetAsideDocument};
use crate::worker::{At, Worker};

/// How many changes are taken in at once.
const BATCH: usize = 10_000;

/// How many bytes of analyses are written at once.
const LARGE_PART: usize = 8 << 20;

/// When so few changes are left, the rest is taken in while the feed waits.
const FEW: u64 = 200;

/// Runs a job to its end; the failure is told in the job and returned.
pub(crate) async fn reindex(
    worker: &Arc<Worker>,
    job: RunningJob,
    mut stop: watch::Receiver<bool>,
) -> Result<(), Failure> {
    tracing::info!(catalogue = worker.id, "a reindex begins");
    let built = tokio::select! {
        () = job.cancelled() => Err(JobStatus::Cancelled),
        _ = stop.wait_for(|stop| *stop) => Err(JobStatus::Interrupted),
        built = build(worker, &job) => Ok(built),
    };
    // From here on it is a matter of moments, and not to be cancelled.
    let ended = match built {
        Ok(Ok((at, set_aside))) => Ok(switch(worker, at, set_aside).await),
        Ok(Err(failure)) => Ok(Err(failure)),
        Err(status) => Err(status),
    };
    let (status, failure) = match ended {
        Ok(Ok(())) => (JobStatus::Succeeded, None),
        Ok(Err(failure)) => (JobStatus::Failed, Some(failure)),
        Err(status) => (status, None),
    };
    let index = job.job().and_then(|job| job.index);
    match (status, &index) {
        (JobStatus::Succeeded, _) | (_, None) => {}
        (_, Some(index)) => {
            if let Err(error) = worker.place.remove_half_made(index).await {
                tracing::warn!(catalogue = worker.id, index, %error, "a half made index cannot be removed");
            }
        }
    }
    match &failure {
        Some(failure) => tracing::warn!(catalogue = worker.id, error = %failure, "a reindex failed"),
        None => tracing::info!(catalogue = worker.id, index, ?status, "a reindex ended"),
    }
    job.end(status, failure.as_ref().map(Failure::in_short));
    failure.map_or(Ok(()), Err)
}

/// Fills a new index until it is nearly as far as the source.
async fn build(worker: &Arc<Worker>, job: &RunningJob) -> Result<(At, SetAside), Failure> {
    let (mapping, known) = worker.derived().await?;
    let index = worker.place.make(&mapping).await?;
    job.makes(&index);
    let source = &worker.recipe.source;
    let mut snapshot = worker.source.all(source.studies.as_deref(), &source.states).await?;
    job.update(|job| job.total = snapshot.total());
    let mut set_aside = SetAside::default();
    let mut parts = JoinSet::new();
    // Searches go on meanwhile, and need processors too.
    let at_once = std::thread::available_parallelism().map_or(1, |all| usize::from(all).div_ceil(2));
    let mut is_over = false;
    while !is_over || !parts.is_empty() {
        if !is_over && parts.len() < at_once {
            let (mut part, mut bytes) = (Vec::new(), 0);
            while bytes < LARGE_PART && !is_over {
                match snapshot.next().await? {
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
        let (analyses, refused) = written.map_err(|error| Failure::Here(error.to_string()))??;
        job.update(|job| {
            job.done += analyses;
            job.total = job.total.max(job.done);
            job.set_aside += refused.len() as u64;
        });
        set_aside.note(&HashSet::new(), refused);
    }
    let mut at = At::new(index, Some(snapshot.position().to_owned()), known);
    while worker.source.behind(at.position.as_deref()).is_some_and(|behind| behind > FEW) {
        follow(worker, &mut at, &mut set_aside).await?;
    }
    Ok((at, set_aside))
}

/// Writes analyses of which the index has nothing; returns how many there are, and what was refused.
async fn write_part(
    worker: &Worker,
    index: &str,
    part: Vec<Arc<str>>,
) -> Result<(u64, Vec<SetAsideDocument>), Failure> {
    let count = part.len() as u64;
    match write_new(worker, index, part.clone()).await {
        Err(Failure::Engine(EngineError::Refused(_))) => {}
        written => return Ok((count, written?)),
    }
    // One of them is in the way of the others.
    let mut refused = Vec::new();
    for analysis in part {
        refused.extend(match write_new(worker, index, vec![Arc::clone(&analysis)]).await {
            Err(Failure::Engine(EngineError::Refused(reason))) => {
                vec![SetAsideDocument::new(worker.recipe.shape(None, &analysis).analysis_id, None, reason)]
            }
            written => written?,
        });
    }
    Ok((count, refused))
}

async fn write_new(worker: &Worker, index: &str, part: Vec<Arc<str>>) -> Result<Vec<SetAsideDocument>, Failure> {
    let engine = &*worker.place.engine;
    let batch = Batch::of_new(&worker.recipe, part).await.map_err(Failure::Here)?;
    let mut operations = batch.operations(engine, index, worker.recipe.analysis_path()).await?;
    let report = engine.fill(index, operations.take()).await?;
    Ok(operations.refused(report))
}

/// Takes in the next changes; no position is noted yet.
async fn follow(worker: &Worker, at: &mut At, set_aside: &mut SetAside) -> Result<(), Failure> {
    let changes = worker.source.changes(at.position.as_deref(), BATCH).await?;
    let applied = worker.apply(at, changes, false).await?;
    set_aside.note(&applied.taken, applied.refused);
    Ok(())
}

/// Brings the new index as far as the old one, and lets the alias lead to it.
async fn switch(worker: &Worker, mut at: At, mut set_aside: SetAside) -> Result<(), Failure> {
    let _turn = worker.turn.lock().await;
    let place = &worker.place;
    let old = place.current().await?;
    let reached = match &old {
        Some(old) => place.engine.position(old).await?,
        None => None,
    };
    let behind = |position: Option<&str>| worker.source.behind(position).unwrap_or(0);
    while behind(at.position.as_deref()) > behind(reached.as_deref()) {
        follow(worker, &mut at, &mut set_aside).await?;
    }
    if worker.source.types_mark().await? != at.known.mark {
        worker.fit_mapping(&at.index).await?;
    } else {
        worker.shown().needs_reindex.clear();
    }
    let position = at.position.clone().unwrap_or_default();
    place.engine.write_at(&at.index, Vec::new(), &position).await?;
    place.switch(old.as_deref(), &at.index).await?;
    worker.show_place(at.index.clone(), at.position);
    worker.replace_set_aside(set_aside);
    // The new index is in use; one that is not removed now will be next time.
    if let Err(error) = place.keep_only(&[Some(at.index), old]).await {
        tracing::warn!(catalogue = worker.id, %error, "an old index cannot be removed");
    }
    Ok(())
}
