//! The task that writes analyses, with group commit.
//!
//! It takes every queued change and commits them as one group; meanwhile the next group queues up. So however many
//! clients there are, they share the round trips, the lock and the fsync. When the database rejects a group, each of its
//! changes is retried alone, so that only those fail that cannot be stored.
//!
//! A group with many files begins beside the one before it and writes its files meanwhile, so that the database uses
//! more than one processor; smaller ones gain more from being larger. A group is committed only after the one before it
//! has ended: of two submissions with a common file the one that was queued first is stored. Groups that wait for
//! their turn hold connections, fewer than the pool has, so the first one always gets the one it needs.

use std::mem;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cantata_core::{LogInterval, error_chain};
use cantata_store::{AnalysisChange, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Result, StoreError};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{oneshot, watch};

use crate::group_commit::{GroupTransaction, LockedGroup, write_files_early};
use crate::group_plan::{GroupOutcome, Submission};
use crate::group_statements::MIN_COPY_FILES;
use crate::notifications::advance_latest_event;
use crate::pool::ConnectionPool;
use crate::studies::StudyRepository;

/// How many changes share one transaction at most.
const MAX_GROUP_CHANGES: usize = 256;

/// From this size of its documents on, a group takes no further change.
const MAX_GROUP_BYTES: usize = 16 * 1024 * 1024;

/// From this number of submitted files on, a group takes no further change, so that groups that are written at once are
/// of about the same size.
const MAX_GROUP_FILES: usize = 2 * MIN_COPY_FILES;

/// How many groups are written at once.
const MAX_CONCURRENT_GROUPS: usize = 2;

/// How often groups that were not stored are logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// How many changes are queued before callers wait for space.
const MAX_QUEUED_CHANGES: usize = 4_096;

enum WriteJob {
    Insert(Submission, oneshot::Sender<Result<InsertOutcome>>),
    Replace(AnalysisChange, oneshot::Sender<Result<ReplaceOutcome>>),
}

/// A handle of the task, which ends after this is dropped and all changes are stored.
pub(crate) struct AnalysisWriter {
    jobs: Sender<WriteJob>,
    commit_count: Arc<AtomicU64>,
}

impl AnalysisWriter {
    pub(crate) fn start(
        pool: Arc<ConnectionPool>,
        studies: Arc<StudyRepository>,
        latest_event: watch::Sender<u64>,
        max_connections: usize,
    ) -> Self {
        let (jobs, queue) = channel(MAX_QUEUED_CHANGES);
        let commit_count = Arc::new(AtomicU64::new(0));
        let (queued, counted) = (Mutex::default(), Arc::clone(&commit_count));
        let writer = GroupWriter { pool, studies, latest_event, commit_count: counted, queued };
        tokio::spawn(write_groups(queue, Arc::new(writer), MAX_CONCURRENT_GROUPS.min(max_connections)));
        Self { jobs, commit_count }
    }

    /// Returns how many commits changed analyses.
    pub(crate) fn commit_count(&self) -> u64 {
        self.commit_count.load(Ordering::Relaxed)
    }

    /// Stores a submission and waits until it is on disk.
    pub(crate) async fn insert(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<InsertOutcome> {
        let (reply, answer) = oneshot::channel();
        // The study is looked up later, so that submissions are queued in the order of arrival.
        let submission = Submission { new, study_key: None, duplicates };
        self.send(WriteJob::Insert(submission, reply)).await?;
        answer.await.map_err(|_| stopped())?
    }

    /// Stores a change and waits until it is on disk.
    pub(crate) async fn replace(&self, change: AnalysisChange) -> Result<ReplaceOutcome> {
        let (reply, answer) = oneshot::channel();
        self.send(WriteJob::Replace(change, reply)).await?;
        answer.await.map_err(|_| stopped())?
    }

    async fn send(&self, job: WriteJob) -> Result<()> {
        self.jobs.send(job).await.map_err(|_| stopped())
    }
}

fn stopped() -> StoreError {
    StoreError::unavailable("the writer has stopped")
}

/// Changes that are committed together, and the channels of their callers.
#[derive(Default)]
struct WriteGroup {
    submissions: Vec<Submission>,
    insert_replies: Vec<oneshot::Sender<Result<InsertOutcome>>>,
    changes: Vec<AnalysisChange>,
    replace_replies: Vec<oneshot::Sender<Result<ReplaceOutcome>>>,
    bytes: usize,
    /// How many files the submissions have.
    files: usize,
}

impl WriteGroup {
    fn add(&mut self, job: WriteJob) {
        match job {
            WriteJob::Insert(submission, reply) => {
                self.bytes += submission.new.document.len();
                self.files += submission.new.files.len();
                self.submissions.push(submission);
                self.insert_replies.push(reply);
            }
            WriteJob::Replace(change, reply) => {
                self.bytes += change.document.len();
                self.changes.push(change);
                self.replace_replies.push(reply);
            }
        }
    }

    async fn find_studies(&mut self, studies: &StudyRepository) -> Result<()> {
        for submission in &mut self.submissions {
            submission.study_key = studies.key(&submission.new.study_id).await?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.submissions.len() + self.changes.len()
    }

    fn has_room(&self) -> bool {
        self.len() < MAX_GROUP_CHANGES && self.bytes < MAX_GROUP_BYTES && self.files < MAX_GROUP_FILES
    }

    /// Adds the changes of another group, which were queued later.
    fn append(&mut self, later: Self) {
        self.submissions.extend(later.submissions);
        self.insert_replies.extend(later.insert_replies);
        self.changes.extend(later.changes);
        self.replace_replies.extend(later.replace_replies);
        self.bytes += later.bytes;
        self.files += later.files;
    }

    /// Splits the group into groups of one.
    fn split(self) -> impl Iterator<Item = WriteGroup> {
        let submissions = self.submissions.into_iter().zip(self.insert_replies);
        let changes = self.changes.into_iter().zip(self.replace_replies);
        let jobs = submissions.map(|(submission, reply)| WriteJob::Insert(submission, reply));
        jobs.chain(changes.map(|(change, reply)| WriteJob::Replace(change, reply))).map(|job| {
            let mut single = WriteGroup::default();
            single.add(job);
            single
        })
    }

    /// Sends the outcome of each change to its caller. The change stands even if the caller is gone.
    fn reply(self, insertions: Vec<Result<InsertOutcome>>, replacements: Vec<Result<ReplaceOutcome>>) {
        for (reply, insertion) in self.insert_replies.into_iter().zip(insertions) {
            let _ = reply.send(insertion);
        }
        for (reply, replacement) in self.replace_replies.into_iter().zip(replacements) {
            let _ = reply.send(replacement);
        }
    }

    fn fail(self, error: &StoreError) {
        static FAILURES: LogInterval = LogInterval::new(LOG_INTERVAL);
        if let Some(left_out) = FAILURES.admit() {
            tracing::error!(error = error_chain(error), left_out, "a group of changes was not stored");
        }
        let insertions = self.insert_replies.iter().map(|_| Err(error.clone())).collect();
        let replacements = self.replace_replies.iter().map(|_| Err(error.clone())).collect();
        self.reply(insertions, replacements);
    }
}

/// What the task and the groups that it runs share.
#[derive(Default)]
struct GroupQueue {
    /// The changes of the next group.
    next: WriteGroup,
    running_groups: usize,
}

/// Collects changes into groups and writes them, until the queue is closed and all of them are written.
async fn write_groups(mut queue: Receiver<WriteJob>, writer: Arc<GroupWriter>, max_groups: usize) {
    // On this task: another thread would have to wake up for every group.
    let mut running = FuturesUnordered::new();
    // Nothing is sent: the sender is dropped when its group has ended. There is none before the first one.
    let (_, mut previous) = oneshot::channel::<()>();
    loop {
        let (group, has_room) = {
            let GroupQueue { next, running_groups } = &mut *writer.queued();
            while next.has_room()
                && let Ok(job) = queue.try_recv()
            {
                next.add(job);
            }
            *running_groups = running.len();
            let starts_beside = next.files >= MIN_COPY_FILES && running.len() < max_groups;
            let starts = next.len() > 0 && (running.is_empty() || starts_beside);
            (starts.then(|| mem::take(next)), next.has_room())
        };
        if let Some(group) = group {
            let (ended, end) = oneshot::channel();
            let previous = mem::replace(&mut previous, end);
            let writer = Arc::clone(&writer);
            let write = async move {
                writer.write(group, previous).await;
                drop(ended);
            };
            // A group that panics drops the channels of its callers, which fails them; the others go on.
            running.push(AssertUnwindSafe(write.boxed()).catch_unwind());
            continue;
        }
        tokio::select! {
            biased;
            Some(_) = running.next() => {}
            Some(job) = queue.recv(), if has_room => writer.queued().next.add(job),
            else => break,
        }
    }
}

/// Writes groups, and publishes what is updated after each commit.
struct GroupWriter {
    pool: Arc<ConnectionPool>,
    studies: Arc<StudyRepository>,
    latest_event: watch::Sender<u64>,
    commit_count: Arc<AtomicU64>,
    queued: Mutex<GroupQueue>,
}

impl GroupWriter {
    fn queued(&self) -> MutexGuard<'_, GroupQueue> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a group; only its files are written before the previous group has ended.
    async fn write(&self, mut group: WriteGroup, previous: oneshot::Receiver<()>) {
        let found = group.find_studies(&self.studies).await;
        let early = match found.is_ok() {
            true => Box::pin(write_files_early(&self.pool, &group.submissions)).await,
            false => None,
        };
        let _ = previous.await;
        if let Err(error) = found {
            group.fail(&error);
            return;
        }
        let Some((rejected, error)) = self.commit(group, early, true).await else { return };
        if !matches!(error, StoreError::Failed { .. }) {
            rejected.fail(&error);
            return;
        }
        // A group of one too: the database may have chosen it to end a deadlock.
        for single in rejected.split() {
            if let Some((rejected, error)) = self.commit(single, None, false).await {
                rejected.fail(&error);
            }
        }
    }

    /// Commits a group, which may grow, and replies to its callers; returns the group with the error if that failed.
    async fn commit(
        &self,
        mut group: WriteGroup,
        mut early: Option<GroupTransaction>,
        may_grow: bool,
    ) -> Option<(WriteGroup, StoreError)> {
        loop {
            match Box::pin(self.try_commit(&mut group, early.take(), may_grow)).await {
                Ok(Some(outcome)) => {
                    self.commit_count.fetch_add(1, Ordering::Relaxed);
                    advance_latest_event(&self.latest_event, outcome.last_event);
                    group.reply(outcome.insertions, outcome.replacements.into_iter().map(Ok).collect());
                    return None;
                }
                Ok(None) => {}
                Err(error) => return Some((group, error)),
            }
        }
    }

    async fn try_commit(
        &self,
        group: &mut WriteGroup,
        early: Option<GroupTransaction>,
        may_grow: bool,
    ) -> Result<Option<GroupOutcome>> {
        let mut locked = LockedGroup::begin(&self.pool, early, &group.submissions, &group.changes).await?;
        if may_grow
            && locked.can_grow()
            && let Some(later) = self.take_queued(group)
        {
            let grown = locked.grow(&later.submissions, &later.changes).await;
            group.append(later);
            locked = grown?;
        }
        locked.commit(&self.pool, &group.submissions, &group.changes).await
    }

    /// Takes what was queued while a group waited for the lock, if that is as much as the group: then one more round trip
    /// saves a commit. No group that was queued in between may be running. None of it may need another connection, to read
    /// its study: the others may wait for this lock.
    fn take_queued(&self, group: &WriteGroup) -> Option<WriteGroup> {
        let GroupQueue { next, running_groups } = &mut *self.queued();
        let fits = group.bytes + next.bytes <= MAX_GROUP_BYTES && group.files + next.files <= MAX_GROUP_FILES;
        if next.len() < group.len() || !fits || *running_groups > 1 {
            return None;
        }
        for submission in &mut next.submissions {
            submission.study_key = Some(self.studies.cached(&submission.new.study_id)?.key);
        }
        Some(mem::take(next))
    }
}
