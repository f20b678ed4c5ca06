//! The feed of a catalogue: takes every change of the source into the index, one batch after the other.
//!
//! A single change is taken in at once. While a batch is written the next one gathers, so that under load batches grow
//! and the index is not worked on without a pause. How far the feed came is kept with the index itself and read again
//! before each batch: another process may have gone on, the alias may lead elsewhere, and an index that is behind, new
//! or restored is brought up to date from where it is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cantata_engine::EngineError;
use cantata_store::Store;
use tokio::sync::watch;

use crate::error::Failure;
use crate::gathering::{Gathering, TakenIn};
use crate::jobs::{JobError, Jobs};
use crate::reindex::reindex;
use crate::source::{Changes, SourceError};
use crate::status::IndexingActivity;
use crate::worker::{At, Worker};

/// How many changes a batch has at most.
const BATCH: usize = 10_000;

/// How often is looked for new types, and for another index behind the alias.
const LOOK: Duration = Duration::from_millis(500);

/// The pauses after failures.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How long a lease lasts, and how often it is renewed or asked for.
const LEASE: Duration = Duration::from_secs(15);
const RENEWAL: Duration = Duration::from_secs(5);

/// Sees to it that of several processes one feeds an index.
pub(crate) struct Lease {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) name: String,
    pub(crate) holder: String,
}

/// The feed of one catalogue.
pub(crate) struct Feed {
    pub(crate) worker: Arc<Worker>,
    pub(crate) jobs: Jobs,
    /// Only for an index that several processes can write to.
    pub(crate) lease: Option<Lease>,
    pub(crate) stop: watch::Receiver<bool>,
}

impl Feed {
    /// Feeds the index until it is told to stop.
    pub(crate) async fn run(self) {
        let mut stop = self.stop.clone();
        tokio::select! {
            // A write that is under way is finished by the engine or done again: its position goes with it.
            _ = stop.wait_for(|stop| *stop) => {}
            () = self.try_for_ever() => {}
        }
        if let Some(Lease { store, name, holder }) = &self.lease {
            // If this fails, the lease runs out by itself.
            let _ = store.release(name, holder).await;
        }
    }

    async fn try_for_ever(&self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let begun = Instant::now();
            let failure = match self.with_lease().await {
                Ok(()) => continue,
                Err(Failure::Source(SourceError::Lost(position))) => match self.begin_anew(&position).await {
                    Ok(()) => continue,
                    Err(failure) => failure,
                },
                Err(failure) => failure,
            };
            if begun.elapsed() > LONGEST_PAUSE {
                pause = FIRST_PAUSE;
            }
            if self.worker.show_failure(&failure) {
                tracing::warn!(catalogue = self.worker.id, error = %failure, "an index cannot be fed; it is tried again");
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Feeds for as long as no other process should.
    async fn with_lease(&self) -> Result<(), Failure> {
        let Some(lease) = &self.lease else { return self.session().await };
        let failed = |error: cantata_store::StoreError| Failure::Here(error.to_string());
        if !lease.store.lease(&lease.name, &lease.holder, LEASE).await.map_err(failed)? {
            self.worker.shown().activity = IndexingActivity::StandingBy;
            tokio::time::sleep(RENEWAL).await;
            return Ok(());
        }
        let keep = async {
            loop {
                tokio::time::sleep(RENEWAL).await;
                match lease.store.lease(&lease.name, &lease.holder, LEASE).await {
                    Ok(true) => {}
                    Ok(false) => return Ok(()),
                    Err(error) => return Err(failed(error)),
                }
            }
        };
        tokio::select! {
            ended = self.session() => ended,
            ended = keep => ended,
        }
    }

    /// Feeds until something fails.
    async fn session(&self) -> Result<(), Failure> {
        let worker = &*self.worker;
        let mut at = self.open().await?;
        // How many changes are taken one by one, because one of them was refused.
        let mut careful = 0;
        let mut gathering = Gathering::new(worker.source.groups(), Instant::now());
        loop {
            let limit = if careful > 0 { 1 } else { BATCH };
            let Some(changes) = self.next_changes(&mut at, limit).await? else {
                at = self.open().await?;
                continue;
            };
            let (begun, groups) = (Instant::now(), worker.source.groups());
            let count = changes.analyses.len();
            let turn = worker.turn.lock().await;
            if !self.is_still(&at).await? {
                drop(turn);
                at = self.open().await?;
                continue;
            }
            match worker.apply(&mut at, changes, true).await {
                Ok(applied) => worker.note(applied),
                Err(Failure::Engine(EngineError::Refused(_))) if careful == 0 => {
                    careful = count;
                    at.doubt();
                    continue;
                }
                Err(failure) => return Err(failure),
            }
            self.show(&at);
            drop(turn);
            careful = careful.saturating_sub(1);
            let taken = TakenIn { changes: count, groups, begun, ended: Instant::now() };
            let pause = gathering.pause_after(&taken);
            if count < BATCH && careful == 0 {
                tokio::time::sleep(pause).await;
            }
        }
    }

    /// Finds the index, which is made if there is none, and brings its mapping up to date.
    async fn open(&self) -> Result<At, Failure> {
        let worker = &*self.worker;
        let _turn = worker.turn.lock().await;
        self.remove_half_made().await?;
        let at = match worker.place.current().await? {
            Some(index) => {
                let known = worker.fit_mapping(&index).await?;
                let position = worker.place.engine.position(&index).await?;
                At::new(index, position, known)
            }
            None => {
                let (mapping, known) = worker.derived().await?;
                let index = worker.place.begin(&mapping).await?;
                tracing::info!(catalogue = worker.id, index, "an index was made");
                worker.shown().needs_reindex.clear();
                At::new(index, None, known)
            }
        };
        self.show(&at);
        Ok(at)
    }

    /// Removes the indexes of jobs that were interrupted.
    async fn remove_half_made(&self) -> Result<(), Failure> {
        let place = &self.worker.place;
        for index in self.jobs.interrupted_indexes(&self.worker.id) {
            place.remove_half_made(&index).await?;
        }
        Ok(())
    }

    /// Waits for changes, and meanwhile follows the types; returns nothing if the alias leads elsewhere.
    async fn next_changes(&self, at: &mut At, limit: usize) -> Result<Option<Changes>, Failure> {
        let worker = &*self.worker;
        let position = at.position.clone();
        let changes = worker.source.changes(position.as_deref(), limit);
        tokio::pin!(changes);
        loop {
            tokio::select! {
                changes = &mut changes => return Ok(Some(changes?)),
                () = tokio::time::sleep(LOOK) => {
                    if worker.source.types_mark().await? != at.known.mark {
                        at.known = worker.fit_mapping(&at.index).await?;
                    }
                    if worker.place.current().await?.as_ref() != Some(&at.index) {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Says whether the index is still the one that is searched, and nobody else has written to it.
    async fn is_still(&self, at: &At) -> Result<bool, Failure> {
        let place = &self.worker.place;
        Ok(place.current().await?.as_ref() == Some(&at.index) && place.engine.position(&at.index).await? == at.noted)
    }

    fn show(&self, at: &At) {
        let mut shown = self.worker.shown();
        shown.activity = IndexingActivity::Following;
        shown.index = Some(at.index.clone());
        shown.position.clone_from(&at.position);
    }

    /// Makes the index anew, because its position is none of this source.
    async fn begin_anew(&self, position: &str) -> Result<(), Failure> {
        let latest = "the source has no such position: it is another one, or was restored from an older backup";
        tracing::warn!(catalogue = self.worker.id, position, "the index is made anew: {latest}");
        let reason = format!("the index is at position {position}; {latest}");
        match self.jobs.begin(&self.worker.id, Some(reason)) {
            Ok(job) => reindex(&self.worker, job, self.stop.clone()).await,
            Err(JobError::Busy(_)) => {
                tokio::time::sleep(LOOK).await;
                Ok(())
            }
            Err(error) => Err(Failure::Here(error.to_string())),
        }
    }
}
