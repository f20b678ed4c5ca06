//! Changing an analysis: read it, compute the new one, store it if nobody was faster, else begin again.

use cantata_core::{Analysis, AnalysisId, Error, ErrorId, ErrorOrigin, EventAction, Result};
use cantata_store::{AnalysisChange, Replacement, Revision, StoreError};
use serde::Deserialize;

use crate::MetadataService;

/// How often a change is computed anew before the client is asked to try again. Each failure means that another
/// change of the same analysis went through.
pub(crate) const ATTEMPTS: usize = 64;

/// An analysis and the revision it was read at.
pub(crate) struct Draft {
    revision: Revision,
    before: Analysis,
}

impl Draft {
    /// Returns the analysis as it was read.
    pub(crate) fn analysis(&self) -> &Analysis {
        &self.before
    }
}

impl MetadataService {
    /// Reads an analysis of a study for changing it.
    pub(crate) async fn draft(&self, study_id: &str, analysis_id: &str) -> Result<Draft> {
        let stored = self.stored_analysis(study_id, analysis_id).await?;
        Ok(Draft { revision: stored.revision, before: read_document(&stored.document, analysis_id)? })
    }

    /// Stores the changed analysis; returns false if it has changed since it was read.
    pub(crate) async fn store_draft(&self, draft: &Draft, after: &Analysis, action: EventAction) -> Result<bool> {
        self.store_change(AnalysisChange::between(draft.revision, &draft.before, after, action)?).await
    }

    /// Stores a change; returns false if the analysis has changed since it was read.
    pub(crate) async fn store_change(&self, change: AnalysisChange) -> Result<bool> {
        match self.store.replace_analysis(change).await? {
            Replacement::Stored(_) => Ok(true),
            Replacement::Conflict => Ok(false),
        }
    }

    /// Changes an analysis. The step computes the change and says what to tell of it, or that nothing changes.
    pub(crate) async fn change<T>(
        &self,
        study_id: &str,
        analysis_id: &str,
        step: impl Fn(&mut Analysis) -> Result<(Option<EventAction>, T)>,
    ) -> Result<T> {
        for _ in 0..ATTEMPTS {
            let draft = self.draft(study_id, analysis_id).await?;
            let mut after = draft.before.clone();
            let (action, told) = step(&mut after)?;
            let Some(action) = action else { return Ok(told) };
            if self.store_draft(&draft, &after, action).await? {
                return Ok(told);
            }
        }
        Err(too_contended(analysis_id))
    }
}

/// Reads the document of an analysis, in as much detail as is wanted.
pub(crate) fn read_document<'a, T: Deserialize<'a>>(document: &'a str, analysis_id: &str) -> Result<T, StoreError> {
    serde_json::from_str(document).map_err(|error| StoreError::corrupt(format!("analysis {analysis_id}"), error))
}

pub(crate) fn too_contended(analysis_id: &str) -> Error {
    Error::new(
        ErrorOrigin::AnalysisService,
        ErrorId::ServiceUnavailable,
        format!("The analysisId '{analysis_id}' is being changed by too many requests at once; try again"),
    )
}

pub(crate) fn unknown_analysis(analysis_id: &str) -> Error {
    Error::new(
        ErrorOrigin::AnalysisService,
        ErrorId::AnalysisIdNotFound,
        format!("The analysisId '{analysis_id}' was not found"),
    )
}

/// Reads an id as the path gave it.
pub(crate) fn parse_analysis_id(analysis_id: &str) -> Result<AnalysisId> {
    AnalysisId::parse(analysis_id).ok_or_else(|| unknown_analysis(analysis_id))
}
