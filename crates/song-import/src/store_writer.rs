//! Writes analyses that are new or differ from what is stored.
//!
//! Writes are planned first, so that they reach the store in the order of the analyses.

use cantata_core::{Analysis, EventAction};
use cantata_store::{
    AnalysisChange, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Store, StoreError, StoredAnalysis,
};

/// The outcome of writing an analysis.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// It was not there.
    New,
    /// It was there with another content.
    Updated,
    /// It was there.
    Unchanged,
    /// It cannot be imported, and why.
    Rejected(String),
}

/// How to write an analysis.
pub(crate) enum WritePlan {
    Insert(NewAnalysis),
    Replace(AnalysisChange),
    Skip(WriteOutcome),
}

/// Plans the write of an analysis.
pub(crate) async fn plan_write(store: &dyn Store, analysis: &Analysis) -> Result<WritePlan, StoreError> {
    match store.analysis(analysis.analysis_id).await? {
        None => insertion(store, analysis).await,
        Some(stored) => update(analysis, &stored),
    }
}

/// Executes a planned write.
pub(crate) async fn execute_write(store: &dyn Store, task: WritePlan) -> Result<WriteOutcome, StoreError> {
    let rejected = |reason: &str| WriteOutcome::Rejected(reason.to_owned());
    Ok(match task {
        WritePlan::Skip(outcome) => outcome,
        WritePlan::Insert(new) => match store.insert_analysis(new, DuplicateRule::Allow).await? {
            InsertOutcome::Stored(_) => WriteOutcome::New,
            InsertOutcome::UnknownStudy => rejected("its study is not imported"),
            InsertOutcome::Duplicate { .. } => rejected("it is taken for a duplicate"),
        },
        WritePlan::Replace(change) => match store.replace_analysis(change).await? {
            ReplaceOutcome::Stored(_) => WriteOutcome::Updated,
            ReplaceOutcome::Conflict => rejected("it was changed here at the same moment; import again"),
        },
    })
}

async fn insertion(store: &dyn Store, analysis: &Analysis) -> Result<WritePlan, StoreError> {
    for file in &analysis.files {
        if let Some(other) = store.file(file.object_id).await? {
            return Ok(WritePlan::Skip(WriteOutcome::Rejected(format!(
                "its file '{}' is here as part of analysis '{}'",
                file.object_id, other.analysis_id
            ))));
        }
    }
    NewAnalysis::of(analysis).map(WritePlan::Insert)
}

fn update(analysis: &Analysis, stored: &StoredAnalysis) -> Result<WritePlan, StoreError> {
    let here: Analysis = serde_json::from_str(&stored.document)
        .map_err(|error| StoreError::corrupt(format!("analysis {}", analysis.analysis_id), error))?;
    if here == *analysis {
        return Ok(WritePlan::Skip(WriteOutcome::Unchanged));
    }
    if here.study_id != analysis.study_id {
        return Ok(WritePlan::Skip(WriteOutcome::Rejected(format!("it is here in study '{}'", here.study_id))));
    }
    // Later changes of state or data have a later time or a longer history.
    if here.updated_at > analysis.updated_at || here.history.len() > analysis.history.len() {
        let reason = "it was changed here after it was imported, and stays as it is";
        return Ok(WritePlan::Skip(WriteOutcome::Rejected(reason.to_owned())));
    }
    let action =
        if here.state == analysis.state { EventAction::Update } else { EventAction::for_state(analysis.state) };
    AnalysisChange::between(stored.revision, &here, analysis, action).map(WritePlan::Replace)
}
