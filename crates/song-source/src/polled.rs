//! A SONG server that is asked for everything after a while; what it says is compared with what it said before.
//!
//! A position is the number of a change that was found, and which process found it. Whoever waits for changes asks the
//! server in turn; what one finds is there for all.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use cantata_catalogue::{SongOrigin, SourceConfig};
use cantata_core::{AnalysisState, AnalysisType};
use cantata_indexing::{AnalysisSource, ChangedAnalysis, Changes, SourceError, SourceSnapshot};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::time::Instant;
use uuid::Uuid;

use crate::client::{Head, SongClient};
use crate::seen::{Found, Seen};
use crate::snapshot::{Pages, Snapshot};
use crate::types::TypeCount;

/// How many analyses are read at once, and how many changes are given at once.
const READ_AT_ONCE: usize = 8;
const MOST_CHANGES: usize = 500;

/// A SONG server that is asked again and again.
pub(crate) struct PolledSource {
    client: Arc<SongClient>,
    studies: Option<Vec<String>>,
    states: Vec<AnalysisState>,
    poll: Duration,
    memory: Arc<Memory>,
    /// When the server is asked again; who holds it asks.
    turn: tokio::sync::Mutex<Instant>,
    types: TypeCount,
}

/// What was seen, and the name of the process that saw it.
pub(crate) struct Memory {
    seen: Mutex<Seen>,
    name: String,
}

impl Memory {
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn position(&self, change: u64) -> String {
        format!("{}:{change}", self.name)
    }

    /// Reads a position; the beginning is before every change.
    fn change(&self, position: Option<&str>) -> Result<Option<u64>, SourceError> {
        let Some(position) = position else { return Ok(None) };
        let read = || position.strip_prefix(&self.name)?.strip_prefix(':')?.parse().ok();
        let change: Option<u64> = read().filter(|change| *change <= self.seen().last());
        change.map(Some).ok_or_else(|| SourceError::Lost(position.to_owned()))
    }
}

impl PolledSource {
    /// Prepares to follow a server for a catalogue; nothing is sent yet.
    pub(crate) fn new(origin: &SongOrigin, config: &SourceConfig) -> Result<Self, String> {
        Ok(Self {
            client: Arc::new(SongClient::new(origin)?),
            studies: config.studies.clone(),
            states: config.states.clone(),
            poll: origin.poll,
            memory: Arc::new(Memory { seen: Mutex::default(), name: Uuid::new_v4().simple().to_string() }),
            turn: tokio::sync::Mutex::new(Instant::now()),
            types: TypeCount::new(origin.poll),
        })
    }

    /// Asks for everything and notes what is another than before.
    async fn look(&self) -> Result<(), SourceError> {
        let mut pages = Pages::of(&self.client, self.studies.as_deref(), &self.states).await?;
        let mut present = HashSet::new();
        while let Some((study, documents)) = pages.next().await? {
            let mut seen = self.memory.seen();
            for document in &documents {
                match Head::of(document) {
                    Some(head) => {
                        seen.see(&head.analysis_id, &study, document);
                        present.insert(head.analysis_id);
                    }
                    None => tracing::warn!(study, "SONG lists something that is no analysis; it is left out"),
                }
            }
        }
        // An analysis can slip from one page to another while they are read, so each that was not seen is asked for.
        let missed = self.memory.seen().not_among(&present);
        for (analysis_id, study) in missed {
            match self.client.analysis(&study, &analysis_id).await?.as_deref().map(|text| (text, Head::of(text))) {
                Some((text, Some(head))) if self.states.contains(&head.analysis_state) => {
                    self.memory.seen().see(&analysis_id, &study, text);
                }
                _ => self.memory.seen().miss(&analysis_id),
            }
        }
        self.memory.seen().is_whole = true;
        Ok(())
    }

    /// Reads an analysis that has changed.
    async fn read(&self, found: Found) -> Result<ChangedAnalysis, SourceError> {
        let Found { analysis_id, study, is_gone, .. } = found;
        let document = match is_gone {
            true => None,
            false => self.client.analysis(&study, &analysis_id).await?,
        };
        let head = document.as_deref().and_then(Head::of);
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
impl AnalysisSource for PolledSource {
    async fn types(&self) -> Result<Vec<AnalysisType>, SourceError> {
        self.client.types().await
    }

    async fn types_mark(&self) -> Result<u64, SourceError> {
        self.types.get(&self.client).await
    }

    async fn changes(&self, after: Option<&str>, limit: usize) -> Result<Changes, SourceError> {
        let after = self.memory.change(after)?;
        let found = loop {
            let found = self.memory.seen().after(after, limit.min(MOST_CHANGES));
            if !found.is_empty() {
                break found;
            }
            let mut turn = self.turn.lock().await;
            tokio::time::sleep_until(*turn).await;
            // Somebody else may have asked meanwhile.
            if self.memory.seen().count_after(after) == 0 {
                let looked = self.look().await;
                *turn = Instant::now() + self.poll;
                looked?;
            }
        };
        let position = found.last().map_or(0, |last| last.change);
        let reading = stream::iter(found).map(|found| self.read(found)).buffered(READ_AT_ONCE);
        Ok(Changes { analyses: reading.try_collect().await?, position: self.memory.position(position) })
    }

    fn behind(&self, position: Option<&str>) -> Option<u64> {
        let change = self.memory.change(position).ok()?;
        Some(self.memory.seen().count_after(change) as u64)
    }

    async fn all(
        &self,
        studies: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<Box<dyn SourceSnapshot>, SourceError> {
        let (is_first, position) = {
            let seen = self.memory.seen();
            (!seen.is_whole && seen.last() == 0, self.memory.position(seen.last()))
        };
        let memory = is_first.then(|| Arc::clone(&self.memory));
        Snapshot::begin(Pages::of(&self.client, studies, states).await?, position, memory).await
    }
}
