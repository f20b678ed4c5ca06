//! Events: one for each stored change, numbered from 1 in the order of storing, none missing and none twice.

use std::sync::Arc;

use cantata_core::{AnalysisState, Event, EventAction};

use super::Backend;
use super::builders::{analysis, new_type, study};
use super::steps::{
    TrackedAnalysis, all_events, document, duplicate_of, insert, open_with_studies, submit, submit_copy,
};
use crate::{AnalysisChange, DuplicateRule, ReplaceOutcome, Revision, Store};

/// Without events the latest number is 0, below every event.
pub async fn a_store_without_events_says_so(backend: &dyn Backend) {
    let store = backend.open().await;
    assert_eq!(*store.latest_event().borrow(), 0);
    assert_eq!(store.events_after(0, 10).await.unwrap(), []);
    assert_eq!(store.events_after(u64::MAX, usize::MAX).await.unwrap(), []);
}

/// Each insertion and each replacement is one event with the analysis, its study, the action and the new state.
pub async fn every_change_is_one_event(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let mut expected = vec![];
    let mut record = |stored: &TrackedAnalysis, action: EventAction| {
        expected.push(Event {
            seq: stored.revision.0,
            analysis_id: stored.analysis_id,
            study_id: stored.study_id.clone(),
            state: stored.state,
            action,
            document: document(stored),
        });
    };
    let mut first = insert(&*store, analysis("S", 1)).await;
    record(&first, EventAction::Create);
    let mut second = insert(&*store, analysis("T", 2)).await;
    record(&second, EventAction::Create);
    for state in [AnalysisState::Published, AnalysisState::Unpublished, AnalysisState::Suppressed] {
        second.move_to(&*store, state).await;
        record(&second, EventAction::for_state(state));
        first.update(&*store, |first| first.data.insert("other state".to_owned(), state.as_str().into())).await;
        record(&first, EventAction::Update);
    }
    assert_eq!(all_events(&*store).await, expected);
}

/// The document of an event is the document of the revision of the same number, now and later.
pub async fn an_event_holds_the_document_of_its_revision(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    store_changes(&*store, 12).await;
    for event in all_events(&*store).await {
        assert_eq!(store.documents(&[Revision(event.seq)]).await.unwrap(), [event.document]);
    }
}

/// A duplicate, an unknown study and a conflict are no events and use up no number.
pub async fn what_is_refused_is_no_event(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 1)).await;
    let first = stored.revision;
    stored.update(&*store, |_| ()).await;
    let file = &stored.files[0];
    assert_eq!(submit_copy(&*store, file, DuplicateRule::AnyAnalysis).await, Err(duplicate_of(file)));
    submit(&*store, &analysis("UNKNOWN", 1), DuplicateRule::Allow).await;
    let conflict = AnalysisChange::between(first, &stored, &stored, EventAction::Update).unwrap();
    assert_eq!(store.replace_analysis(conflict).await.unwrap(), ReplaceOutcome::Conflict);
    assert_eq!(*store.latest_event().borrow(), stored.revision.0);
    assert_eq!(all_events(&*store).await.len(), 2);
    assert_eq!(insert(&*store, analysis("S", 1)).await.revision.0, stored.revision.0 + 1);
}

/// Only analyses have events.
pub async fn studies_and_types_are_no_events(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    store.create_study(study("T")).await.unwrap();
    store.register_type(new_type("t")).await.unwrap();
    store.seed_types(vec![new_type("u")]).await.unwrap();
    assert_eq!(*store.latest_event().borrow(), 0);
    assert!(all_events(&*store).await.is_empty());
}

/// A page holds the next events after a number, up to its limit.
pub async fn events_page_without_a_gap(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    store_changes(&*store, 25).await;
    let events = all_events(&*store).await;
    assert_eq!(events.len(), 25);
    for after in [0, 1, 7, 23, 24, 25, 26, 1000, i64::MAX.unsigned_abs(), u64::MAX] {
        for limit in [0, 1, 2, 10, 25, 26, usize::MAX] {
            let expected: Vec<_> = events.iter().filter(|event| event.seq > after).take(limit).cloned().collect();
            assert_eq!(store.events_after(after, limit).await.unwrap(), expected, "{limit} after {after}");
        }
    }
}

/// When a change has returned, its event can be read and the latest number says so, to old receivers and new ones.
pub async fn the_latest_event_is_known_when_a_change_returns(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let early = store.latest_event();
    let mut current = insert(&*store, analysis("S", 1)).await;
    for state in [AnalysisState::Published, AnalysisState::Unpublished, AnalysisState::Published] {
        let latest = current.revision.0;
        assert_eq!(*early.borrow(), latest);
        assert_eq!(*store.latest_event().borrow(), latest);
        let events = store.events_after(latest - 1, 10).await.unwrap();
        assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [latest]);
        current.move_to(&*store, state).await;
    }
}

/// A follower that waits for the next event is woken when it is stored, and can read it then.
pub async fn a_waiting_follower_is_woken(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut latest = store.latest_event();
    latest.mark_unchanged();
    let reader = Arc::clone(&store);
    let follower = tokio::spawn(async move {
        latest.changed().await.unwrap();
        let number = *latest.borrow();
        reader.events_after(number - 1, 1).await.unwrap()
    });
    let stored = insert(&*store, analysis("S", 1)).await;
    let seen = follower.await.unwrap();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].analysis_id, stored.analysis_id);
}

/// After a restart all events are there as they were, and the next one has the next number.
pub async fn numbers_go_on_after_a_restart(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    store_changes(&*store, 9).await;
    let before = all_events(&*store).await;
    drop(store);
    let store = backend.open().await;
    assert_eq!(*store.latest_event().borrow(), 9);
    assert_eq!(all_events(&*store).await, before);
    assert_eq!(insert(&*store, analysis("S", 1)).await.revision, Revision(10));
    assert_eq!(*store.latest_event().borrow(), 10);
}

/// Stores this many changes of analyses of the study `S`.
async fn store_changes(store: &dyn Store, count: usize) {
    let mut current = insert(store, analysis("S", 2)).await;
    for number in 1..count {
        if number % 4 == 0 {
            current = insert(store, analysis("S", 2)).await;
        } else {
            current.move_to(store, AnalysisState::ALL[number % 2]).await;
        }
    }
}
