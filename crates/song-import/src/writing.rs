//! Writing analyses into the store, unless they are there as they are.
//!
//! What is to be done is found out first, so that the writes themselves reach the store in the order of the analyses.

use cantata_core::{Analysis, EventAction};
use cantata_store::{
    AnalysisChange, DuplicateRule, Insertion, NewAnalysis, Replacement, Store, StoreError, StoredAnalysis,
};

/// What became of an analysis.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was not there.
    New,
    /// It was there with another content.
    Updated,
    /// It was there.
    Unchanged,
    /// It cannot be taken, and why.
    Refused(String),
}

/// What is to be done with an analysis.
pub(crate) enum Task {
    Insert(NewAnalysis),
    Replace(AnalysisChange),
    Nothing(Outcome),
}

/// Finds out what is to be done with an analysis.
pub(crate) async fn task(store: &dyn Store, analysis: &Analysis) -> Result<Task, StoreError> {
    match store.analysis(analysis.analysis_id).await? {
        None => insertion(store, analysis).await,
        Some(stored) => update(analysis, &stored),
    }
}

/// Does it.
pub(crate) async fn carry_out(store: &dyn Store, task: Task) -> Result<Outcome, StoreError> {
    let refused = |reason: &str| Outcome::Refused(reason.to_owned());
    Ok(match task {
        Task::Nothing(outcome) => outcome,
        Task::Insert(new) => match store.insert_analysis(new, DuplicateRule::Allow).await? {
            Insertion::Stored(_) => Outcome::New,
            Insertion::UnknownStudy => refused("its study is not taken"),
            Insertion::Duplicate { .. } => refused("it is taken for a duplicate"),
        },
        Task::Replace(change) => match store.replace_analysis(change).await? {
            Replacement::Stored(_) => Outcome::Updated,
            Replacement::Conflict => refused("it was changed here at the same moment; import again"),
        },
    })
}

async fn insertion(store: &dyn Store, analysis: &Analysis) -> Result<Task, StoreError> {
    for file in &analysis.files {
        if let Some(other) = store.file(file.object_id).await? {
            return Ok(Task::Nothing(Outcome::Refused(format!(
                "its file '{}' is here as part of analysis '{}'",
                file.object_id, other.analysis_id
            ))));
        }
    }
    NewAnalysis::of(analysis).map(Task::Insert)
}

fn update(analysis: &Analysis, stored: &StoredAnalysis) -> Result<Task, StoreError> {
    let here: Analysis = serde_json::from_str(&stored.document)
        .map_err(|error| StoreError::corrupt(format!("analysis {}", analysis.analysis_id), error))?;
    if here == *analysis {
        return Ok(Task::Nothing(Outcome::Unchanged));
    }
    if here.study_id != analysis.study_id {
        return Ok(Task::Nothing(Outcome::Refused(format!("it is here in study '{}'", here.study_id))));
    }
    // Changes of state and data leave a later moment or a longer history behind.
    if here.updated_at > analysis.updated_at || here.history.len() > analysis.history.len() {
        let reason = "it was changed here after it was taken, and stays as it is";
        return Ok(Task::Nothing(Outcome::Refused(reason.to_owned())));
    }
    let action =
        if here.state == analysis.state { EventAction::Update } else { EventAction::for_state(analysis.state) };
    AnalysisChange::between(stored.revision, &here, analysis, action).map(Task::Replace)
}
