//! The writer thread, with group commit.
//!
//! A write is a job: a closure that runs inside a transaction. The thread takes every queued job, runs them in one
//! transaction, each in its own savepoint, commits once, and only then replies to all of them. So while one commit waits
//! for the disk the next group queues up, and many clients share one fsync. A job that fails or panics is rolled back
//! alone; when the commit fails, every job of the group gets that error and nothing of it is stored. So does every job if
//! the disk cannot be written, because SQLite may then have rolled back the whole transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use cantata_core::{AnalysisId, LogInterval, error_chain};
use cantata_store::{Result, StoreError};
use rusqlite::Connection;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{oneshot, watch};

use crate::database::{sqlite_error, with_statement};
use crate::document_cache::DocumentCache;
use crate::revisions;
use crate::write_context::WriteContext;

/// How many jobs share one commit at most.
const MAX_GROUP_JOBS: usize = 256;

/// How often groups that were not stored are logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Takes some pages and gives them back, so that it fails like a change would.
const PROBE: &str = "CREATE TABLE write_probe (content BLOB); INSERT INTO write_probe VALUES (zeroblob(65536)); \
                     DROP TABLE write_probe";

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

/// Makes work a job; its result comes by the channel once the group of the job is on disk.
fn pending<T: Send + 'static>(
    work: impl FnOnce(&mut WriteContext) -> Result<T> + Send + 'static,
) -> (Box<dyn WriteJob>, oneshot::Receiver<Result<T>>) {
    let (reply, answer) = oneshot::channel();
    (Box::new(PendingWrite { work: Some(work), outcome: None, reply }), answer)
}

fn stopped() -> StoreError {
    StoreError::unavailable("the writer has stopped")
}

/// Takes jobs of other threads of the store; the writer thread does not end before it is dropped.
pub(crate) struct WriteQueue(Sender<Box<dyn WriteJob>>);

impl WriteQueue {
    /// Runs a job and waits until its group is on disk. Not for threads of a runtime.
    pub(crate) fn write_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteContext) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, answer) = pending(work);
        self.0.blocking_send(job).map_err(|_| stopped())?;
        answer.blocking_recv().map_err(|_| stopped())?
    }
}

/// A handle of the writer thread.
pub(crate) struct Writer {
    jobs: Option<Sender<Box<dyn WriteJob>>>,
    commits: Arc<AtomicU64>,
    /// Whether the last group of writes was not stored.
    has_failed: Arc<AtomicBool>,
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
        let has_failed = Arc::new(AtomicBool::new(false));
        let (counted, failing) = (Arc::clone(&commits), Arc::clone(&has_failed));
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || write_groups(queue, context, &cache, &latest_event, &counted, &failing))
            .map_err(|error| StoreError::failed("starting the writer thread", error))?;
        Ok(Self { jobs: Some(jobs), commits, has_failed, thread: Some(thread) })
    }

    /// Returns the queue of the thread.
    pub(crate) fn queue(&self) -> Option<WriteQueue> {
        self.jobs.clone().map(WriteQueue)
    }

    /// Returns how many commits changed analyses.
    pub(crate) fn commit_count(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Checks that writes are taken. After a failed one, by trying to write.
    pub(crate) async fn check_health(&self) -> Result<()> {
        let must_write = self.has_failed.load(Ordering::Relaxed);
        let probe = move |context: &mut WriteContext| match must_write {
            true => context
                .connection
                .execute_batch(PROBE)
                .map_err(|error| sqlite_error("trying to store something", error)),
            false => Ok(()),
        };
        self.write(probe).await
    }

    /// Runs a job and waits until its group is on disk.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteContext) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, answer) = pending(work);
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
    has_failed: &AtomicBool,
) {
    let failures = LogInterval::new(LOG_INTERVAL);
    while let Some(first) = queue.blocking_recv() {
        let mut group = vec![first];
        while group.len() < MAX_GROUP_JOBS
            && let Ok(next) = queue.try_recv()
        {
            group.push(next);
        }
        let (committed_event, changes_before) = (context.last_event, context.connection.total_changes());
        let outcomes = run_group(&mut context, &mut group, cache);
        if outcomes.is_err() {
            has_failed.store(true, Ordering::Relaxed);
        } else if context.connection.total_changes() != changes_before {
            // A group that wrote nothing says nothing about the disk.
            has_failed.store(false, Ordering::Relaxed);
        }
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
                if let Some(left_out) = failures.admit() {
                    tracing::error!(error = error_chain(&error), left_out, "a group of writes was not stored");
                }
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
    let committed = catch_panic("committing writes", || commit_group(context, group, cache));
    if committed.is_err()
        && !context.connection.is_autocommit()
        && let Err(error) = execute(&context.connection, "ROLLBACK")
    {
        tracing::error!(error = error_chain(&error), "a failed group of writes could not be rolled back");
    }
    committed
}

fn commit_group(
    context: &mut WriteContext,
    group: &mut [Box<dyn WriteJob>],
    cache: &DocumentCache,
) -> Result<Vec<Result<()>>> {
    // A group that panicked may have left something.
    (context.changed, context.inserted, context.state_counts) = Default::default();
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
    let outcome = catch_panic("running a write", || job.run(context));
    if let Err(error) = &outcome {
        context.lookup.roll_back_to(added_before);
        context.last_event = event_before;
        context.inserted.truncate(inserted_before);
        context.state_counts.truncate(counted_before);
        if matches!(error, StoreError::NotWritable { .. }) {
            return Err(error.clone());
        }
        execute(&context.connection, "ROLLBACK TO job")?;
    }
    execute(&context.connection, "RELEASE job")?;
    Ok(outcome)
}

/// Runs work; a panic becomes an error, and what it left half done is rolled back as after any other.
fn catch_panic<T>(operation: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(StoreError::failed(operation, "it panicked")))
}

fn execute(connection: &Connection, sql: &'static str) -> Result<()> {
    with_statement(connection, sql, sql, |statement| statement.execute([])).map(|_| ())
}

#[cfg(test)]
mod tests {
    use cantata_store::Store;

    use super::*;
    use crate::SqliteStore;
    use crate::reader_pool::Reader;

    fn add_study(context: &WriteContext, id: &str) -> Result<usize> {
        let sql = "INSERT INTO study (study_id, document) VALUES (?1, '{}')";
        with_statement(&context.connection, "storing a study", sql, |insert| insert.execute([id]))
    }

    #[tokio::test]
    async fn a_job_that_panics_is_rolled_back_and_the_thread_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let panicked = store.writer.write(|context| -> Result<()> {
            add_study(context, "half")?;
            context.last_event += 1;
            panic!("in the middle of a write")
        });
        assert!(matches!(panicked.await, Err(StoreError::Failed { .. })));
        assert_eq!(store.writer.write(|context| add_study(context, "whole")).await.unwrap(), 1);
        assert_eq!(store.study_ids().await.unwrap(), ["whole"]);
        store.check_health().await.unwrap();
    }

    #[tokio::test]
    async fn the_health_check_writes_once_a_commit_has_failed() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let data_version = || {
            let read = |reader: &Reader| {
                let version = reader.metadata.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0));
                version.map_err(|error| StoreError::failed("reading the data version", error))
            };
            store.readers.read(read).unwrap()
        };
        let before = data_version();
        store.check_health().await.unwrap();
        assert_eq!(data_version(), before, "nothing is written while all is well");
        store.writer.has_failed.store(true, Ordering::Relaxed);
        store.check_health().await.unwrap();
        assert_ne!(data_version(), before);
        assert!(!store.writer.has_failed.load(Ordering::Relaxed));
    }
}
