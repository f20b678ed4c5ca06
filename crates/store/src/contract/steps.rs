//! Operations that many cases share, with the assertion that they succeed.

use std::ops::Deref;
use std::sync::Arc;

use cantata_core::{Analysis, AnalysisState, Event, EventAction, File, Timestamp};
use tokio::task::JoinSet;

use super::Backend;
use super::builders::{AnalysisBuilder, study};
use crate::{
    AnalysisChange, AnalysisQuery, DuplicateRule, InsertOutcome, NewAnalysis, PageRange, ReplaceOutcome, Revision,
    StateSet, Store, StoredAnalysis,
};

/// The range of a page that holds every row.
pub(crate) const EVERYTHING: PageRange = PageRange { offset: 0, limit: u64::MAX };

/// Opens a store and creates these studies in it.
pub(crate) async fn open_with_studies(backend: &dyn Backend, study_ids: &[&str]) -> Arc<dyn Store> {
    let store = backend.open().await;
    for study_id in study_ids {
        assert!(store.create_study(study(study_id)).await.unwrap(), "creating study '{study_id}'");
    }
    store
}

/// Returns an analysis as the store keeps it.
pub(crate) fn document(analysis: &Analysis) -> String {
    serde_json::to_string(analysis).unwrap()
}

/// Submits an analysis under a duplicate rule.
pub(crate) async fn submit(store: &dyn Store, analysis: &Analysis, duplicates: DuplicateRule) -> InsertOutcome {
    store.insert_analysis(NewAnalysis::of(analysis).unwrap(), duplicates).await.unwrap()
}

/// Submits a copy of a file; fails with the duplicate that the store reports and `find_duplicate` must predict.
pub(crate) async fn submit_copy(store: &dyn Store, file: &File, rule: DuplicateRule) -> Result<(), InsertOutcome> {
    let copy = AnalysisBuilder::in_study("S").file("copy.vcf", &file.file_md5sum).build();
    let predicted = store.find_duplicate(&NewAnalysis::of(&copy).unwrap().files, rule).await.unwrap();
    let outcome = match submit(store, &copy, rule).await {
        InsertOutcome::Stored(_) => Ok(()),
        rejection => Err(rejection),
    };
    assert_eq!(outcome.clone().err(), predicted, "{rule:?}");
    outcome
}

/// Returns the rejection of a copy of this file.
pub(crate) fn duplicate_of(file: &File) -> InsertOutcome {
    InsertOutcome::Duplicate {
        file_name: "copy.vcf".to_owned(),
        object_id: file.object_id,
        analysis_id: file.analysis_id,
    }
}

/// A stored analysis with its latest revision.
#[derive(Debug, Clone)]
pub(crate) struct TrackedAnalysis {
    pub(crate) revision: Revision,
    pub(crate) analysis: Analysis,
}

impl Deref for TrackedAnalysis {
    type Target = Analysis;

    fn deref(&self) -> &Analysis {
        &self.analysis
    }
}

impl TrackedAnalysis {
    /// Changes the analysis in the store; the change must not be a conflict.
    pub(crate) async fn update<T>(&mut self, store: &dyn Store, change: impl FnOnce(&mut Analysis) -> T) -> T {
        self.replace(store, EventAction::Update, change).await
    }

    /// Brings the analysis into a state in the store.
    pub(crate) async fn move_to(&mut self, store: &dyn Store, state: AnalysisState) {
        let now = Timestamp::from_micros(1_794_800_000_000_000);
        self.replace(store, EventAction::for_state(state), |analysis| analysis.change_state(state, now).unwrap()).await;
    }

    async fn replace<T>(
        &mut self,
        store: &dyn Store,
        action: EventAction,
        change: impl FnOnce(&mut Analysis) -> T,
    ) -> T {
        let before = self.analysis.clone();
        let result = change(&mut self.analysis);
        let change = AnalysisChange::between(self.revision, &before, &self.analysis, action).unwrap();
        match store.replace_analysis(change).await.unwrap() {
            ReplaceOutcome::Stored(revision) => self.revision = revision,
            ReplaceOutcome::Conflict => panic!("analysis {} is not at {:?} any more", self.analysis_id, self.revision),
        }
        result
    }

    /// Asserts that the store has this document at this revision.
    pub(crate) async fn assert_current(&self, store: &dyn Store) {
        let expected =
            StoredAnalysis { revision: self.revision, study_id: self.study_id.clone(), document: document(self) };
        assert_eq!(store.analysis(self.analysis_id).await.unwrap(), Some(expected));
    }
}

/// Stores a new analysis with any checksums.
pub(crate) async fn insert(store: &dyn Store, analysis: Analysis) -> TrackedAnalysis {
    match submit(store, &analysis, DuplicateRule::Allow).await {
        InsertOutcome::Stored(revision) => TrackedAnalysis { revision, analysis },
        rejection => panic!("analysis {} was not stored: {rejection:?}", analysis.analysis_id),
    }
}

/// Stores new analyses and returns them ordered by id.
pub(crate) async fn insert_all(
    store: &dyn Store,
    analyses: impl IntoIterator<Item = Analysis>,
) -> Vec<TrackedAnalysis> {
    let mut stored = vec![];
    for analysis in analyses {
        stored.push(insert(store, analysis).await);
    }
    stored.sort_by_key(|stored| stored.analysis_id);
    stored
}

/// Returns the revisions of analyses.
pub(crate) fn revisions<'a>(stored: impl IntoIterator<Item = &'a TrackedAnalysis>) -> Vec<Revision> {
    stored.into_iter().map(|stored| stored.revision).collect()
}

/// Returns the latest revisions of all analyses of a study.
pub(crate) async fn list_all(store: &dyn Store, study_id: &str) -> Vec<Revision> {
    store.list_analyses(&AnalysisQuery::all(study_id, StateSet::ALL)).await.unwrap()
}

/// Returns all events, read in pages, and asserts that their numbers count up from 1 without a gap.
pub(crate) async fn all_events(store: &dyn Store) -> Vec<Event> {
    let mut events: Vec<Event> = vec![];
    loop {
        let page = store.events_after(events.len() as u64, 1000).await.unwrap();
        if page.is_empty() {
            return events;
        }
        for event in page {
            assert_eq!(event.seq, events.len() as u64 + 1, "event numbers count up by one");
            events.push(event);
        }
    }
}

/// Runs one task for each number below `count`, all at once, and returns their results in any order.
pub(crate) async fn race<T, F>(
    store: &Arc<dyn Store>,
    count: usize,
    racer: impl Fn(Arc<dyn Store>, usize) -> F,
) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut racers = JoinSet::new();
    for number in 0..count {
        racers.spawn(racer(Arc::clone(store), number));
    }
    racers.join_all().await
}
