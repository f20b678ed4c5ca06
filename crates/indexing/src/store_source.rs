//! The analyses of this server. Positions are event numbers.

use std::sync::Arc;
use std::vec;

use async_trait::async_trait;
use cantata_core::{AnalysisState, AnalysisType, Event, EventAction};
use cantata_store::{AnalysisQuery, Revision, StateSet, Store, TypeQuery};

use crate::source::{AnalysisSource, ChangeBatch, ChangedAnalysis, SnapshotPages, SourceError, SourceSnapshot};

/// How many events are read at once; the bytes of their documents are checked after each read.
const EVENT_PAGE_SIZE: usize = 500;

/// A batch of changes is complete when its documents have this many bytes.
const MAX_BATCH_BYTES: usize = 16 << 20;

/// How many documents of a snapshot are read at once.
const DOCUMENT_PAGE_SIZE: usize = 200;

/// The store of this server as a source.
pub struct StoreSource {
    store: Arc<dyn Store>,
}

impl StoreSource {
    /// Reads from a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    fn latest(&self) -> u64 {
        *self.store.latest_event().borrow()
    }
}

/// Reads a position; the beginning is before the first event.
fn event_number(position: Option<&str>) -> Result<u64, SourceError> {
    let Some(position) = position else { return Ok(0) };
    position.parse().map_err(|_| SourceError::UnknownPosition(position.to_owned()))
}

#[async_trait]
impl AnalysisSource for StoreSource {
    async fn types(&self) -> Result<Vec<AnalysisType>, SourceError> {
        Ok(self.store.list_types(&TypeQuery::all()).await?.1)
    }

    async fn types_version(&self) -> Result<u64, SourceError> {
        // Versions are never changed or removed, so their number changes with them.
        Ok(self.store.list_types(&TypeQuery { limit: 0, ..TypeQuery::all() }).await?.0)
    }

    async fn changes(&self, after: Option<&str>, limit: usize) -> Result<ChangeBatch, SourceError> {
        let begin = event_number(after)?;
        let mut latest = self.store.latest_event();
        // Another process may have stored events that this one has not seen yet.
        if self.latest() < begin && self.store.events_after(begin - 1, 1).await?.is_empty() {
            return Err(SourceError::UnknownPosition(begin.to_string()));
        }
        let ended = |_| SourceError::Failed("the store is closed".to_owned());
        latest.wait_for(|latest| *latest > begin).await.map_err(ended)?;
        let (mut position, mut bytes, mut analyses) = (begin, 0, Vec::new());
        while analyses.len() < limit && bytes < MAX_BATCH_BYTES {
            let wanted = EVENT_PAGE_SIZE.min(limit - analyses.len());
            let events = self.store.events_after(position, wanted).await?;
            let is_last = events.len() < wanted;
            for event in events {
                position = event.seq;
                bytes += event.document.len();
                analyses.push(changed(event));
            }
            if is_last {
                break;
            }
        }
        Ok(ChangeBatch { analyses, position: position.to_string() })
    }

    fn lag(&self, position: Option<&str>) -> Option<u64> {
        Some(self.latest().saturating_sub(event_number(position).ok()?))
    }

    fn commits(&self) -> Option<u64> {
        Some(self.store.commit_count())
    }

    async fn snapshot(
        &self,
        studies: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<SourceSnapshot, SourceError> {
        let position = self.latest().to_string();
        let states: StateSet = states.iter().copied().collect();
        let studies = match studies {
            Some(studies) => studies.to_vec(),
            None => self.store.study_ids().await?,
        };
        let mut total = 0;
        for study in &studies {
            total += self.store.count_analyses(study, states).await?;
        }
        let (store, studies, revisions) = (Arc::clone(&self.store), studies.into_iter(), Vec::new().into_iter());
        Ok(SourceSnapshot { position, total, pages: Box::new(StorePages { store, states, studies, revisions }) })
    }
}

fn changed(event: Event) -> ChangedAnalysis {
    ChangedAnalysis {
        analysis_id: event.analysis_id.to_string(),
        study_id: event.study_id,
        state: event.state,
        document: Some(event.document),
        is_new: event.action == EventAction::Create,
    }
}

struct StorePages {
    store: Arc<dyn Store>,
    states: StateSet,
    /// The studies that are still to come.
    studies: vec::IntoIter<String>,
    /// The rest of the present study.
    revisions: vec::IntoIter<Revision>,
}

#[async_trait]
impl SnapshotPages for StorePages {
    async fn next(&mut self) -> Result<Option<Vec<String>>, SourceError> {
        while self.revisions.len() == 0 {
            let Some(study_id) = self.studies.next() else { return Ok(None) };
            let query = AnalysisQuery::all(study_id, self.states);
            self.revisions = self.store.list_analyses(&query).await?.into_iter();
        }
        let revisions: Vec<Revision> = self.revisions.by_ref().take(DOCUMENT_PAGE_SIZE).collect();
        Ok(Some(self.store.documents(&revisions).await?))
    }
}
