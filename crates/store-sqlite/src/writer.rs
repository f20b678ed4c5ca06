//! The writer thread, with group commit.
//!
//! A write is a job: a closure that runs inside a transaction. The thread takes every queued job, runs them in one
//! transaction, each in its own savepoint, commits once, and only then replies to all of them. So while one commit waits
//! for the disk the next group queues up, and many clients share one fsync. A job that fails is rolled back alone; when
//! the commit fails, every job of the group gets that error and nothing of it is stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use cantata_core::{AnalysisId, error_chain};
use cantata_store::{Result, StoreError};
use rusqlite::Connection;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{oneshot, watch};

use crate::database::with_statement;
use crate::document_cache::DocumentCache;
use crate::revisions;
use crate::write_context::WriteContext;

/// How many jobs share one commit at most.
const MAX_GROUP_JOBS: usize = 256;

/// How many jobs are queued before callers wait for space.
const MAX_QUEUED_JOBS: usize = 4_096;

/// A job of any result type; closures of different result types share one queue.
trait WriteJob: Send {
    fn run(&mut self, context: &mut WriteContext) -> Result<()>;
    fn reply(self: Box<Self>, commit: Result<()>);
}

/// A job and the channel of its caller.
struct PendingWrite<W, T> {
    work: Option<W>,
    outcome: Option<T>,
    reply: oneshot::Sender<Result<T>>,
}

impl<W, T> WriteJob for PendingWrite<W, T>
where
    W: FnOnce(&mut WriteContext) -> Result<T> + Send,
    T: Send,
{
    fn run(&mut self, context: &mut WriteContext) -> Result<()> {
        let Some(work) = self.work.take() else { return Ok(()) };
        self.outcome = Some(work(context)?);
        Ok(())
    }

    fn reply(self: Box<Self>, commit: Result<()>) {
        let Self { outcome, reply, .. } = *self;
        let never_run = || StoreError::unavailable("the write was never run");
        // If the caller is gone, the write stands all the same.
        let _ = reply.send(commit.and_then(|()| outcome.ok_or_else(never_run)));
    }
}

/// A handle of the writer thread.
pub(crate) struct Writer {
    jobs: Option<Sender<Box<dyn WriteJob>>>,
    commits: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(
        context: WriteContext,
        cache: Arc<DocumentCache>,
        latest_event: watch::Sender<u64>,
    ) -> Result<Self> {
        let (jobs, queue) = channel(MAX_QUEUED_JOBS);
        let commits = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&commits);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || write_groups(queue, context, &cache, &latest_event, &counted))
            .map_err(|error| StoreError::failed("starting the writer thread", error))?;
        Ok(Self { jobs: Some(jobs), commits, thread: Some(thread) })
    }

    /// Returns how many commits changed analyses.
    pub(crate) fn commit_count(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Runs a job and waits until its group is on disk.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteContext) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let stopped = || StoreError::unavailable("the writer has stopped");
        let (reply, answer) = oneshot::channel();
        let job = Box::new(PendingWrite { work: Some(work), outcome: None, reply });
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(job).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's writer thread panicked");
        }
    }
}

fn write_groups(
    mut queue: Receiver<Box<dyn WriteJob>>,
    mut context: WriteContext,
    cache: &DocumentCache,
    latest_event: &watch::Sender<u64>,
    commits: &AtomicU64,
) {
    while let Some(first) = queue.blocking_recv() {
        let mut group = vec![first];
        while group.len() < MAX_GROUP_JOBS
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        let committed_event = context.last_event;
        let outcomes = run_group(&mut context, &mut group, cache);
        match &outcomes {
            Ok(_) => {
                context.lookup.commit();
                if context.last_event != committed_event {
                    commits.fetch_add(1, Ordering::Relaxed);
                    latest_event.send_replace(context.last_event);
                }
            }
            Err(_) => {
                context.lookup.roll_back_to(0);
                context.last_event = committed_event;
            }
        }
        match outcomes {
            Ok(outcomes) => group.into_iter().zip(outcomes).for_each(|(job, outcome)| job.reply(outcome)),
            Err(error) => {
                tracing::error!(error = error_chain(&error), "a group of writes was not stored");
                group.into_iter().for_each(|job| job.reply(Err(error.clone())));
            }
        }
    }
}

fn run_group(
    context: &mut WriteContext,
    group: &mut [Box<dyn WriteJob>],
    cache: &DocumentCache,
) -> Result<Vec<Result<()>>> {
    execute(&context.connection, "BEGIN IMMEDIATE")?;
    let outcomes = group.iter_mut().map(|job| run_job(context, job.as_mut())).collect::<Result<Vec<_>>>();
    let (changed, inserted) = (std::mem::take(&mut context.changed), std::mem::take(&mut context.inserted));
    let state_counts = std::mem::take(&mut context.state_counts);
    let counted = outcomes
        .and_then(|outcomes| revisions::apply_state_counts(&context.connection, &state_counts).map(|()| outcomes));
    let committed = counted.and_then(|outcomes| commit(context, cache, &changed).map(|()| outcomes));
    if committed.is_ok() {
        inserted.into_iter().for_each(|(id, stored)| cache.insert_new(id, stored));
    }
    if committed.is_err()
        && !context.connection.is_autocommit()
        && let Err(error) = execute(&context.connection, "ROLLBACK")
    {
        tracing::error!(error = error_chain(&error), "a failed group of writes could not be rolled back");
    }
    committed
}

fn commit(context: &WriteContext, cache: &DocumentCache, changed: &[AnalysisId]) -> Result<()> {
    if changed.is_empty() {
        return execute(&context.connection, "COMMIT");
    }
    cache.begin_invalidation(changed);
    let committed = execute(&context.connection, "COMMIT");
    cache.end_invalidation();
    committed
}

/// Runs one job in a savepoint. The outer result says whether the transaction can go on, the inner one is the job's.
fn run_job(context: &mut WriteContext, job: &mut dyn WriteJob) -> Result<Result<()>> {
    execute(&context.connection, "SAVEPOINT job")?;
    let added_before = context.lookup.savepoint();
    let (event_before, inserted_before, counted_before) =
        (context.last_event, context.inserted.len(), context.state_counts.len());
    let outcome = job.run(context);
    if outcome.is_err() {
        context.lookup.roll_back_to(added_before);
        context.last_event = event_before;
        context.inserted.truncate(inserted_before);
        context.state_counts.truncate(counted_before);
        execute(&context.connection, "ROLLBACK TO job")?;
    }
    execute(&context.connection, "RELEASE job")?;
    Ok(outcome)
}

fn execute(connection: &Connection, sql: &'static str) -> Result<()> {
    with_statement(connection, sql, sql, |statement| statement.execute([])).map(|_| ())
}
