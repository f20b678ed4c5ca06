//! A SONG server without a topic: everything is polled and compared with the poll before.
//!
//! A position is the number of a detected change, and the epoch of the process that detected it. All that wait for changes
//! share one poll.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use cantata_catalogue::{SongOrigin, SourceConfig};
use cantata_core::{AnalysisState, AnalysisType};
use cantata_indexing::{AnalysisSource, ChangeBatch, ChangedAnalysis, SourceError, SourceSnapshot};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;
use uuid::Uuid;

use crate::SongSourceError;
use crate::change_tracker::{ChangeTracker, DetectedChange};
use crate::client::{AnalysisHeader, SongClient};
use crate::snapshot::{AnalysisPages, open_snapshot};
use crate::type_count::TypeCount;

/// How many analyses are read concurrently, and how many changes a batch has at most.
const CONCURRENT_READS: usize = 8;
const MAX_BATCH_CHANGES: usize = 500;

/// A SONG server that is polled.
pub(crate) struct PollingSource {
    client: Arc<SongClient>,
    studies: Option<Vec<String>>,
    states: Vec<AnalysisState>,
    poll_interval: Duration,
    tracker: Arc<SharedTracker>,
    /// When the next poll begins; held during the poll.
    next_poll: tokio::sync::Mutex<Instant>,
    types: TypeCount,
}

/// The change tracker, and the epoch of its positions.
pub(crate) struct SharedTracker {
    tracker: Mutex<ChangeTracker>,
    epoch: String,
}

impl SharedTracker {
    pub(crate) fn lock(&self) -> MutexGuard<'_, ChangeTracker> {
        self.tracker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn position(&self, change: u64) -> String {
        format!("{}:{change}", self.epoch)
    }

    /// Parses a position; none is before every change.
    fn change(&self, position: Option<&str>) -> Result<Option<u64>, SourceError> {
        let Some(position) = position else { return Ok(None) };
        let read = || position.strip_prefix(&self.epoch)?.strip_prefix(':')?.parse().ok();
        let change: Option<u64> = read().filter(|change| *change <= self.lock().last());
        change.map(Some).ok_or_else(|| SourceError::UnknownPosition(position.to_owned()))
    }
}

impl PollingSource {
    /// Prepares to follow a server for a catalogue; nothing is sent yet.
    pub(crate) fn new(origin: &SongOrigin, config: &SourceConfig) -> Result<Self, SongSourceError> {
        Ok(Self {
            client: Arc::new(SongClient::new(origin)?),
            studies: config.studies.clone(),
            states: config.states.clone(),
            poll_interval: origin.poll,
            tracker: Arc::new(SharedTracker { tracker: Mutex::default(), epoch: Uuid::new_v4().simple().to_string() }),
            next_poll: tokio::sync::Mutex::new(Instant::now()),
            types: TypeCount::new(origin.poll),
        })
    }

    /// Polls all analyses and records the changes.
    async fn poll(&self) -> Result<(), SourceError> {
        let mut pages = AnalysisPages::open(&self.client, self.studies.as_deref(), &self.states).await?;
        let mut present = HashSet::new();
        while let Some((study, documents)) = pages.next().await? {
            let mut tracker = self.tracker.lock();
            for document in &documents {
                match AnalysisHeader::parse(document) {
                    Some(head) => {
                        tracker.record(&head.analysis_id, &study, document);
                        present.insert(head.analysis_id);
                    }
                    None => tracing::warn!(study, "SONG lists something that is no analysis; it is left out"),
                }
            }
        }
        // An analysis can slip from one page to another while they are read, so each that is missing is requested.
        let missing = self.tracker.lock().missing_from(&present);
        for (analysis_id, study) in missing {
            let document = self.client.analysis(&study, &analysis_id).await?;
            match document.as_deref().map(|text| (text, AnalysisHeader::parse(text))) {
                Some((text, Some(head))) if self.states.contains(&head.analysis_state) => {
                    self.tracker.lock().record(&analysis_id, &study, text);
                }
                _ => self.tracker.lock().record_gone(&analysis_id),
            }
        }
        self.tracker.lock().is_complete = true;
        Ok(())
    }

    /// Reads an analysis that has changed.
    async fn read(&self, change: DetectedChange) -> Result<ChangedAnalysis, SourceError> {
        let DetectedChange { analysis_id, study, is_gone, .. } = change;
        let document = if is_gone { None } else { self.client.analysis(&study, &analysis_id).await? };
        let head = document.as_deref().and_then(AnalysisHeader::parse);
        Ok(ChangedAnalysis {
            analysis_id,
            study_id: study,
            state: head.as_ref().map_or(AnalysisState::Unpublished, |head| head.analysis_state),
            document: document.filter(|_| head.is_some()),
            is_new: false,
        })
    }
}

#[async_trait]
impl AnalysisSource for PollingSource {
    async fn types(&self) -> Result<Vec<AnalysisType>, SourceError> {
        self.client.types().await
    }

    async fn types_version(&self) -> Result<u64, SourceError> {
        self.types.get(&self.client).await
    }

    async fn changes(&self, after: Option<&str>, limit: usize) -> Result<ChangeBatch, SourceError> {
        let after = self.tracker.change(after)?;
        let found = loop {
            let found = self.tracker.lock().after(after, limit.min(MAX_BATCH_CHANGES));
            if !found.is_empty() {
                break found;
            }
            let mut next_poll = self.next_poll.lock().await;
            tokio::time::sleep_until(*next_poll).await;
            // Another caller may have polled meanwhile.
            if self.tracker.lock().count_after(after) == 0 {
                let polled = self.poll().await;
                *next_poll = Instant::now() + self.poll_interval;
                polled?;
            }
        };
        let position = found.last().map_or(0, |last| last.change);
        let reading = stream::iter(found).map(|found| self.read(found)).buffered(CONCURRENT_READS);
        Ok(ChangeBatch { analyses: reading.try_collect().await?, position: self.tracker.position(position) })
    }

    fn lag(&self, position: Option<&str>) -> Option<u64> {
        let change = self.tracker.change(position).ok()?;
        Some(self.tracker.lock().count_after(change) as u64)
    }

    async fn snapshot(
        &self,
        studies: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<SourceSnapshot, SourceError> {
        let (is_first, position) = {
            let tracker = self.tracker.lock();
            (!tracker.is_complete && tracker.last() == 0, self.tracker.position(tracker.last()))
        };
        let seeded = is_first.then(|| Arc::clone(&self.tracker));
        open_snapshot(AnalysisPages::open(&self.client, studies, states).await?, position, seeded).await
    }
}
