//! Everything that a SONG server has now, page by page.

use std::sync::Arc;
use std::vec;

use async_trait::async_trait;
use cantata_core::AnalysisState;
use cantata_indexing::{SourceError, SourceSnapshot};

use crate::client::{Head, PAGE, SongClient};
use crate::polled::Memory;

/// Pages of one study after the other.
pub(crate) struct Pages {
    client: Arc<SongClient>,
    states: Vec<AnalysisState>,
    studies: vec::IntoIter<String>,
    /// The present study, and how many of its analyses are read.
    present: Option<(String, usize)>,
}

impl Pages {
    /// Begins with the first of some studies, or of all.
    pub(crate) async fn of(
        client: &Arc<SongClient>,
        wanted: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<Self, SourceError> {
        let mut studies = client.studies().await?;
        studies.retain(|study| wanted.is_none_or(|wanted| wanted.contains(study)));
        Ok(Self { client: Arc::clone(client), states: states.to_vec(), studies: studies.into_iter(), present: None })
    }

    /// Returns how many analyses there are in the studies that are still to come.
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
            let (study, offset) = match self.present.take() {
                Some(present) => present,
                None => match self.studies.next() {
                    Some(study) => (study, 0),
                    None => return Ok(None),
                },
            };
            let page = self.client.page(&study, &self.states, offset, PAGE).await?;
            if page.analyses.is_empty() {
                continue;
            }
            let read = offset + page.analyses.len();
            if (read as u64) < page.total_analyses {
                self.present = Some((study.clone(), read));
            }
            let documents = page.analyses.into_iter().map(|document| Box::<str>::from(document).into()).collect();
            return Ok(Some((study, documents)));
        }
    }
}

/// A snapshot of a server.
pub(crate) struct Snapshot {
    pages: Pages,
    position: String,
    total: u64,
    /// Where what is seen is noted, if nothing was seen before.
    memory: Option<Arc<Memory>>,
}

impl Snapshot {
    pub(crate) async fn begin(
        pages: Pages,
        position: String,
        memory: Option<Arc<Memory>>,
    ) -> Result<Box<dyn SourceSnapshot>, SourceError> {
        let total = pages.count().await?;
        Ok(Box::new(Self { pages, position, total, memory }))
    }
}

#[async_trait]
impl SourceSnapshot for Snapshot {
    fn position(&self) -> &str {
        &self.position
    }

    fn total(&self) -> u64 {
        self.total
    }

    async fn next(&mut self) -> Result<Option<Vec<String>>, SourceError> {
        let page = self.pages.next().await?;
        if let Some(memory) = &self.memory {
            let mut seen = memory.seen();
            match &page {
                Some((study, documents)) => {
                    for document in documents {
                        if let Some(head) = Head::of(document) {
                            seen.begin_with(&head.analysis_id, study, document);
                        }
                    }
                }
                None => seen.is_whole = true,
            }
        }
        Ok(page.map(|(_, documents)| documents))
    }
}
