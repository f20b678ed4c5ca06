//! What the cases do again and again, with the assertion that it works.

use std::sync::Arc;

use cantata_core::{Analysis, AnalysisState, Event, EventAction, Timestamp};

use super::Backend;
use super::builders::study;
use crate::{
    AnalysisChange, AnalysisQuery, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Revision, StateSet, Store,
};

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

/// Stores a new analysis whatever its checksums are.
pub(crate) async fn insert(store: &dyn Store, analysis: &Analysis) -> Revision {
    match submit(store, analysis, DuplicateRule::Allow).await {
        InsertOutcome::Stored(revision) => revision,
        refused => panic!("analysis {} was not stored: {refused:?}", analysis.analysis_id),
    }
}

/// Stores a change of an analysis that must not be a conflict.
pub(crate) async fn replace(
    store: &dyn Store,
    from: Revision,
    before: &Analysis,
    after: &Analysis,
    action: EventAction,
) -> Revision {
    let change = AnalysisChange::between(from, before, after, action).unwrap();
    match store.replace_analysis(change).await.unwrap() {
        ReplaceOutcome::Stored(revision) => revision,
        ReplaceOutcome::Conflict => panic!("analysis {} is not at {from:?} any more", after.analysis_id),
    }
}

/// Brings an analysis into a state, in the store and in place.
pub(crate) async fn move_to(
    store: &dyn Store,
    from: Revision,
    analysis: &mut Analysis,
    state: AnalysisState,
) -> Revision {
    let before = analysis.clone();
    analysis.change_state(state, Timestamp::from_micros(1_794_800_000_000_000)).unwrap();
    replace(store, from, &before, analysis, EventAction::for_state(state)).await
}

/// Asks for all analyses of a study in these states.
pub(crate) fn in_states(study_id: &str, states: StateSet) -> AnalysisQuery {
    AnalysisQuery { study_id: study_id.to_owned(), states, limit: None, offset: 0 }
}

/// Returns the latest revisions of all analyses of a study.
pub(crate) async fn list_all(store: &dyn Store, study_id: &str) -> Vec<Revision> {
    store.list_analyses(&in_states(study_id, StateSet::ALL)).await.unwrap()
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
