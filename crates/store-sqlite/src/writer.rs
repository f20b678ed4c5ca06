//! The one thread that writes, with group commit.
//!
//! A write is a job: a closure that runs inside a transaction. The thread takes every job that is waiting, runs them
//! in one transaction, each behind its own savepoint, commits once, and only then answers all of them. So while one
//! commit waits for the disk the next group gathers, and many clients share one fsync. A job that fails is undone
//! alone; when the commit fails, every job of the group is answered with that failure and nothing of it is stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use cantata_core::{AnalysisId, AnalysisState};
use cantata_store::{Result, StoreError, StoredAnalysis};
use rusqlite::Connection;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{oneshot, watch};

use crate::analyses;
use crate::cache::DocumentCache;
use crate::lookup::LookupWriter;

/// The most jobs that share one commit.
const GROUP_LIMIT: usize = 256;

/// How many jobs may wait before those who bring more have to wait too.
const QUEUE_LIMIT: usize = 4_096;

/// What a job works with.
pub(crate) struct WriteContext {
    pub(crate) connection: Connection,
    pub(crate) lookup: LookupWriter,
    /// The number of the last event written, committed or not.
    pub(crate) last_event: u64,
    /// The analyses that the open transaction has changed.
    pub(crate) changed: Vec<AnalysisId>,
    /// Those that it has made and that may be asked for soon.
    pub(crate) made: Vec<(AnalysisId, StoredAnalysis)>,
    /// By how much it changes numbers of analyses. These are few rows, written once for all jobs.
    pub(crate) counts: Vec<StateCount>,
}

/// A study, a state, and how many analyses of the study are in the state now that were not before.
pub(crate) type StateCount = (i64, AnalysisState, i64);

trait Job: Send {
    fn run(&mut self, context: &mut WriteContext) -> Result<()>;
    fn answer(self: Box<Self>, commit: Result<()>);
}

struct Pending<W, T> {
    work: Option<W>,
    outcome: Option<T>,
    reply: oneshot::Sender<Result<T>>,
}

impl<W, T> Job for Pending<W, T>
where
    W: FnOnce(&mut WriteContext) -> Result<T> + Send,
    T: Send,
{
    fn run(&mut self, context: &mut WriteContext) -> Result<()> {
        let Some(work) = self.work.take() else { return Ok(()) };
        self.outcome = Some(work(context)?);
        Ok(())
    }

    fn answer(self: Box<Self>, commit: Result<()>) {
        let Self { outcome, reply, .. } = *self;
        let never_run = || StoreError::Unavailable("the write was never run".to_owned());
        // A receiver that is gone belongs to a client that left; the write stands all the same.
        let _ = reply.send(commit.and_then(|()| outcome.ok_or_else(never_run)));
    }
}

/// The handle through which jobs reach the thread.
pub(crate) struct Writer {
    jobs: Option<Sender<Box<dyn Job>>>,
    commits: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(crate) fn start(
        context: WriteContext,
        cache: Arc<DocumentCache>,
        latest_event: watch::Sender<u64>,
    ) -> Result<Self> {
        let (jobs, queue) = channel(QUEUE_LIMIT);
        let commits = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&commits);
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || write_groups(queue, context, &cache, &latest_event, &counted))
            .map_err(|error| StoreError::failed("starting the writer thread", error))?;
        Ok(Self { jobs: Some(jobs), commits, thread: Some(thread) })
    }

    /// Returns how many commits changed analyses.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Runs a job and waits until its group is on disk.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteContext) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let stopped = || StoreError::Unavailable("the writer has stopped".to_owned());
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Pending { work: Some(work), outcome: None, reply });
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
    mut queue: Receiver<Box<dyn Job>>,
    mut context: WriteContext,
    cache: &DocumentCache,
    latest_event: &watch::Sender<u64>,
    commits: &AtomicU64,
) {
    while let Some(first) = queue.blocking_recv() {
        let mut group = vec![first];
        while group.len() < GROUP_LIMIT
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        let committed_event = context.last_event;
        let outcomes = run_group(&mut context, &mut group, cache);
        match &outcomes {
            Ok(_) => {
                context.lookup.settle();
                if context.last_event != committed_event {
                    commits.fetch_add(1, Ordering::Relaxed);
                    latest_event.send_replace(context.last_event);
                }
            }
            Err(_) => {
                context.lookup.undo_to(0);
                context.last_event = committed_event;
            }
        }
        match outcomes {
            Ok(outcomes) => group.into_iter().zip(outcomes).for_each(|(job, outcome)| job.answer(outcome)),
            Err(error) => {
                tracing::error!(%error, "a group of writes was not stored");
                group.into_iter().for_each(|job| job.answer(Err(error.clone())));
            }
        }
    }
}

fn run_group(context: &mut WriteContext, group: &mut [Box<dyn Job>], cache: &DocumentCache) -> Result<Vec<Result<()>>> {
    execute(&context.connection, "BEGIN IMMEDIATE")?;
    let outcomes = group.iter_mut().map(|job| run_job(context, job.as_mut())).collect::<Result<Vec<_>>>();
    let (changed, made) = (std::mem::take(&mut context.changed), std::mem::take(&mut context.made));
    let counts = std::mem::take(&mut context.counts);
    let counted = outcomes.and_then(|outcomes| analyses::count(&context.connection, &counts).map(|()| outcomes));
    let committed = counted.and_then(|outcomes| commit(context, cache, &changed).map(|()| outcomes));
    if committed.is_ok() {
        made.into_iter().for_each(|(id, stored)| cache.keep_new(id, stored));
    }
    if committed.is_err()
        && !context.connection.is_autocommit()
        && let Err(error) = execute(&context.connection, "ROLLBACK")
    {
        tracing::error!(%error, "a failed group of writes could not be rolled back");
    }
    committed
}

fn commit(context: &WriteContext, cache: &DocumentCache, changed: &[AnalysisId]) -> Result<()> {
    if changed.is_empty() {
        return execute(&context.connection, "COMMIT");
    }
    cache.begin_change(changed);
    let committed = execute(&context.connection, "COMMIT");
    cache.end_change();
    committed
}

/// Runs one job. The outer result says whether the transaction is still sound, the inner one how the job ended.
fn run_job(context: &mut WriteContext, job: &mut dyn Job) -> Result<Result<()>> {
    execute(&context.connection, "SAVEPOINT job")?;
    let added_before = context.lookup.mark();
    let (event_before, made_before, counted_before) = (context.last_event, context.made.len(), context.counts.len());
    let outcome = job.run(context);
    if outcome.is_err() {
        context.lookup.undo_to(added_before);
        context.last_event = event_before;
        context.made.truncate(made_before);
        context.counts.truncate(counted_before);
        execute(&context.connection, "ROLLBACK TO job")?;
    }
    execute(&context.connection, "RELEASE job")?;
    Ok(outcome)
}

fn execute(connection: &Connection, statement: &'static str) -> Result<()> {
    connection
        .prepare_cached(statement)
        .and_then(|mut prepared| prepared.execute([]))
        .map(|_| ())
        .map_err(|error| StoreError::failed(statement, error))
}
