//! Publishing, unpublishing and suppressing.

use cantata_core::{AnalysisState, ErrorOrigin, EventAction, RawAnalysis, Result, Timestamp};
use cantata_store::{AnalysisChange, Revision};

use crate::MetadataService;
use crate::optimistic_update::{MAX_UPDATE_ATTEMPTS, contention_error, read_document};

impl MetadataService {
    /// Publishes an analysis, once its files are in storage where there is a storage server.
    pub async fn publish(&self, study_id: &str, analysis_id: &str, ignore_undefined_md5: bool) -> Result<()> {
        self.change_state(study_id, analysis_id, AnalysisState::Published, ignore_undefined_md5).await
    }

    /// Takes an analysis back to unpublished.
    pub async fn unpublish(&self, study_id: &str, analysis_id: &str) -> Result<()> {
        self.change_state(study_id, analysis_id, AnalysisState::Unpublished, false).await
    }

    /// Suppresses an analysis permanently.
    pub async fn suppress(&self, study_id: &str, analysis_id: &str) -> Result<()> {
        self.change_state(study_id, analysis_id, AnalysisState::Suppressed, false).await
    }

    async fn change_state(
        &self,
        study_id: &str,
        analysis_id: &str,
        next: AnalysisState,
        ignore_undefined_md5: bool,
    ) -> Result<()> {
        for _ in 0..MAX_UPDATE_ATTEMPTS {
            let stored = self.stored_analysis(study_id, analysis_id).await?;
            let mut analysis: RawAnalysis<'_> = read_document(&stored.document, analysis_id)?;
            analysis.change_state(next, Timestamp::now())?;
            if next == AnalysisState::Published {
                self.require_latest(&analysis.analysis_type, ErrorOrigin::AnalysisService).await?;
                if let Some(storage) = &self.storage {
                    let complete = read_document(&stored.document, analysis_id)?;
                    storage.check_publishable(&complete, ignore_undefined_md5).await?;
                }
            }
            if self.store_state(stored.revision, &analysis).await? {
                return Ok(());
            }
        }
        Err(contention_error(analysis_id))
    }

    /// Stores an analysis that is in another state now; returns false if it has changed since it was read.
    async fn store_state(&self, from: Revision, analysis: &RawAnalysis<'_>) -> Result<bool> {
        let action = EventAction::for_state(analysis.state);
        self.store_change(AnalysisChange::without_files(from, analysis, action)?).await
    }
}
