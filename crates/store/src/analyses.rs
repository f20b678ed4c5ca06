//! Analyses as they are written to and read from a store.

use cantata_core::{Analysis, AnalysisId, AnalysisState, EventAction, File, ObjectId};
use serde::Serialize;

use crate::codes::state_code;
use crate::{FileRow, Result, StoreError};

/// About how many bytes a document without files has.
const TYPICAL_DOCUMENT_BYTES: usize = 1_024;

/// About how many bytes of a document a file takes.
const TYPICAL_FILE_BYTES: usize = 400;

/// The number of a revision of an analysis, and of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// A new analysis, rendered outside of the store so that its writer only writes.
#[derive(Debug, Clone)]
pub struct NewAnalysis {
    /// Its id.
    pub analysis_id: AnalysisId,
    /// Its study.
    pub study_id: String,
    /// Its state: a submission is unpublished, but an imported analysis has a history.
    pub state: AnalysisState,
    /// The complete document.
    pub document: String,
    /// One row for each file.
    pub files: Vec<FileRow>,
}

impl NewAnalysis {
    /// Renders an analysis for the store.
    pub fn of(analysis: &Analysis) -> Result<Self> {
        Ok(Self {
            analysis_id: analysis.analysis_id,
            study_id: analysis.study_id.clone(),
            state: analysis.state,
            document: render(analysis, TYPICAL_DOCUMENT_BYTES + analysis.files.len() * TYPICAL_FILE_BYTES)?,
            files: file_rows(&analysis.files)?,
        })
    }
}

/// A change of an analysis.
#[derive(Debug, Clone)]
pub struct AnalysisChange {
    /// The analysis.
    pub analysis_id: AnalysisId,
    /// The revision the change was computed from.
    pub base_revision: Revision,
    /// The state after the change.
    pub state: AnalysisState,
    /// What happened.
    pub action: EventAction,
    /// The complete document after the change.
    pub document: String,
    /// The files whose rows change.
    pub changed_files: Vec<FileRow>,
    /// The files that were removed.
    pub removed_files: Vec<ObjectId>,
}

impl AnalysisChange {
    /// Compares an analysis with what it was at a revision and renders the difference for the store.
    pub fn between(base_revision: Revision, before: &Analysis, after: &Analysis, action: EventAction) -> Result<Self> {
        if before.files == after.files {
            return Self::without_files(base_revision, after, action);
        }
        let changed: Vec<File> = after.files.iter().filter(|file| !before.files.contains(file)).cloned().collect();
        let is_removed = |file: &&File| !after.files.iter().any(|kept| kept.object_id == file.object_id);
        Ok(Self {
            changed_files: file_rows(&changed)?,
            removed_files: before.files.iter().filter(is_removed).map(|file| file.object_id).collect(),
            ..Self::without_files(base_revision, after, action)?
        })
    }

    /// Renders a change for the store that leaves the files as they are.
    pub fn without_files<F, D>(base_revision: Revision, after: &Analysis<F, D>, action: EventAction) -> Result<Self>
    where
        Analysis<F, D>: Serialize,
    {
        Ok(Self {
            analysis_id: after.analysis_id,
            base_revision,
            state: after.state,
            action,
            document: render(after, TYPICAL_DOCUMENT_BYTES)?,
            changed_files: Vec::new(),
            removed_files: Vec::new(),
        })
    }
}

fn render(analysis: &impl Serialize, expected_length: usize) -> Result<String> {
    const OPERATION: &str = "writing an analysis as JSON";
    let mut document = Vec::with_capacity(expected_length);
    serde_json::to_writer(&mut document, analysis).map_err(|error| StoreError::failed(OPERATION, error))?;
    String::from_utf8(document).map_err(|error| StoreError::failed(OPERATION, error))
}

fn file_rows(files: &[File]) -> Result<Vec<FileRow>> {
    files.iter().map(FileRow::of).collect()
}

/// Which stored files make a submission a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuplicateRule {
    /// Nothing.
    Allow,
    /// A file of any analysis with the same checksum.
    AnyAnalysis,
    /// A file of a published analysis with the same checksum.
    PublishedAnalysis,
}

/// The outcome of inserting an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertOutcome {
    /// It is on disk.
    Stored(Revision),
    /// Its study is not registered; nothing was written.
    UnknownStudy,
    /// A file with the same checksum is stored already; nothing was written.
    Duplicate {
        /// The name of the submitted file.
        file_name: String,
        /// The stored file's id.
        object_id: ObjectId,
        /// The analysis the stored file belongs to.
        analysis_id: AnalysisId,
    },
}

/// The outcome of replacing a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceOutcome {
    /// It is on disk.
    Stored(Revision),
    /// The analysis is not at the revision the change was computed from any more; nothing was written.
    Conflict,
}

/// The latest revision of an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnalysis {
    /// Its number.
    pub revision: Revision,
    /// The study the analysis belongs to.
    pub study_id: String,
    /// The complete document.
    pub document: String,
}

/// A set of states: bit `n` is the state with code `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateSet(pub(crate) i16);

impl StateSet {
    /// Every state.
    pub const ALL: StateSet = StateSet(0b111);

    /// Returns the states that are in both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Says whether a state is in the set.
    pub fn contains(self, state: AnalysisState) -> bool {
        self.0 & (1 << state_code(state)) != 0
    }
}

impl FromIterator<AnalysisState> for StateSet {
    fn from_iter<I: IntoIterator<Item = AnalysisState>>(states: I) -> Self {
        Self(states.into_iter().fold(0, |bits, state| bits | (1 << state_code(state))))
    }
}

/// Which analyses of a study to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalysisQuery {
    /// The study.
    pub study_id: String,
    /// The states to include.
    pub states: StateSet,
    /// Only those whose ids come after this one. However far it is, the page costs the same.
    pub after: Option<AnalysisId>,
    /// How many at most; `None` for all.
    pub limit: Option<u64>,
    /// How many to skip.
    pub offset: u64,
}

impl AnalysisQuery {
    /// Returns the query for all analyses of a study that are in these states.
    pub fn all(study_id: impl Into<String>, states: StateSet) -> Self {
        Self { study_id: study_id.into(), states, after: None, limit: None, offset: 0 }
    }
}
