//! Snapshots of a SONG server, page by page.

use std::sync::Arc;
use std::vec;

use async_trait::async_trait;
use cantata_core::AnalysisState;
use cantata_indexing::{SnapshotPages, SourceError, SourceSnapshot};

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

/// Begins a snapshot of a server, and seeds a tracker with it if nothing was polled before.
pub(crate) async fn open_snapshot(
    pages: AnalysisPages,
    position: String,
    tracker: Option<Arc<SharedTracker>>,
) -> Result<SourceSnapshot, SourceError> {
    let total = pages.count().await?;
    Ok(SourceSnapshot { position, total, pages: Box::new(SeedingPages { pages, tracker }) })
}

/// Pages that seed a tracker as they are read.
struct SeedingPages {
    pages: AnalysisPages,
    tracker: Option<Arc<SharedTracker>>,
}

#[async_trait]
impl SnapshotPages for SeedingPages {
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
