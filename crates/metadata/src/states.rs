//! Publishing, unpublishing and suppressing.

use cantata_core::{AnalysisState, ErrorOrigin, EventAction, RawAnalysis, Result, Timestamp};
use cantata_store::{AnalysisChange, Revision};

use crate::MetadataService;
use crate::change::{ATTEMPTS, read_document, too_contended};

impl MetadataService {
    /// Publishes an analysis, once its files are in storage where there is a storage server.
    pub async fn publish(&self, study_id: &str, analysis_id: &str, ignore_undefined_md5: bool) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let stored = self.stored_analysis(study_id, analysis_id).await?;
            let mut analysis: RawAnalysis<'_> = read_document(&stored.document, analysis_id)?;
            analysis.change_state(AnalysisState::Published, Timestamp::now())?;
            self.require_latest(&analysis.analysis_type, ErrorOrigin::AnalysisService).await?;
            if let Some(storage) = &self.storage {
                let complete = read_document(&stored.document, analysis_id)?;
                storage.check_publishable(&complete, ignore_undefined_md5).await?;
            }
            if self.store_state(stored.revision, &analysis).await? {
                return Ok(());
            }
        }
        Err(too_contended(analysis_id))
    }

    /// Takes an analysis back to unpublished.
    pub async fn unpublish(&self, study_id: &str, analysis_id: &str) -> Result<()> {
        self.change_state(study_id, analysis_id, AnalysisState::Unpublished).await
    }

    /// Suppresses an analysis for good.
    pub async fn suppress(&self, study_id: &str, analysis_id: &str) -> Result<()> {
        self.change_state(study_id, analysis_id, AnalysisState::Suppressed).await
    }

    async fn change_state(&self, study_id: &str, analysis_id: &str, next: AnalysisState) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let stored = self.stored_analysis(study_id, analysis_id).await?;
            let mut analysis: RawAnalysis<'_> = read_document(&stored.document, analysis_id)?;
            analysis.change_state(next, Timestamp::now())?;
            if self.store_state(stored.revision, &analysis).await? {
                return Ok(());
            }
        }
        Err(too_contended(analysis_id))
    }

    /// Stores an analysis that is in another state now; returns false if it has changed since it was read.
    async fn store_state(&self, from: Revision, analysis: &RawAnalysis<'_>) -> Result<bool> {
        let action = EventAction::for_state(analysis.state);
        self.store_change(AnalysisChange::without_files(from, analysis, action)?).await
    }
}
