//! Publishing, unpublishing and suppressing.

use cantata_core::{Action, AnalysisState, Origin, Result, Timestamp};

use crate::MetadataService;
use crate::change::{ATTEMPTS, too_contended};

impl MetadataService {
    /// Publishes an analysis, once its files are in storage where there is a storage server.
    pub async fn publish(&self, study_id: &str, analysis_id: &str, ignore_undefined_md5: bool) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let draft = self.draft(study_id, analysis_id).await?;
            let mut after = draft.analysis().clone();
            after.change_state(AnalysisState::Published, Timestamp::now())?;
            self.require_latest(&after.analysis_type, Origin::AnalysisService).await?;
            if let Some(storage) = &self.storage {
                storage.check_publishable(&after, ignore_undefined_md5).await?;
            }
            if self.store_draft(&draft, &after, Action::Publish).await? {
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
        self.change(study_id, analysis_id, |analysis| {
            analysis.change_state(next, Timestamp::now())?;
            Ok((Some(Action::towards(next)), ()))
        })
        .await
    }
}
