//! What becomes of each change of a group, and which rows that makes. Knows what is stored, and touches nothing.
//!
//! All changes of a group were asked for at the same time, so any order of them is a right one: first the submissions,
//! then the replacements, each as they came.

use std::collections::{BTreeMap, HashMap};

use cantata_core::{AnalysisId, AnalysisState, EventAction, ObjectId};
use cantata_store::codes::{access_code, action_code, state_code};
use cantata_store::{
    AnalysisChange, DuplicateRule, FileRow, Insertion, NewAnalysis, Replacement, Result, Revision, StoreError,
};
use uuid::Uuid;

use crate::analyses::{uuid, whole};

/// A submission.
pub(crate) struct Submission {
    pub(crate) new: NewAnalysis,
    /// The key of its study, if there is such a study.
    pub(crate) study_key: Option<i32>,
    pub(crate) duplicates: DuplicateRule,
}

/// What is stored, as far as a group is concerned.
pub(crate) struct Present {
    pub(crate) last_event: u64,
    pub(crate) analyses: HashMap<Uuid, PresentAnalysis>,
    /// For a checksum, and whether only published analyses count: a stored file that has it.
    pub(crate) duplicates: HashMap<(Uuid, bool), StoredFile>,
}

/// An analysis as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PresentAnalysis {
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

/// What the callers are told when the rows are stored.
pub(crate) struct Outcomes {
    pub(crate) insertions: Vec<Result<Insertion>>,
    pub(crate) replacements: Vec<Replacement>,
    pub(crate) last_event: u64,
}

/// What there is to write, a list for each column.
#[derive(Default)]
pub(crate) struct Rows<'a> {
    pub(crate) events: EventRows<'a>,
    /// The analyses that are new: id, study, revision and state.
    pub(crate) new_analyses: (Vec<Uuid>, Vec<i32>, Vec<i64>, Vec<i16>),
    /// The analyses that have another revision: id, state and revision.
    pub(crate) moved_analyses: (Vec<Uuid>, Vec<i16>, Vec<i64>),
    /// The files whose rows go, with their analyses.
    pub(crate) old_files: (Vec<Uuid>, Vec<Uuid>),
    pub(crate) files: FileRows<'a>,
    /// By how many the analyses of a study in a state become more.
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

/// Says whether a rule looks at published analyses only; `None` where it looks at nothing.
pub(crate) fn published_only(rule: DuplicateRule) -> Option<bool> {
    match rule {
        DuplicateRule::Allow => None,
        DuplicateRule::AnyAnalysis => Some(false),
        DuplicateRule::PublishedAnalysis => Some(true),
    }
}

/// Returns the first of these files whose checksum is stored already, where the rule minds that.
pub(crate) fn first_duplicate(
    stored: &HashMap<(Uuid, bool), StoredFile>,
    files: &[FileRow],
    rule: DuplicateRule,
) -> Option<Insertion> {
    let published_only = published_only(rule)?;
    files.iter().find_map(|file| {
        let stored = stored.get(&(Uuid::from_bytes(file.md5), published_only))?;
        Some(Insertion::Duplicate {
            file_name: file.name.clone(),
            object_id: stored.object_id,
            analysis_id: stored.analysis_id,
        })
    })
}

/// Decides what becomes of a group.
pub(crate) fn decide<'a>(
    present: Present,
    submissions: &'a [Submission],
    changes: &'a [AnalysisChange],
) -> (Outcomes, Rows<'a>) {
    let mut deciding = Deciding { present, rows: Rows::default() };
    let insertions = submissions.iter().map(|submission| deciding.insert(submission)).collect();
    let replacements = changes.iter().map(|change| deciding.replace(change)).collect();
    let Deciding { present, rows } = deciding;
    (Outcomes { insertions, replacements, last_event: present.last_event }, rows)
}

struct Deciding<'a> {
    present: Present,
    rows: Rows<'a>,
}

impl<'a> Deciding<'a> {
    fn insert(&mut self, submission: &'a Submission) -> Result<Insertion> {
        let Submission { new, study_key, duplicates } = submission;
        let Some(study_key) = *study_key else { return Ok(Insertion::UnknownStudy) };
        if let Some(duplicate) = first_duplicate(&self.present.duplicates, &new.files, *duplicates) {
            return Ok(duplicate);
        }
        let id = uuid(new.analysis_id);
        if self.present.analyses.contains_key(&id) {
            return Err(StoreError::failed("storing an analysis", "its id is taken"));
        }
        let state = state_code(new.state);
        let revision = self.append(id, study_key, state, EventAction::Create, &new.document);
        let (ids, study_keys, revisions, states) = &mut self.rows.new_analyses;
        ids.push(id);
        study_keys.push(study_key);
        revisions.push(whole(revision.0));
        states.push(state);
        self.count(study_key, state, 1);
        self.add_files(&new.files, new.analysis_id, study_key);
        let stored = PresentAnalysis { study_key, state, revision: whole(revision.0) };
        self.present.analyses.insert(id, stored);
        for file in &new.files {
            let stored = StoredFile { object_id: file.object_id, analysis_id: new.analysis_id };
            let md5 = Uuid::from_bytes(file.md5);
            self.present.duplicates.insert((md5, false), stored);
            // Under the narrow rule only what is published counts.
            if new.state == AnalysisState::Published {
                self.present.duplicates.insert((md5, true), stored);
            }
        }
        Ok(Insertion::Stored(revision))
    }

    fn replace(&mut self, change: &'a AnalysisChange) -> Replacement {
        let id = uuid(change.analysis_id);
        let is_current = |present: &&PresentAnalysis| u64::try_from(present.revision) == Ok(change.from.0);
        let Some(before) = self.present.analyses.get(&id).filter(is_current).copied() else {
            return Replacement::Conflict;
        };
        let state = state_code(change.state);
        let revision = self.append(id, before.study_key, state, change.action, &change.document);
        let (ids, states, revisions) = &mut self.rows.moved_analyses;
        ids.push(id);
        states.push(state);
        revisions.push(whole(revision.0));
        self.count(before.study_key, before.state, -1);
        self.count(before.study_key, state, 1);
        let changed = change.changed_files.iter().map(|file| file.object_id);
        for object_id in change.removed_files.iter().copied().chain(changed) {
            self.rows.old_files.0.push(Uuid::from_bytes(*object_id.as_bytes()));
            self.rows.old_files.1.push(id);
        }
        self.add_files(&change.changed_files, change.analysis_id, before.study_key);
        self.present.analyses.insert(id, PresentAnalysis { state, revision: whole(revision.0), ..before });
        Replacement::Stored(revision)
    }

    fn append(&mut self, id: Uuid, study_key: i32, state: i16, action: EventAction, document: &'a str) -> Revision {
        self.present.last_event += 1;
        let events = &mut self.rows.events;
        events.seqs.push(whole(self.present.last_event));
        events.analysis_ids.push(id);
        events.study_keys.push(study_key);
        events.states.push(state);
        events.actions.push(action_code(action));
        events.documents.push(document);
        Revision(self.present.last_event)
    }

    fn count(&mut self, study_key: i32, state: i16, difference: i64) {
        *self.rows.counts.entry((study_key, state)).or_default() += difference;
    }

    fn add_files(&mut self, files: &'a [FileRow], analysis_id: AnalysisId, study_key: i32) {
        let rows = &mut self.rows.files;
        for file in files {
            rows.object_ids.push(Uuid::from_bytes(*file.object_id.as_bytes()));
            rows.analysis_ids.push(uuid(analysis_id));
            rows.study_keys.push(study_key);
            rows.md5s.push(Uuid::from_bytes(file.md5));
            rows.accesses.push(access_code(file.access));
            rows.names.push(&file.name);
        }
    }
}
