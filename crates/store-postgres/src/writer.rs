//! The one task that writes analyses, with group commit.
//!
//! It takes every change that is waiting and stores them as one group; while that is under way the next group gathers.
//! So however many clients there are, they share the round trips, the lock and the write to disk. When the database
//! refuses a group, each of its changes is tried alone, so that only those fail that cannot be stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cantata_store::{AnalysisChange, DuplicateRule, Insertion, NewAnalysis, Replacement, Result, StoreError};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{oneshot, watch};

use crate::connections::Connections;
use crate::decision::Submission;
use crate::follow::Followed;
use crate::group;
use crate::studies::Studies;

/// The most changes that share one transaction.
const GROUP_LIMIT: usize = 256;

/// From so many bytes of documents on, a group takes no further change.
const GROUP_BYTES: usize = 16 * 1024 * 1024;

/// How many changes may wait before those who bring more have to wait too.
const QUEUE_LIMIT: usize = 4_096;

enum Job {
    Insert(Submission, oneshot::Sender<Result<Insertion>>),
    Replace(AnalysisChange, oneshot::Sender<Result<Replacement>>),
}

/// The handle through which changes reach the task, which ends when this is dropped and all are stored.
pub(crate) struct Writer {
    jobs: Sender<Job>,
    commits: Arc<AtomicU64>,
}

impl Writer {
    pub(crate) fn start(
        connections: Arc<Connections>,
        studies: Arc<Studies>,
        latest_event: watch::Sender<u64>,
    ) -> Self {
        let (jobs, queue) = channel(QUEUE_LIMIT);
        let commits = Arc::new(AtomicU64::new(0));
        let told = Told { latest_event, commits: Arc::clone(&commits) };
        tokio::spawn(write_groups(queue, connections, studies, told));
        Self { jobs, commits }
    }

    /// Returns how many commits changed analyses.
    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// Stores a submission and waits until it is on disk.
    pub(crate) async fn insert(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<Insertion> {
        let (reply, answer) = oneshot::channel();
        // Which study it is for is looked up later: whoever comes first is stored first.
        let submission = Submission { new, study_key: None, duplicates };
        self.send(Job::Insert(submission, reply)).await?;
        answer.await.map_err(|_| stopped())?
    }

    /// Stores a change and waits until it is on disk.
    pub(crate) async fn replace(&self, change: AnalysisChange) -> Result<Replacement> {
        let (reply, answer) = oneshot::channel();
        self.send(Job::Replace(change, reply)).await?;
        answer.await.map_err(|_| stopped())?
    }

    async fn send(&self, job: Job) -> Result<()> {
        self.jobs.send(job).await.map_err(|_| stopped())
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable("the writer has stopped".to_owned())
}

/// Those who are told of what was stored.
struct Told {
    latest_event: watch::Sender<u64>,
    commits: Arc<AtomicU64>,
}

/// Changes that are stored together, and who waits for them.
#[derive(Default)]
struct Group {
    submissions: Vec<Submission>,
    submitters: Vec<oneshot::Sender<Result<Insertion>>>,
    changes: Vec<AnalysisChange>,
    changers: Vec<oneshot::Sender<Result<Replacement>>>,
    bytes: usize,
}

impl Group {
    fn add(&mut self, job: Job) {
        match job {
            Job::Insert(submission, reply) => {
                self.bytes += submission.new.document.len();
                self.submissions.push(submission);
                self.submitters.push(reply);
            }
            Job::Replace(change, reply) => {
                self.bytes += change.document.len();
                self.changes.push(change);
                self.changers.push(reply);
            }
        }
    }

    async fn find_studies(&mut self, studies: &Studies) -> Result<()> {
        for submission in &mut self.submissions {
            submission.study_key = studies.key(&submission.new.study_id).await?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.submissions.len() + self.changes.len()
    }

    /// Takes the group apart into groups of one.
    fn split(self) -> impl Iterator<Item = Group> {
        let submissions = self.submissions.into_iter().zip(self.submitters);
        let changes = self.changes.into_iter().zip(self.changers);
        let jobs = submissions.map(|(submission, reply)| Job::Insert(submission, reply));
        jobs.chain(changes.map(|(change, reply)| Job::Replace(change, reply))).map(|job| {
            let mut alone = Group::default();
            alone.add(job);
            alone
        })
    }

    /// Tells everybody how their change ended. Who has left does not hear of it; the change stands all the same.
    fn answer(self, insertions: Vec<Result<Insertion>>, replacements: Vec<Result<Replacement>>) {
        for (reply, insertion) in self.submitters.into_iter().zip(insertions) {
            let _ = reply.send(insertion);
        }
        for (reply, replacement) in self.changers.into_iter().zip(replacements) {
            let _ = reply.send(replacement);
        }
    }

    fn fail(self, error: &StoreError) {
        tracing::error!(%error, "a group of changes was not stored");
        let insertions = self.submitters.iter().map(|_| Err(error.clone())).collect();
        let replacements = self.changers.iter().map(|_| Err(error.clone())).collect();
        self.answer(insertions, replacements);
    }
}

async fn write_groups(mut queue: Receiver<Job>, connections: Arc<Connections>, studies: Arc<Studies>, told: Told) {
    while let Some(first) = queue.recv().await {
        let mut group = Group::default();
        group.add(first);
        while group.len() < GROUP_LIMIT
            && group.bytes < GROUP_BYTES
            && let Ok(next) = queue.try_recv()
        {
            group.add(next);
        }
        if let Err(error) = group.find_studies(&studies).await {
            group.fail(&error);
            continue;
        }
        let Some((refused, error)) = write(&connections, group, &told).await else { continue };
        if refused.len() == 1 || !matches!(error, StoreError::Failed { .. }) {
            refused.fail(&error);
            continue;
        }
        for alone in refused.split() {
            if let Some((refused, error)) = write(&connections, alone, &told).await {
                refused.fail(&error);
            }
        }
    }
}

/// Stores a group and answers it; returns it with the reason when it could not be stored.
async fn write(connections: &Connections, group: Group, told: &Told) -> Option<(Group, StoreError)> {
    match group::store(connections, &group.submissions, &group.changes).await {
        Ok(outcomes) => {
            told.commits.fetch_add(1, Ordering::Relaxed);
            Followed::note_event(&told.latest_event, outcomes.last_event);
            group.answer(outcomes.insertions, outcomes.replacements.into_iter().map(Ok).collect());
            None
        }
        Err(error) => Some((group, error)),
    }
}
