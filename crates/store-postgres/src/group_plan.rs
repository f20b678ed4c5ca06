//! Plans a group commit: the outcome of each change, and the rows to write. Does no I/O.
//!
//! The changes of a group are concurrent, so any order of them is correct: first the submissions, then the replacements,
//! each in the order of arrival.

use std::collections::{BTreeMap, HashMap};
use std::mem;

use cantata_core::{AnalysisId, AnalysisState, EventAction, ObjectId};
use cantata_store::codes::{access_code, action_code, state_code};
use cantata_store::{
    AnalysisChange, DuplicateRule, FileRow, InsertOutcome, NewAnalysis, ReplaceOutcome, Result, Revision, StoreError,
};
use uuid::Uuid;

use crate::query::{to_bigint, to_uuid};

/// A submission.
pub(crate) struct Submission {
    pub(crate) new: NewAnalysis,
    /// The key of its study, if there is such a study.
    pub(crate) study_key: Option<i32>,
    pub(crate) duplicates: DuplicateRule,
}

/// What is stored of the analyses and checksums of a group.
pub(crate) struct StoredState {
    pub(crate) last_event: u64,
    pub(crate) analyses: StoredAnalyses,
    pub(crate) duplicates: StoredChecksums,
}

/// The current revisions of analyses.
pub(crate) type StoredAnalyses = HashMap<Uuid, CurrentRevision>;

/// For a checksum, and whether only published analyses count: a stored file that has it.
pub(crate) type StoredChecksums = HashMap<(Uuid, bool), StoredFile>;

/// The current revision of an analysis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentRevision {
    pub(crate) study_key: i32,
    pub(crate) state: i16,
    pub(crate) revision: i64,
}

/// A file that another one may be a duplicate of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredFile {
    pub(crate) object_id: ObjectId,
    pub(crate) analysis_id: AnalysisId,
}

/// The outcome of each change, valid once the rows are committed.
pub(crate) struct GroupOutcome {
    pub(crate) insertions: Vec<Result<InsertOutcome>>,
    pub(crate) replacements: Vec<ReplaceOutcome>,
    pub(crate) last_event: u64,
}

/// The rows to write, a list for each column.
#[derive(Default)]
pub(crate) struct GroupRows<'a> {
    pub(crate) events: EventRows<'a>,
    /// New analyses: id, study, revision and state.
    pub(crate) new_analyses: (Vec<Uuid>, Vec<i32>, Vec<i64>, Vec<i16>),
    /// Changed analyses: id, state and revision.
    pub(crate) updated_analyses: (Vec<Uuid>, Vec<i16>, Vec<i64>),
    /// Files to delete, with their analyses.
    pub(crate) deleted_files: (Vec<Uuid>, Vec<Uuid>),
    pub(crate) files: FileRows<'a>,
    /// By how much the number of analyses of a study in a state changes.
    pub(crate) counts: BTreeMap<(i32, i16), i64>,
}

#[derive(Default)]
pub(crate) struct EventRows<'a> {
    pub(crate) seqs: Vec<i64>,
    pub(crate) analysis_ids: Vec<Uuid>,
    pub(crate) study_keys: Vec<i32>,
    pub(crate) states: Vec<i16>,
    pub(crate) actions: Vec<i16>,
    pub(crate) documents: Vec<&'a str>,
}

#[derive(Default)]
pub(crate) struct FileRows<'a> {
    pub(crate) object_ids: Vec<Uuid>,
    pub(crate) analysis_ids: Vec<Uuid>,
    pub(crate) study_keys: Vec<i32>,
    pub(crate) md5s: Vec<Uuid>,
    pub(crate) accesses: Vec<i16>,
    pub(crate) names: Vec<&'a str>,
}

impl<'a> FileRows<'a> {
    /// Returns the files of those of these submissions whose study exists.
    pub(crate) fn of(submissions: &'a [Submission]) -> Self {
        let mut rows = Self::default();
        for Submission { new, study_key, .. } in submissions {
            if let Some(study_key) = study_key {
                rows.add(&new.files, new.analysis_id, *study_key);
            }
        }
        rows
    }

    fn add(&mut self, files: &'a [FileRow], analysis_id: AnalysisId, study_key: i32) {
        for file in files {
            self.object_ids.push(Uuid::from_bytes(*file.object_id.as_bytes()));
            self.analysis_ids.push(to_uuid(analysis_id));
            self.study_keys.push(study_key);
            self.md5s.push(Uuid::from_bytes(file.md5));
            self.accesses.push(access_code(file.access));
            self.names.push(&file.name);
        }
    }
}

/// Says whether a rule checks published analyses only; `None` where it checks nothing.
pub(crate) fn published_only(rule: DuplicateRule) -> Option<bool> {
    match rule {
        DuplicateRule::Allow => None,
        DuplicateRule::AnyAnalysis => Some(false),
        DuplicateRule::PublishedAnalysis => Some(true),
    }
}

/// Returns the first of these files whose checksum is stored already, if the rule forbids that.
pub(crate) fn first_duplicate(
    stored: &StoredChecksums,
    files: &[FileRow],
    rule: DuplicateRule,
) -> Option<InsertOutcome> {
    let published_only = published_only(rule)?;
    files.iter().find_map(|file| {
        let stored = stored.get(&(Uuid::from_bytes(file.md5), published_only))?;
        Some(InsertOutcome::Duplicate {
            file_name: file.name.clone(),
            object_id: stored.object_id,
            analysis_id: stored.analysis_id,
        })
    })
}

/// Plans a group. Where the files of its submissions are written already, their number is given: the rows are without
/// them, and there is no plan if some of them must not be stored.
pub(crate) fn plan_group<'a>(
    stored: StoredState,
    submissions: &'a [Submission],
    changes: &'a [AnalysisChange],
    early_files: usize,
) -> Option<(GroupOutcome, GroupRows<'a>)> {
    let mut planner = GroupPlanner { stored, rows: GroupRows::default() };
    let insertions = submissions.iter().map(|submission| planner.insert(submission)).collect();
    if early_files > 0 && early_files != mem::take(&mut planner.rows.files).object_ids.len() {
        return None;
    }
    let replacements = changes.iter().map(|change| planner.replace(change)).collect();
    let GroupPlanner { stored, rows } = planner;
    Some((GroupOutcome { insertions, replacements, last_event: stored.last_event }, rows))
}

struct GroupPlanner<'a> {
    stored: StoredState,
    rows: GroupRows<'a>,
}

impl<'a> GroupPlanner<'a> {
    fn insert(&mut self, submission: &'a Submission) -> Result<InsertOutcome> {
        let Submission { new, study_key, duplicates } = submission;
        let Some(study_key) = *study_key else { return Ok(InsertOutcome::UnknownStudy) };
        if let Some(duplicate) = first_duplicate(&self.stored.duplicates, &new.files, *duplicates) {
            return Ok(duplicate);
        }
        let id = to_uuid(new.analysis_id);
        if self.stored.analyses.contains_key(&id) {
            return Err(StoreError::failed("storing an analysis", "its id is taken"));
        }
        let state = state_code(new.state);
        let revision = self.append(id, study_key, state, EventAction::Create, &new.document);
        let (ids, study_keys, revisions, states) = &mut self.rows.new_analyses;
        ids.push(id);
        study_keys.push(study_key);
        revisions.push(to_bigint(revision.0));
        states.push(state);
        self.count(study_key, state, 1);
        self.rows.files.add(&new.files, new.analysis_id, study_key);
        let stored = CurrentRevision { study_key, state, revision: to_bigint(revision.0) };
        self.stored.analyses.insert(id, stored);
        for file in &new.files {
            let stored = StoredFile { object_id: file.object_id, analysis_id: new.analysis_id };
            let md5 = Uuid::from_bytes(file.md5);
            self.stored.duplicates.insert((md5, false), stored);
            // One rule counts published analyses only.
            if new.state == AnalysisState::Published {
                self.stored.duplicates.insert((md5, true), stored);
            }
        }
        Ok(InsertOutcome::Stored(revision))
    }

    fn replace(&mut self, change: &'a AnalysisChange) -> ReplaceOutcome {
        let id = to_uuid(change.analysis_id);
        let is_current = |current: &&CurrentRevision| u64::try_from(current.revision) == Ok(change.base_revision.0);
        let Some(before) = self.stored.analyses.get(&id).filter(is_current).copied() else {
            return ReplaceOutcome::Conflict;
        };
        let state = state_code(change.state);
        let revision = self.append(id, before.study_key, state, change.action, &change.document);
        let (ids, states, revisions) = &mut self.rows.updated_analyses;
        ids.push(id);
        states.push(state);
        revisions.push(to_bigint(revision.0));
        self.count(before.study_key, before.state, -1);
        self.count(before.study_key, state, 1);
        let changed = change.changed_files.iter().map(|file| file.object_id);
        for object_id in change.removed_files.iter().copied().chain(changed) {
            self.rows.deleted_files.0.push(Uuid::from_bytes(*object_id.as_bytes()));
            self.rows.deleted_files.1.push(id);
        }
        self.rows.files.add(&change.changed_files, change.analysis_id, before.study_key);
        self.stored.analyses.insert(id, CurrentRevision { state, revision: to_bigint(revision.0), ..before });
        ReplaceOutcome::Stored(revision)
    }

    fn append(&mut self, id: Uuid, study_key: i32, state: i16, action: EventAction, document: &'a str) -> Revision {
        self.stored.last_event += 1;
        let events = &mut self.rows.events;
        events.seqs.push(to_bigint(self.stored.last_event));
        events.analysis_ids.push(id);
        events.study_keys.push(study_key);
        events.states.push(state);
        events.actions.push(action_code(action));
        events.documents.push(document);
        Revision(self.stored.last_event)
    }

    fn count(&mut self, study_key: i32, state: i16, difference: i64) {
        *self.rows.counts.entry((study_key, state)).or_default() += difference;
    }
}
