//! Snapshots of a SONG server, page by page.

use std::sync::Arc;
use std::vec;

use async_trait::async_trait;
use cantata_core::AnalysisState;
use cantata_indexing::{SourceError, SourceSnapshot};

use crate::client::{AnalysisHeader, PAGE_SIZE, SongClient};
use crate::polling_source::SharedTracker;

/// AnalysisPages of one study after the other.
pub(crate) struct AnalysisPages {
    client: Arc<SongClient>,
    states: Vec<AnalysisState>,
    studies: vec::IntoIter<String>,
    /// The current study, and how many of its analyses are read.
    current: Option<(String, usize)>,
}

impl AnalysisPages {
    /// Begins with the first of some studies, or of all.
    pub(crate) async fn open(
        client: &Arc<SongClient>,
        wanted: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<Self, SourceError> {
        let mut studies = client.studies().await?;
        studies.retain(|study| wanted.is_none_or(|wanted| wanted.contains(study)));
        Ok(Self { client: Arc::clone(client), states: states.to_vec(), studies: studies.into_iter(), current: None })
    }

    /// Returns the number of analyses in the studies that are not begun.
    pub(crate) async fn count(&self) -> Result<u64, SourceError> {
        let mut total = 0;
        for study in self.studies.as_slice() {
            total += self.client.page(study, &self.states, 0, 1).await?.total_analyses;
        }
        Ok(total)
    }

    /// Returns the next page with its study; nothing after the last one.
    pub(crate) async fn next(&mut self) -> Result<Option<(String, Vec<String>)>, SourceError> {
        loop {
            let (study, offset) = match self.current.take() {
                Some(current) => current,
                None => match self.studies.next() {
                    Some(study) => (study, 0),
                    None => return Ok(None),
                },
            };
            let page = self.client.page(&study, &self.states, offset, PAGE_SIZE).await?;
            if page.analyses.is_empty() {
                continue;
            }
            let read = offset + page.analyses.len();
            if (read as u64) < page.total_analyses {
                self.current = Some((study.clone(), read));
            }
            let documents = page.analyses.into_iter().map(|document| Box::<str>::from(document).into()).collect();
            return Ok(Some((study, documents)));
        }
    }
}

/// A snapshot of a server.
pub(crate) struct SongSnapshot {
    pages: AnalysisPages,
    position: String,
    total: u64,
    /// The tracker to seed, if nothing was polled before.
    tracker: Option<Arc<SharedTracker>>,
}

impl SongSnapshot {
    pub(crate) async fn open(
        pages: AnalysisPages,
        position: String,
        tracker: Option<Arc<SharedTracker>>,
    ) -> Result<Box<dyn SourceSnapshot>, SourceError> {
        let total = pages.count().await?;
        Ok(Box::new(Self { pages, position, total, tracker }))
    }
}

#[async_trait]
impl SourceSnapshot for SongSnapshot {
    fn position(&self) -> &str {
        &self.position
    }

    fn total(&self) -> u64 {
        self.total
    }

    async fn next(&mut self) -> Result<Option<Vec<String>>, SourceError> {
        let page = self.pages.next().await?;
        if let Some(tracker) = &self.tracker {
            let mut tracker = tracker.lock();
            match &page {
                Some((study, documents)) => {
                    for document in documents {
                        if let Some(head) = AnalysisHeader::parse(document) {
                            tracker.seed(&head.analysis_id, study, document);
                        }
                    }
                }
                None => tracker.is_complete = true,
            }
        }
        Ok(page.map(|(_, documents)| documents))
    }
}
