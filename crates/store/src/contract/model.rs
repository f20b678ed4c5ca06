//! The model: a store in memory, behind one lock, that answers every query with a full scan.
//!
//! Random operations are compared with it, so it is too simple to be wrong rather than fast.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use cantata_core::{AnalysisId, AnalysisState, AnalysisType, Event, EventAction, ObjectId, Study};
use tokio::sync::watch;

use crate::{
    AnalysisChange, AnalysisQuery, DuplicateRule, FileFilter, FileLocation, FileRow, InsertOutcome, NewAnalysis,
    NewAnalysisType, ObjectIdPattern, PageRange, RecordBase, RecordKind, RecordWrite, ReplaceOutcome, Result, Revision,
    SharedRecord, StateSet, Store, StoreError, StoredAnalysis, TypeKey, TypeQuery,
};

/// A store in memory.
#[derive(Default)]
pub(crate) struct MemoryStore {
    state: Mutex<State>,
    latest_event: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    studies: BTreeMap<String, Study>,
    /// In the order of registration.
    types: Vec<AnalysisType>,
    /// The event numbered 1 comes first.
    events: Vec<Event>,
    latest: BTreeMap<AnalysisId, Revision>,
    files: BTreeMap<ObjectId, ModelFile>,
    cursors: BTreeMap<String, u64>,
    /// Who holds the lease of each reader, and until when.
    leases: BTreeMap<String, (String, Instant)>,
    records: BTreeMap<(RecordKind, String), SharedRecord>,
    record_changes: BTreeMap<RecordKind, u64>,
}

struct ModelFile {
    location: FileLocation,
    md5: [u8; 16],
}

impl MemoryStore {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Returns the stored files that make a submitted file a duplicate.
    pub(crate) fn duplicates_of(&self, file: &FileRow, rule: DuplicateRule) -> Vec<FileLocation> {
        self.state().duplicates_of(file, rule)
    }

    /// Returns the object ids of all files.
    pub(crate) fn object_ids(&self) -> Vec<ObjectId> {
        self.state().files.keys().copied().collect()
    }
}

impl State {
    fn event(&self, revision: Revision) -> Option<&Event> {
        self.events.get(rows(revision.0).checked_sub(1)?)
    }

    fn latest_of(&self, id: AnalysisId) -> Option<&Event> {
        self.event(*self.latest.get(&id)?)
    }

    /// Returns the latest events of a study's analyses, by analysis id.
    fn current<'a>(&'a self, study_id: &'a str) -> impl Iterator<Item = &'a Event> {
        let latest = self.latest.values().filter_map(|revision| self.event(*revision));
        latest.filter(move |event| event.study_id == study_id)
    }

    fn versions<'a>(&'a self, name: &'a str) -> impl DoubleEndedIterator<Item = &'a AnalysisType> {
        self.types.iter().filter(move |registered| registered.id.name == name)
    }

    fn register(&mut self, new: NewAnalysisType) -> AnalysisType {
        let previous = self.versions(&new.name).next_back().cloned();
        let registered = new.into_version(previous.as_ref());
        self.types.push(registered.clone());
        registered
    }

    fn duplicates_of(&self, file: &FileRow, rule: DuplicateRule) -> Vec<FileLocation> {
        // Most insertions of the cases have this rule, and a scan for each file takes long.
        if rule == DuplicateRule::Allow {
            return vec![];
        }
        let state = |stored: &ModelFile| self.latest_of(stored.location.analysis_id).map(|event| event.state);
        let counts =
            |stored: &ModelFile| rule == DuplicateRule::AnyAnalysis || state(stored) == Some(AnalysisState::Published);
        let equal = self.files.values().filter(|stored| stored.md5 == file.md5 && counts(stored));
        equal.map(|stored| stored.location.clone()).collect()
    }

    /// Returns the files that a filter selects, by object id.
    fn selected<'a>(&'a self, filter: &'a FileFilter) -> impl Iterator<Item = &'a FileLocation> {
        let is_published = move |file: &FileLocation| {
            self.latest_of(file.analysis_id).is_some_and(|event| event.state == AnalysisState::Published)
        };
        let files = self.files.values().map(|file| &file.location);
        files.filter(move |file| {
            let is_visible = filter.visible.as_ref().is_none_or(|visible| {
                visible.studies.contains(&file.study_id)
                    || (visible.published.contains(&file.study_id) && is_published(file))
            });
            is_visible && filter.matches(file)
        })
    }

    fn first_duplicate(&self, files: &[FileRow], rule: DuplicateRule) -> Option<InsertOutcome> {
        files.iter().find_map(|file| {
            let stored = self.duplicates_of(file, rule).into_iter().next()?;
            Some(InsertOutcome::Duplicate {
                file_name: file.name.clone(),
                object_id: stored.object_id,
                analysis_id: stored.analysis_id,
            })
        })
    }

    fn store_files(&mut self, files: Vec<FileRow>, analysis_id: AnalysisId, study_id: &str) {
        for file in files {
            let (object_id, md5) = (file.object_id, file.md5);
            let location = file.into_location(analysis_id, study_id.to_owned());
            self.files.insert(object_id, ModelFile { location, md5 });
        }
    }

    fn holds_lease(&self, reader: &str, holder: &str) -> bool {
        self.leases.get(reader).is_some_and(|(current, until)| current == holder && *until > Instant::now())
    }

    fn push_event(
        &mut self,
        analysis_id: AnalysisId,
        study_id: String,
        state: AnalysisState,
        action: EventAction,
        document: String,
    ) -> Revision {
        let revision = Revision(self.events.len() as u64 + 1);
        self.events.push(Event { seq: revision.0, analysis_id, study_id, state, action, document });
        self.latest.insert(analysis_id, revision);
        revision
    }
}

/// Converts a number of rows for `skip` and `take`.
fn rows(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[async_trait]
impl Store for MemoryStore {
    async fn create_study(&self, study: Study) -> Result<bool> {
        let mut state = self.state();
        let is_free = !state.studies.contains_key(&study.study_id);
        if is_free {
            state.studies.insert(study.study_id.clone(), study);
        }
        Ok(is_free)
    }

    async fn study(&self, study_id: &str) -> Result<Option<Study>> {
        Ok(self.state().studies.get(study_id).cloned())
    }

    async fn study_ids(&self) -> Result<Vec<String>> {
        Ok(self.state().studies.keys().cloned().collect())
    }

    async fn register_type(&self, new: NewAnalysisType) -> Result<AnalysisType> {
        Ok(self.state().register(new))
    }

    async fn seed_types(&self, types: Vec<NewAnalysisType>) -> Result<()> {
        let mut state = self.state();
        for new in types {
            if state.versions(&new.name).next().is_none() {
                state.register(new);
            }
        }
        Ok(())
    }

    async fn analysis_type(&self, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
        let state = self.state();
        let mut versions = state.versions(name);
        Ok(match version {
            Some(version) => versions.find(|registered| registered.id.version == version).cloned(),
            None => versions.next_back().cloned(),
        })
    }

    async fn latest_type_version(&self, name: &str) -> Result<Option<u32>> {
        Ok(self.state().versions(name).next_back().map(|registered| registered.id.version))
    }

    async fn list_types(&self, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
        let state = self.state();
        let keys = state.types.iter().zip(0..);
        let keys = keys.map(|(registered, registration)| TypeKey { registration, id: registered.id.clone() }).collect();
        let (total, selected) = query.select(keys);
        let at = |registration: i64| state.types[usize::try_from(registration).unwrap()].clone();
        Ok((total, selected.into_iter().map(at).collect()))
    }

    async fn insert_analysis(&self, new: NewAnalysis, duplicates: DuplicateRule) -> Result<InsertOutcome> {
        let mut state = self.state();
        if !state.studies.contains_key(&new.study_id) {
            return Ok(InsertOutcome::UnknownStudy);
        }
        if let Some(duplicate) = state.first_duplicate(&new.files, duplicates) {
            return Ok(duplicate);
        }
        if state.latest.contains_key(&new.analysis_id) {
            return Err(StoreError::failed("storing an analysis", "its id is taken"));
        }
        state.store_files(new.files, new.analysis_id, &new.study_id);
        let revision = state.push_event(new.analysis_id, new.study_id, new.state, EventAction::Create, new.document);
        self.latest_event.send_replace(revision.0);
        Ok(InsertOutcome::Stored(revision))
    }

    async fn find_duplicate(&self, files: &[FileRow], duplicates: DuplicateRule) -> Result<Option<InsertOutcome>> {
        Ok(self.state().first_duplicate(files, duplicates))
    }

    async fn replace_analysis(&self, change: AnalysisChange) -> Result<ReplaceOutcome> {
        let mut state = self.state();
        if state.latest.get(&change.analysis_id) != Some(&change.base_revision) {
            return Ok(ReplaceOutcome::Conflict);
        }
        let study_id = state.event(change.base_revision).unwrap().study_id.clone();
        for object_id in change.removed_files {
            state.files.remove(&object_id);
        }
        state.store_files(change.changed_files, change.analysis_id, &study_id);
        let revision = state.push_event(change.analysis_id, study_id, change.state, change.action, change.document);
        self.latest_event.send_replace(revision.0);
        Ok(ReplaceOutcome::Stored(revision))
    }

    async fn analysis(&self, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
        Ok(self.state().latest_of(id).map(|event| StoredAnalysis {
            revision: Revision(event.seq),
            study_id: event.study_id.clone(),
            document: event.document.clone(),
        }))
    }

    async fn list_analyses(&self, query: &AnalysisQuery) -> Result<Vec<Revision>> {
        let state = self.state();
        let matching = state.current(&query.study_id).filter(|event| query.states.contains(event.state));
        let later = matching.filter(|event| query.after.is_none_or(|after| event.analysis_id > after));
        let page = later.skip(rows(query.offset)).take(query.limit.map_or(usize::MAX, rows));
        Ok(page.map(|event| Revision(event.seq)).collect())
    }

    async fn count_analyses(&self, study_id: &str, states: StateSet) -> Result<u64> {
        Ok(self.state().current(study_id).filter(|event| states.contains(event.state)).count() as u64)
    }

    async fn documents(&self, revisions: &[Revision]) -> Result<Vec<String>> {
        let state = self.state();
        let missing = |revision: &Revision| StoreError::corrupt(format!("revision {}", revision.0), "not stored");
        let event = |revision: &Revision| state.event(*revision).ok_or_else(|| missing(revision));
        revisions.iter().map(|revision| Ok(event(revision)?.document.clone())).collect()
    }

    async fn search_by_file(&self, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
        let state = self.state();
        let files = state.files.values().map(|file| &file.location);
        let matching = files.filter(|file| file.study_id == study_id && pattern.matches(file.object_id));
        let analyses: BTreeSet<AnalysisId> = matching.map(|file| file.analysis_id).collect();
        Ok(analyses.iter().filter_map(|id| state.latest.get(id)).copied().collect())
    }

    async fn file(&self, id: ObjectId) -> Result<Option<FileLocation>> {
        Ok(self.state().files.get(&id).map(|file| file.location.clone()))
    }

    async fn list_files(&self, filter: &FileFilter, page: PageRange) -> Result<(u64, Vec<FileLocation>)> {
        let state = self.state();
        let matching: Vec<&FileLocation> = state.selected(filter).collect();
        let total = matching.len() as u64;
        Ok((total, matching.into_iter().skip(rows(page.offset)).take(rows(page.limit)).cloned().collect()))
    }

    async fn files_after(&self, filter: &FileFilter, after: Option<ObjectId>, limit: u64) -> Result<Vec<FileLocation>> {
        let state = self.state();
        let later = state.selected(filter).filter(|file| after.is_none_or(|after| file.object_id > after));
        Ok(later.take(rows(limit)).cloned().collect())
    }

    async fn events_after(&self, after: u64, limit: usize) -> Result<Vec<Event>> {
        Ok(self.state().events.iter().filter(|event| event.seq > after).take(limit).cloned().collect())
    }

    fn latest_event(&self) -> watch::Receiver<u64> {
        self.latest_event.subscribe()
    }

    fn commit_count(&self) -> u64 {
        self.state().events.len() as u64
    }

    async fn cursor(&self, reader: &str) -> Result<u64> {
        Ok(self.state().cursors.get(reader).copied().unwrap_or(0))
    }

    async fn advance_cursor(&self, reader: &str, holder: &str, to: u64) -> Result<bool> {
        let mut state = self.state();
        let is_held = state.holds_lease(reader, holder);
        if is_held {
            let cursor = state.cursors.entry(reader.to_owned()).or_default();
            *cursor = to.max(*cursor);
        }
        Ok(is_held)
    }

    async fn acquire_lease(&self, reader: &str, holder: &str, duration: Duration) -> Result<bool> {
        let mut state = self.state();
        let now = Instant::now();
        let is_free = state.leases.get(reader).is_none_or(|(current, until)| current == holder || *until <= now);
        if is_free {
            state.leases.insert(reader.to_owned(), (holder.to_owned(), now + duration));
        }
        Ok(is_free)
    }

    async fn release_lease(&self, reader: &str, holder: &str) -> Result<()> {
        let mut state = self.state();
        if state.holds_lease(reader, holder) {
            state.leases.remove(reader);
        }
        Ok(())
    }

    async fn record(&self, kind: RecordKind, id: &str) -> Result<Option<SharedRecord>> {
        let found = self.state().records.get(&(kind, id.to_owned())).cloned();
        Ok(found.filter(|record| record.document.is_some()))
    }

    async fn records_after(&self, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<SharedRecord>> {
        let state = self.state();
        let of_kind = state.records.iter().filter(|((of, _), record)| *of == kind && record.change > after);
        let mut records: Vec<SharedRecord> = of_kind.map(|(_, record)| record.clone()).collect();
        records.sort_by_key(|record| record.change);
        records.truncate(limit);
        Ok(records)
    }

    async fn latest_record_change(&self, kind: RecordKind) -> Result<u64> {
        Ok(self.state().record_changes.get(&kind).copied().unwrap_or(0))
    }

    async fn apply_record_write(&self, write: RecordWrite) -> Result<Option<u64>> {
        let RecordWrite { kind, id, base, document } = write;
        let mut state = self.state();
        let latest = state.record_changes.get(&kind).copied().unwrap_or(0);
        let found = state.records.get(&(kind, id.clone())).filter(|record| record.document.is_some());
        if !base.holds(found.map(|record| record.change), latest) {
            return Ok(None);
        }
        let change = latest + 1;
        state.record_changes.insert(kind, change);
        state.records.insert((kind, id.clone()), SharedRecord { id, change, document });
        Ok(Some(change))
    }

    async fn purge_removed_records(&self, kind: RecordKind, up_to: u64) -> Result<()> {
        let is_kept =
            |of: RecordKind, record: &SharedRecord| of != kind || record.document.is_some() || record.change > up_to;
        let last = {
            let mut state = self.state();
            let removed = state.records.iter().filter(|((of, _), record)| !is_kept(*of, record));
            let last = removed.map(|(_, record)| record.change).max();
            state.records.retain(|(of, _), record| is_kept(*of, record));
            last
        };
        if let Some(last) = last {
            self.write_record(RecordKind::PurgeMark, kind.as_str(), RecordBase::Any, Some(last.to_string())).await?;
        }
        Ok(())
    }

    async fn check_health(&self) -> Result<()> {
        Ok(())
    }
}
