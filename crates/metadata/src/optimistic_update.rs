//! Optimistic updates of an analysis: read it, compute the new revision, store it unless there is a newer one, else retry.

use cantata_core::{Analysis, AnalysisId, Error, ErrorId, ErrorOrigin, EventAction, Result};
use cantata_store::{AnalysisChange, ReplaceOutcome, Revision, StoreError};
use serde::Deserialize;

use crate::MetadataService;

/// How often an update is retried before the client is asked to. Each conflict means that another update of the same
/// analysis succeeded.
pub(crate) const MAX_UPDATE_ATTEMPTS: usize = 64;

/// An analysis and the revision it was read at.
pub(crate) struct AnalysisDraft {
    revision: Revision,
    before: Analysis,
}

impl AnalysisDraft {
    /// Returns the analysis as it was read.
    pub(crate) fn analysis(&self) -> &Analysis {
        &self.before
    }
}

impl MetadataService {
    /// Reads an analysis of a study for changing it.
    pub(crate) async fn draft(&self, study_id: &str, analysis_id: &str) -> Result<AnalysisDraft> {
        let stored = self.stored_analysis(study_id, analysis_id).await?;
        Ok(AnalysisDraft { revision: stored.revision, before: read_document(&stored.document, analysis_id)? })
    }

    /// Stores the changed analysis; returns false if it has changed since it was read.
    pub(crate) async fn store_draft(
        &self,
        draft: &AnalysisDraft,
        after: &Analysis,
        action: EventAction,
    ) -> Result<bool> {
        self.store_change(AnalysisChange::between(draft.revision, &draft.before, after, action)?).await
    }

    /// Stores a change; returns false if the analysis has changed since it was read.
    pub(crate) async fn store_change(&self, change: AnalysisChange) -> Result<bool> {
        match self.store.replace_analysis(change).await? {
            ReplaceOutcome::Stored(_) => Ok(true),
            ReplaceOutcome::Conflict => Ok(false),
        }
    }

    /// Updates an analysis. `update` changes it and returns the action of its event, or none if nothing changed.
    pub(crate) async fn change<T>(
        &self,
        study_id: &str,
        analysis_id: &str,
        update: impl Fn(&mut Analysis) -> Result<(Option<EventAction>, T)>,
    ) -> Result<T> {
        for _ in 0..MAX_UPDATE_ATTEMPTS {
            let draft = self.draft(study_id, analysis_id).await?;
            let mut after = draft.before.clone();
            let (action, result) = update(&mut after)?;
            let Some(action) = action else { return Ok(result) };
            if self.store_draft(&draft, &after, action).await? {
                return Ok(result);
            }
        }
        Err(contention_error(analysis_id))
    }
}

/// Deserializes the document of an analysis, in as much detail as `T` has.
pub(crate) fn read_document<'a, T: Deserialize<'a>>(document: &'a str, analysis_id: &str) -> Result<T, StoreError> {
    serde_json::from_str(document).map_err(|error| StoreError::corrupt(format!("analysis {analysis_id}"), error))
}

pub(crate) fn contention_error(analysis_id: &str) -> Error {
    let text = format!("The analysisId '{analysis_id}' is being changed by too many requests at once; try again");
    Error::new(ErrorOrigin::AnalysisService, ErrorId::ServiceUnavailable, text)
}

pub(crate) fn unknown_analysis(analysis_id: &str) -> Error {
    let text = format!("The analysisId '{analysis_id}' was not found");
    Error::new(ErrorOrigin::AnalysisService, ErrorId::AnalysisIdNotFound, text)
}

/// Reads an id as the path gave it.
pub(crate) fn parse_analysis_id(analysis_id: &str) -> Result<AnalysisId> {
    AnalysisId::parse(analysis_id).ok_or_else(|| unknown_analysis(analysis_id))
}
