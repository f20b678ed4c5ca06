//! Jobs: long work on a catalogue, with its progress and its result.
//!
//! The latest jobs are shared records of the store, so that every server lists the same ones; each has a copy in memory, which
//! it compares with the store once a second. One job at a time works on an index: its server holds a lease. If the server
//! dies, another one takes the job over and begins again, unless the index was a copy that the server had alone: then the job
//! is interrupted.

mod job;
mod running;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cantata_core::{Timestamp, error_chain};
use cantata_store::{LEASE_DURATION, RecordBase, RecordKind, Result as StoreResult, SharedRecord, Store, StoreError};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

pub use self::job::{Job, JobError, JobKind, JobStatus};
pub(crate) use self::running::RunningJob;
use crate::state_file;

const KIND: RecordKind = RecordKind::Job;

/// The file with the name of the data folder.
const DATA_FOLDER_ID_FILE: &str = "place.json";

/// How many jobs are kept.
const MAX_KEPT_JOBS: usize = 200;

/// How many jobs are read at a time.
const PAGE_SIZE: usize = 1_000;

/// How often a change is tried again because another server was faster.
const MAX_ATTEMPTS: usize = 50;

const CONTENDED: &str = "other servers change the jobs all the time; try again";

/// All jobs; clones share them.
#[derive(Clone)]
pub struct Jobs(Arc<JobsInner>);

struct JobsInner {
    store: Arc<dyn Store>,
    /// The name of this process.
    holder: String,
    /// The name of the data folder, which has the indexes that this server has alone.
    data_folder: String,
    data_folder_id_file: PathBuf,
    /// Where earlier versions had the jobs.
    file: PathBuf,
    entries: Mutex<BTreeMap<u64, JobEntry>>,
    /// Locked while the entries are compared with the store.
    synced: tokio::sync::Mutex<Synced>,
    /// Counts the changes.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Synced {
    /// The change of the store up to which the entries are known.
    seen: u64,
    /// Whether the file of an earlier version was looked for.
    is_imported: bool,
}

/// A job as the store has it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredJob {
    #[serde(flatten)]
    job: Job,
    /// The process that works on it.
    server: String,
    /// The data folder that has the index; none if the index is shared.
    #[serde(rename = "place")]
    data_folder: Option<String>,
    /// Whether its cancellation was requested.
    #[serde(default)]
    is_cancelled: bool,
}

struct JobEntry {
    stored: StoredJob,
    /// The change of the store that the entry is known from.
    record: u64,
    /// Whether this process works on it; then the entry is newer than the record.
    runs_here: bool,
    /// Whether the store does not have it as it is.
    is_dirty: bool,
    /// The number of its last change.
    change: u64,
    cancel: watch::Sender<bool>,
}

impl Jobs {
    /// Names the store and the folder of earlier versions; nothing is read yet.
    pub(crate) fn new(store: Arc<dyn Store>, holder: &str, folder: &Path) -> Self {
        Self(Arc::new(JobsInner {
            store,
            holder: holder.to_owned(),
            data_folder: read_data_folder_id(&folder.join(DATA_FOLDER_ID_FILE)).unwrap_or_else(|| holder.to_owned()),
            data_folder_id_file: folder.join(DATA_FOLDER_ID_FILE),
            file: folder.join("jobs.json"),
            entries: Mutex::default(),
            synced: tokio::sync::Mutex::default(),
            changed: watch::Sender::new(0),
        }))
    }

    /// Returns the name of the data folder, which it gets with its first job.
    fn data_folder_id(&self) -> String {
        let JobsInner { data_folder, data_folder_id_file, .. } = &*self.0;
        if read_data_folder_id(data_folder_id_file).is_none()
            && let Err(error) = state_file::write(data_folder_id_file, data_folder)
        {
            tracing::warn!(%error, "the name of the data folder cannot be saved; jobs that are interrupted are noticed later");
        }
        data_folder.clone()
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<u64, JobEntry>> {
        self.0.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns all jobs, the newest first.
    pub fn list(&self) -> Vec<Job> {
        self.entries().values().rev().map(|entry| entry.stored.job.clone()).collect()
    }

    /// Returns a job.
    pub fn job(&self, id: u64) -> Option<Job> {
        self.entries().get(&id).map(|entry| entry.stored.job.clone())
    }

    /// Returns the jobs that changed after a change, and the number of the last change.
    pub fn changed_after(&self, change: u64) -> (Vec<Job>, u64) {
        let entries = self.entries();
        let jobs = entries.values().filter(|entry| entry.change > change).map(|entry| entry.stored.job.clone());
        (jobs.collect(), *self.0.changed.borrow())
    }

    /// Returns a channel that always holds the number of the latest change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Takes note of what other servers have changed. If the store cannot be asked, what was known stays.
    pub async fn refresh(&self) {
        if let Err(error) = self.sync().await {
            tracing::debug!(error = error_chain(&error), "the jobs of other servers cannot be read");
        }
    }

    /// Cancels a job, which ends as soon as it can.
    ///
    /// # Errors
    ///
    /// If there is no such job, it is over, or it is one of another server and the store cannot be used.
    pub async fn cancel(&self, id: u64) -> Result<Job, JobError> {
        for _ in 0..MAX_ATTEMPTS {
            let (stored, record) = {
                let entries = self.entries();
                let entry = entries.get(&id).ok_or(JobError::Unknown(id))?;
                if entry.stored.job.status != JobStatus::Running {
                    return Err(JobError::Over(id));
                }
                if entry.runs_here {
                    entry.cancel.send_replace(true);
                    return Ok(entry.stored.job.clone());
                }
                (StoredJob { is_cancelled: true, ..entry.stored.clone() }, entry.record)
            };
            if self.write(&stored, RecordBase::Record(record)).await?.is_some() {
                return Ok(stored.job);
            }
            self.sync().await?;
        }
        Err(JobError::Unavailable(CONTENDED.to_owned()))
    }

    /// Returns the indexes that interrupted jobs on a catalogue may have left here, but for names that are in use again.
    pub(crate) fn interrupted_indexes(&self, catalogue: &str) -> Vec<String> {
        let entries = self.entries();
        let is_here = |stored: &StoredJob| {
            stored.data_folder.as_ref().is_none_or(|data_folder| *data_folder == self.0.data_folder)
        };
        let of_catalogue: Vec<&Job> = entries
            .values()
            .filter(|entry| entry.stored.job.catalogue == catalogue && is_here(&entry.stored))
            .map(|entry| &entry.stored.job)
            .collect();
        let with = |status: JobStatus| {
            of_catalogue.iter().filter(move |job| job.status == status).filter_map(|job| job.index.clone())
        };
        with(JobStatus::Interrupted).filter(|index| !with(JobStatus::Running).any(|other| other == *index)).collect()
    }

    /// Returns the job that works on the index of a catalogue.
    fn running(&self, catalogue: &str, data_folder: Option<&str>) -> Option<u64> {
        let entries = self.entries();
        let is_busy = |entry: &&JobEntry| {
            let StoredJob { job, data_folder: of_job, .. } = &entry.stored;
            job.status == JobStatus::Running && job.catalogue == catalogue && of_job.as_deref() == data_folder
        };
        entries.values().find(is_busy).map(|entry| entry.stored.job.id)
    }

    /// Begins a job on the index of a catalogue, which all servers share or this one has alone.
    pub(crate) async fn begin(
        &self,
        catalogue: &str,
        is_shared: bool,
        reason: Option<String>,
    ) -> Result<RunningJob, JobError> {
        let data_folder = (!is_shared).then(|| self.data_folder_id());
        if let Some(id) = self.running(catalogue, data_folder.as_deref()) {
            return Err(JobError::Busy(id));
        }
        let mut synced = self.0.synced.lock().await;
        self.bring_up_to_date(&mut synced).await?;
        let lease = lease_name(catalogue, data_folder.as_deref());
        let job = Job {
            id: 0,
            kind: JobKind::Reindex,
            catalogue: catalogue.to_owned(),
            reason,
            status: JobStatus::Running,
            index: None,
            done: 0,
            total: 0,
            rejected: 0,
            started_at: Timestamp::now(),
            ended_at: None,
            problem: None,
        };
        let mut stored = StoredJob { job, server: self.0.holder.clone(), data_folder, is_cancelled: false };
        for _ in 0..MAX_ATTEMPTS {
            if let Some(id) = self.running(catalogue, stored.data_folder.as_deref()) {
                return Err(JobError::Busy(id));
            }
            if !self.0.store.acquire_lease(&lease, &self.0.holder, LEASE_DURATION).await? {
                return Err(JobError::Unavailable("another server has just begun a job on this catalogue".to_owned()));
            }
            stored.job.id = self.entries().keys().next_back().map_or(1, |last| last + 1);
            if let Some(change) = self.write(&stored, RecordBase::Kind(synced.seen)).await? {
                synced.seen = change;
                let running = self.run_here(stored, change);
                self.remove_surplus().await;
                return Ok(running);
            }
            self.read_changes(&mut synced.seen).await?;
        }
        let _ = self.0.store.release_lease(&lease, &self.0.holder).await;
        Err(JobError::Unavailable(CONTENDED.to_owned()))
    }

    /// Adds a job that this process works on from now on.
    fn run_here(&self, stored: StoredJob, record: u64) -> RunningJob {
        let cancel = watch::Sender::new(false);
        let (id, cancelled) = (stored.job.id, cancel.subscribe());
        let lease = lease_name(&stored.job.catalogue, stored.data_folder.as_deref());
        let mut entries = self.entries();
        let change = self.next_change();
        entries.insert(id, JobEntry { stored, record, runs_here: true, is_dirty: false, change, cancel });
        // Sent while the entries are locked, so that no reader sees a number before its change.
        self.0.changed.send_replace(change);
        drop(entries);
        RunningJob { jobs: self.clone(), id, lease, cancelled }
    }

    fn next_change(&self) -> u64 {
        *self.0.changed.borrow() + 1
    }

    /// Removes the oldest jobs beyond the number that is kept. Those that cannot be removed now are later.
    async fn remove_surplus(&self) {
        let surplus: Vec<u64> = {
            let entries = self.entries();
            let over = entries.values().filter(|entry| entry.stored.job.status != JobStatus::Running);
            over.map(|entry| entry.stored.job.id).take(entries.len().saturating_sub(MAX_KEPT_JOBS)).collect()
        };
        for id in surplus {
            if self.0.store.write_record(KIND, &id.to_string(), RecordBase::Any, None).await.is_ok() {
                self.entries().remove(&id);
            }
        }
    }

    /// Writes to the store what has changed here, and takes note of what has changed there.
    pub(crate) async fn sync(&self) -> StoreResult<()> {
        let mut synced = self.0.synced.lock().await;
        self.bring_up_to_date(&mut synced).await?;
        self.write_changes().await
    }

    async fn bring_up_to_date(&self, synced: &mut Synced) -> StoreResult<()> {
        if !synced.is_imported {
            self.import().await?;
            synced.is_imported = true;
        }
        self.read_changes(&mut synced.seen).await
    }

    /// Imports the jobs that an earlier version had in a file, which were interrupted if they were running.
    async fn import(&self) -> StoreResult<()> {
        if !self.0.file.is_file() {
            return Ok(());
        }
        for mut job in state_file::read::<Vec<Job>>(&self.0.file) {
            if job.status == JobStatus::Running {
                job.status = JobStatus::Interrupted;
                job.ended_at = Some(Timestamp::now());
            }
            let data_folder = Some(self.data_folder_id());
            let stored = StoredJob { job, server: self.0.holder.clone(), data_folder, is_cancelled: false };
            self.write(&stored, RecordBase::Absent).await?;
        }
        if let Err(error) = fs_err::remove_file(&self.0.file) {
            tracing::warn!(%error, "the file of jobs cannot be removed; it is imported again, which changes nothing");
        }
        Ok(())
    }

    async fn read_changes(&self, seen: &mut u64) -> StoreResult<()> {
        let latest = self.0.store.latest_record_change(KIND).await?;
        if latest == *seen {
            return Ok(());
        }
        let known = *seen;
        self.read_pages(seen).await?;
        if known > 0 && self.0.store.purged_records(KIND).await? > known {
            // Jobs were removed that are known here, and nothing is left that says so.
            self.entries().retain(|_, entry| entry.runs_here);
            *seen = 0;
            self.read_pages(seen).await?;
        }
        // The latest change may have been a removal that was purged.
        *seen = latest.max(*seen);
        Ok(())
    }

    async fn read_pages(&self, seen: &mut u64) -> StoreResult<()> {
        loop {
            let page = self.0.store.records_after(KIND, *seen, PAGE_SIZE).await?;
            let is_last = page.len() < PAGE_SIZE;
            for record in page {
                *seen = record.change;
                self.take(&record);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Takes note of a job as the store has it.
    fn take(&self, record: &SharedRecord) {
        let Ok(id) = record.id.parse::<u64>() else { return };
        // What cannot be read is of use, but not needed.
        let stored = record.document.as_deref().and_then(|document| serde_json::from_str::<StoredJob>(document).ok());
        let mut entries = self.entries();
        let change = self.next_change();
        let Some(stored) = stored else {
            entries.remove(&id);
            return;
        };
        if let Some(entry) = entries.get_mut(&id).filter(|entry| entry.runs_here && stored.server == self.0.holder) {
            entry.record = record.change;
            if stored.is_cancelled {
                entry.cancel.send_replace(true);
            }
            return;
        }
        let cancel = watch::Sender::new(false);
        let entry = JobEntry { stored, record: record.change, runs_here: false, is_dirty: false, change, cancel };
        entries.insert(id, entry);
        self.0.changed.send_replace(change);
    }

    /// Writes the jobs of this process that have changed.
    async fn write_changes(&self) -> StoreResult<()> {
        let dirty: Vec<(StoredJob, u64, u64)> = {
            let entries = self.entries();
            let dirty = entries.values().filter(|entry| entry.is_dirty);
            dirty.map(|entry| (entry.stored.clone(), entry.record, entry.change)).collect()
        };
        for (stored, record, change) in dirty {
            let id = stored.job.id;
            match self.write(&stored, RecordBase::Record(record)).await? {
                Some(written) => {
                    if let Some(entry) = self.entries().get_mut(&id) {
                        entry.record = written;
                        entry.is_dirty = entry.change != change;
                        entry.runs_here &= entry.is_dirty || entry.stored.job.status == JobStatus::Running;
                    }
                }
                // Another server wants it to end, or has taken it over. It is written with the next changes, if it is.
                None => {
                    if let Some(present) = self.0.store.record(KIND, &id.to_string()).await? {
                        self.take(&present);
                    }
                }
            }
        }
        Ok(())
    }

    async fn write(&self, stored: &StoredJob, base: RecordBase) -> StoreResult<Option<u64>> {
        let failed = |error: serde_json::Error| StoreError::failed("writing a job as JSON", error);
        let document = serde_json::to_string(stored).map_err(failed)?;
        self.0.store.write_record(KIND, &stored.job.id.to_string(), base, Some(document)).await
    }

    /// Takes over the jobs of servers that have died on the shared indexes of these catalogues. Those whose index is gone with its
    /// server are interrupted.
    pub(crate) async fn take_over(&self, catalogues: &BTreeSet<String>) -> StoreResult<Vec<RunningJob>> {
        let of_others: Vec<(StoredJob, u64)> = {
            let entries = self.entries();
            let running = entries.values().filter(|one| one.stored.job.status == JobStatus::Running);
            let of_others = running.filter(|one| !one.runs_here);
            of_others.map(|one| (one.stored.clone(), one.record)).collect()
        };
        let mut taken = Vec::new();
        for (mut stored, record) in of_others {
            let is_shared = stored.data_folder.is_none();
            if is_shared && !catalogues.contains(&stored.job.catalogue) {
                continue;
            }
            // No other process uses the folder.
            let is_of_earlier_process = stored.data_folder.as_ref() == Some(&self.0.data_folder);
            let lease = lease_name(&stored.job.catalogue, stored.data_folder.as_deref());
            let has_lease = self.0.store.acquire_lease(&lease, &self.0.holder, LEASE_DURATION).await?;
            if !has_lease && !is_of_earlier_process {
                continue;
            }
            let runs_on = is_shared && has_lease && !stored.is_cancelled;
            stored.server = self.0.holder.clone();
            if runs_on {
                (stored.job.done, stored.job.total, stored.job.rejected) = (0, 0, 0);
            } else {
                stored.job.status = if stored.is_cancelled { JobStatus::Cancelled } else { JobStatus::Interrupted };
                stored.job.ended_at = Some(Timestamp::now());
            }
            let written = self.write(&stored, RecordBase::Record(record)).await?;
            match written.filter(|_| runs_on) {
                Some(change) => {
                    tracing::info!(job = stored.job.id, catalogue = stored.job.catalogue, "taking over a job");
                    taken.push(self.run_here(stored, change));
                }
                None if has_lease => self.0.store.release_lease(&lease, &self.0.holder).await?,
                None => {}
            }
        }
        Ok(taken)
    }
}

/// Returns the name of a data folder.
fn read_data_folder_id(file: &Path) -> Option<String> {
    Some(state_file::read::<String>(file)).filter(|name| !name.is_empty())
}

/// Returns the name of the lease for work on the index of a catalogue.
fn lease_name(catalogue: &str, data_folder: Option<&str>) -> String {
    match data_folder {
        Some(data_folder) => format!("job:{catalogue}@{data_folder}"),
        None => format!("job:{catalogue}"),
    }
}
