//! Analyses on their way into and out of a store.

use cantata_core::{Analysis, AnalysisId, AnalysisState, EventAction, File, ObjectId};
use serde::Serialize;

use crate::{FileRow, Result, StoreError};

/// About how many bytes a document has that has few files.
const TYPICAL_DOCUMENT: usize = 1_024;

/// About how many bytes of a document a file takes.
const TYPICAL_FILE: usize = 400;

/// Numbers a revision of an analysis, and the event that tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Revision(pub u64);

/// A new analysis, made ready outside the store so that its writer does nothing but write.
#[derive(Debug, Clone)]
pub struct NewAnalysis {
    /// Its id.
    pub analysis_id: AnalysisId,
    /// Its study.
    pub study_id: String,
    /// Its state: a submission is unpublished, but what comes from another server may have a past.
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
            document: render(analysis, TYPICAL_DOCUMENT + analysis.files.len() * TYPICAL_FILE)?,
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
    pub from: Revision,
    /// The state after the change.
    pub state: AnalysisState,
    /// What happened.
    pub action: EventAction,
    /// The complete document after the change.
    pub document: String,
    /// The files whose row is another one now.
    pub changed_files: Vec<FileRow>,
    /// The files that are gone.
    pub removed_files: Vec<ObjectId>,
}

impl AnalysisChange {
    /// Compares an analysis with what it was at a revision and renders the difference for the store.
    pub fn between(from: Revision, before: &Analysis, after: &Analysis, action: EventAction) -> Result<Self> {
        if before.files == after.files {
            return Self::without_files(from, after, action);
        }
        let changed: Vec<File> = after.files.iter().filter(|file| !before.files.contains(file)).cloned().collect();
        let is_gone = |file: &&File| !after.files.iter().any(|kept| kept.object_id == file.object_id);
        Ok(Self {
            changed_files: file_rows(&changed)?,
            removed_files: before.files.iter().filter(is_gone).map(|file| file.object_id).collect(),
            ..Self::without_files(from, after, action)?
        })
    }

    /// Renders a change for the store that leaves the files as they are.
    pub fn without_files<F, D>(from: Revision, after: &Analysis<F, D>, action: EventAction) -> Result<Self>
    where
        Analysis<F, D>: Serialize,
    {
        Ok(Self {
            analysis_id: after.analysis_id,
            from,
            state: after.state,
            action,
            document: render(after, TYPICAL_DOCUMENT)?,
            changed_files: Vec::new(),
            removed_files: Vec::new(),
        })
    }
}

fn render(analysis: &impl Serialize, expected_length: usize) -> Result<String> {
    let failed = |error: &dyn std::error::Error| StoreError::failed("writing an analysis as JSON", error);
    let mut document = Vec::with_capacity(expected_length);
    serde_json::to_writer(&mut document, analysis).map_err(|error| failed(&error))?;
    String::from_utf8(document).map_err(|error| failed(&error))
}

fn file_rows(files: &[File]) -> Result<Vec<FileRow>> {
    files.iter().map(FileRow::of).collect()
}

/// What makes a submission a duplicate of what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuplicateRule {
    /// Nothing.
    Allow,
    /// A file of any analysis with the same checksum.
    AnyAnalysis,
    /// A file of a published analysis with the same checksum.
    PublishedAnalysis,
}

/// What became of a new analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Insertion {
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

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
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

/// A set of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateSet(u8);

impl StateSet {
    /// Every state.
    pub const ALL: StateSet = StateSet(0b111);

    /// Says whether a state is in the set.
    pub fn contains(self, state: AnalysisState) -> bool {
        self.0 & bit(state) != 0
    }
}

fn bit(state: AnalysisState) -> u8 {
    match state {
        AnalysisState::Unpublished => 0b001,
        AnalysisState::Published => 0b010,
        AnalysisState::Suppressed => 0b100,
    }
}

impl FromIterator<AnalysisState> for StateSet {
    fn from_iter<I: IntoIterator<Item = AnalysisState>>(states: I) -> Self {
        Self(states.into_iter().fold(0, |bits, state| bits | bit(state)))
    }
}

/// Which analyses of a study to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalysisQuery {
    /// The study.
    pub study_id: String,
    /// The states to include.
    pub states: StateSet,
    /// How many at most; `None` for all.
    pub limit: Option<u64>,
    /// How many to skip.
    pub offset: u64,
}
