//! The task that writes analyses, with group commit.
//!
//! It takes every queued change and commits them as one group; meanwhile the next group queues up. So however many
//! clients there are, they share the round trips, the lock and the fsync. When the database rejects a group, each of its
//! changes is retried alone, so that only those fail that cannot be stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cantata_core::{LogInterval, error_chain};
use cantata_store::{AnalysisChange, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Result, StoreError};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{oneshot, watch};

use crate::group_commit::commit_group;
use crate::group_plan::Submission;
use crate::notifications::advance_latest_event;
use crate::pool::ConnectionPool;
use crate::studies::StudyRepository;

/// How many changes share one transaction at most.
const MAX_GROUP_CHANGES: usize = 256;

/// From this size of its documents on, a group takes no further change.
const MAX_GROUP_BYTES: usize = 16 * 1024 * 1024;

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
    ) -> Self {
        let (jobs, queue) = channel(MAX_QUEUED_CHANGES);
        let commit_count = Arc::new(AtomicU64::new(0));
        let published = PublishedState { latest_event, commit_count: Arc::clone(&commit_count) };
        tokio::spawn(write_groups(queue, pool, studies, published));
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

/// What is updated after each commit.
struct PublishedState {
    latest_event: watch::Sender<u64>,
    commit_count: Arc<AtomicU64>,
}

/// Changes that are committed together, and the channels of their callers.
#[derive(Default)]
struct WriteGroup {
    submissions: Vec<Submission>,
    insert_replies: Vec<oneshot::Sender<Result<InsertOutcome>>>,
    changes: Vec<AnalysisChange>,
    replace_replies: Vec<oneshot::Sender<Result<ReplaceOutcome>>>,
    bytes: usize,
}

impl WriteGroup {
    fn add(&mut self, job: WriteJob) {
        match job {
            WriteJob::Insert(submission, reply) => {
                self.bytes += submission.new.document.len();
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

async fn write_groups(
    mut queue: Receiver<WriteJob>,
    pool: Arc<ConnectionPool>,
    studies: Arc<StudyRepository>,
    published: PublishedState,
) {
    while let Some(first) = queue.recv().await {
        let mut group = WriteGroup::default();
        group.add(first);
        while group.len() < MAX_GROUP_CHANGES
            && group.bytes < MAX_GROUP_BYTES
            && let Ok(next) = queue.try_recv()
        {
            group.add(next);
        }
        if let Err(error) = group.find_studies(&studies).await {
            group.fail(&error);
            continue;
        }
        let Some((rejected, error)) = write(&pool, group, &published).await else { continue };
        if rejected.len() == 1 || !matches!(error, StoreError::Failed { .. }) {
            rejected.fail(&error);
            continue;
        }
        for single in rejected.split() {
            if let Some((rejected, error)) = write(&pool, single, &published).await {
                rejected.fail(&error);
            }
        }
    }
}

/// Commits a group and replies to its callers; returns the group with the error if that failed.
async fn write(
    pool: &ConnectionPool,
    group: WriteGroup,
    published: &PublishedState,
) -> Option<(WriteGroup, StoreError)> {
    match commit_group(pool, &group.submissions, &group.changes).await {
        Ok(outcome) => {
            published.commit_count.fetch_add(1, Ordering::Relaxed);
            advance_latest_event(&published.latest_event, outcome.last_event);
            group.reply(outcome.insertions, outcome.replacements.into_iter().map(Ok).collect());
            None
        }
        Err(error) => Some((group, error)),
    }
}
