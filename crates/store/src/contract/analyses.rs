//! Analyses: every revision is kept to the byte, and only the holder of the latest one may add the next.

use cantata_core::{AnalysisId, AnalysisState, EventAction, Timestamp};

use super::Backend;
use super::builders::{AnalysisBuilder, analysis};
use super::steps::{
    all_events, document, duplicate_of, insert, insert_all, list_all, open_with_studies, revisions, submit, submit_copy,
};
use crate::{
    AnalysisChange, AnalysisQuery, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Revision, StateSet,
    StoreError, StoredAnalysis,
};

/// The document that is read is the stored text with all its whitespace.
pub async fn an_inserted_analysis_reads_back_to_the_byte(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let plain = analysis("S", 2);
    let large =
        AnalysisBuilder::in_study("S").file(&"long ".repeat(500_000), "595f44fec1e92a71d3e9e77456ba80d1").build();
    let mut spaced = NewAnalysis::of(&analysis("S", 1)).unwrap();
    spaced.document = "{ \"b\" : \"\\u0000 \\\" ' \u{1F9EC}\",\n\t\"a\" : 1.0e5 }".to_owned();
    for new in [NewAnalysis::of(&plain).unwrap(), NewAnalysis::of(&large).unwrap(), spaced] {
        let inserted = store.insert_analysis(new.clone(), DuplicateRule::AnyAnalysis).await.unwrap();
        let InsertOutcome::Stored(revision) = inserted else { panic!("not stored: {inserted:?}") };
        let expected = StoredAnalysis { revision, study_id: "S".to_owned(), document: new.document.clone() };
        assert_eq!(store.analysis(new.analysis_id).await.unwrap(), Some(expected));
        assert_eq!(store.documents(&[revision]).await.unwrap(), [new.document]);
    }
    assert_eq!(store.analysis(AnalysisId::generate()).await.unwrap(), None);
}

/// An analysis that is imported with a history is stored in its state, and is counted in it at once.
pub async fn an_inserted_analysis_has_the_state_it_says(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = vec![];
    for (number, state) in AnalysisState::ALL.into_iter().enumerate() {
        let mut past = analysis("S", 1);
        past.change_state(state, Timestamp::from_micros(1_600_000_000_000_001)).unwrap();
        let imported = insert(&*store, past).await;
        imported.assert_current(&*store).await;
        let of_state = StateSet::from_iter([state]);
        assert_eq!(store.list_analyses(&AnalysisQuery::all("S", of_state)).await.unwrap(), [imported.revision]);
        assert_eq!(store.count_analyses("S", of_state).await.unwrap(), 1);
        let events = all_events(&*store).await;
        assert_eq!(events.len(), number + 1);
        assert_eq!((events[number].action, events[number].state), (EventAction::Create, state));
        stored.push(imported);
    }
    for imported in stored {
        let file = &imported.files[0];
        let is_published = imported.state == AnalysisState::Published;
        let expected = if is_published { Err(duplicate_of(file)) } else { Ok(()) };
        assert_eq!(submit_copy(&*store, file, DuplicateRule::PublishedAnalysis).await, expected);
    }
}

/// Nothing is stored into a study that does not exist.
pub async fn an_unknown_study_takes_no_analysis(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    for study_id in ["T", "s", "", "S "] {
        let homeless = analysis(study_id, 1);
        assert_eq!(submit(&*store, &homeless, DuplicateRule::Allow).await, InsertOutcome::UnknownStudy, "'{study_id}'");
        assert_eq!(store.analysis(homeless.analysis_id).await.unwrap(), None);
        assert_eq!(store.file(homeless.files[0].object_id).await.unwrap(), None);
    }
}

/// An id that is taken makes the insertion fail, and leaves the stored analysis and its files as they are.
pub async fn a_taken_analysis_id_is_refused(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let first = insert(&*store, analysis("S", 1)).await;
    for study_id in ["S", "T"] {
        let second = AnalysisBuilder::with_id(study_id, first.analysis_id).files(3).build();
        let outcome = store.insert_analysis(NewAnalysis::of(&second).unwrap(), DuplicateRule::Allow).await;
        assert!(outcome.is_err(), "{outcome:?}");
        assert_eq!(store.file(second.files[2].object_id).await.unwrap(), None);
    }
    first.assert_current(&*store).await;
    assert_eq!(list_all(&*store, "S").await, [first.revision]);
    assert_eq!(store.count_analyses("S", StateSet::ALL).await.unwrap(), 1);
    assert_eq!(store.count_analyses("T", StateSet::ALL).await.unwrap(), 0);
    assert_eq!(all_events(&*store).await.len(), 1);
}

/// After a replacement the analysis reads as the new document at the new revision.
pub async fn a_replacement_is_the_latest_revision(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 1)).await;
    let first = stored.revision;
    stored.update(&*store, |after| after.data.insert("note".to_owned(), "changed".into())).await;
    assert!(stored.revision > first);
    stored.assert_current(&*store).await;
}

/// A change computed from anything but the latest revision changes nothing.
pub async fn a_replacement_from_an_old_revision_is_a_conflict(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let original = insert(&*store, analysis("S", 2)).await;
    let other = insert(&*store, analysis("S", 1)).await;
    let mut published = original.clone();
    published.move_to(&*store, AnalysisState::Published).await;
    let mut late = original.analysis.clone();
    late.files.remove(0);
    let next = Revision(published.revision.0 + 1);
    for from in [original.revision, other.revision, Revision(0), next, Revision(u64::MAX)] {
        let change = AnalysisChange::between(from, &original, &late, EventAction::Update).unwrap();
        assert_eq!(store.replace_analysis(change).await.unwrap(), ReplaceOutcome::Conflict, "{from:?}");
    }
    published.assert_current(&*store).await;
    assert!(store.file(original.files[0].object_id).await.unwrap().is_some());
    assert_eq!(store.count_analyses("S", StateSet::from_iter([AnalysisState::Published])).await.unwrap(), 1);
    assert_eq!(all_events(&*store).await.len(), 3);
}

/// An analysis that is not stored cannot be changed.
pub async fn a_replacement_of_an_unknown_analysis_is_a_conflict(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let stored = insert(&*store, analysis("S", 1)).await;
    let unknown = analysis("S", 1);
    for from in [stored.revision, Revision(0)] {
        let change = AnalysisChange::between(from, &unknown, &unknown, EventAction::Update).unwrap();
        assert_eq!(store.replace_analysis(change).await.unwrap(), ReplaceOutcome::Conflict, "{from:?}");
    }
    assert_eq!(store.analysis(unknown.analysis_id).await.unwrap(), None);
    assert_eq!(store.count_analyses("S", StateSet::ALL).await.unwrap(), 1);
}

/// A revision keeps its document after later changes.
pub async fn old_revisions_keep_their_documents(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut current = insert(&*store, analysis("S", 2)).await;
    let (mut revisions, mut documents) = (vec![current.revision], vec![document(&current)]);
    for state in
        [AnalysisState::Published, AnalysisState::Unpublished, AnalysisState::Unpublished, AnalysisState::Suppressed]
    {
        current.move_to(&*store, state).await;
        revisions.push(current.revision);
        documents.push(document(&current));
    }
    assert!(revisions.is_sorted_by(|left, right| left < right), "{revisions:?}");
    assert_eq!(store.documents(&revisions).await.unwrap(), documents);
}

/// Documents come in the order asked for, one as often as it is asked for.
pub async fn documents_come_in_the_order_asked_for(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let mut stored = vec![];
    for study_id in ["S", "T", "S"] {
        let analysis = insert(&*store, analysis(study_id, 1)).await;
        stored.push((analysis.revision, document(&analysis)));
    }
    for order in [vec![], vec![2, 0, 1], vec![1, 1, 0, 1]] {
        let (revisions, documents): (Vec<_>, Vec<_>) = order.into_iter().map(|at: usize| stored[at].clone()).unzip();
        assert_eq!(store.documents(&revisions).await.unwrap(), documents);
    }
}

/// The number of documents that can be asked for has no limit.
pub async fn very_many_documents_can_be_asked_for_at_once(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut revisions = vec![insert(&*store, analysis("S", 0)).await.revision; 70_000];
    revisions[69_999] = insert(&*store, analysis("S", 0)).await.revision;
    let documents = store.documents(&revisions).await.unwrap();
    assert_eq!(documents.len(), revisions.len());
    assert!(documents[0] == documents[69_998] && documents[0] != documents[69_999]);
}

/// Asking for a revision that was never stored is an error, not a shorter answer.
pub async fn revisions_never_stored_are_corrupt(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let stored = insert(&*store, analysis("S", 1)).await.revision;
    for missing in [0, stored.0 + 1, i64::MAX.unsigned_abs(), u64::MAX] {
        let answer = store.documents(&[stored, Revision(missing)]).await;
        assert!(matches!(answer, Err(StoreError::Corrupt { .. })), "revision {missing}: {answer:?}");
    }
}

/// Analyses that are stored in random order are listed in the order of their ids.
pub async fn listing_is_ordered_by_analysis_id(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let expected = insert_all(&*store, (0..50).map(|_| analysis("S", 1))).await;
    insert_all(&*store, (0..5).map(|_| analysis("T", 1))).await;
    assert_eq!(list_all(&*store, "S").await, revisions(&expected));
}

/// A listing holds the analyses that are in one of the states now.
pub async fn listing_selects_states(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert_all(&*store, (0..20).map(|_| analysis("S", 1))).await;
    for (number, stored) in stored.iter_mut().enumerate() {
        for state in [AnalysisState::Published, AnalysisState::Suppressed].into_iter().take(number % 3) {
            stored.move_to(&*store, state).await;
        }
    }
    for bits in 0..8 {
        let wanted: Vec<_> = AnalysisState::ALL.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1).collect();
        let states: StateSet = wanted.into_iter().map(|(_, state)| state).collect();
        let expected = revisions(stored.iter().filter(|stored| states.contains(stored.state)));
        assert_eq!(store.list_analyses(&AnalysisQuery::all("S", states)).await.unwrap(), expected, "{states:?}");
        assert_eq!(store.count_analyses("S", states).await.unwrap(), expected.len() as u64, "{states:?}");
    }
}

/// A page is a range of the listing of these states.
pub async fn listing_pages(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert_all(&*store, (0..17).map(|_| analysis("S", 1))).await;
    for stored in stored.iter_mut().step_by(2) {
        stored.move_to(&*store, AnalysisState::Published).await;
    }
    for states in [StateSet::ALL, StateSet::from_iter([AnalysisState::Published])] {
        let revisions = revisions(stored.iter().filter(|stored| states.contains(stored.state)));
        for limit in [None, Some(0), Some(1), Some(4), Some(17), Some(u64::MAX)] {
            for offset in [0, 1, 4, 8, 16, 17, 100, u64::MAX] {
                let skipped = usize::try_from(offset).unwrap().min(revisions.len());
                let taken = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap());
                let expected: Vec<_> = revisions.iter().skip(skipped).take(taken).copied().collect();
                let query = AnalysisQuery { limit, offset, ..AnalysisQuery::all("S", states) };
                assert_eq!(store.list_analyses(&query).await.unwrap(), expected, "{query:?}");
            }
        }
    }
}

/// Pages that each begin after the last analysis of the one before are the listing, whatever is added meanwhile.
pub async fn listing_pages_by_key(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let mut stored = insert_all(&*store, (0..17).map(|_| analysis("S", 1))).await;
    insert(&*store, analysis("T", 1)).await;
    for stored in stored.iter_mut().step_by(2) {
        stored.move_to(&*store, AnalysisState::Published).await;
    }
    stored.sort_by_key(|stored| stored.analysis_id);
    for states in [StateSet::ALL, StateSet::from_iter([AnalysisState::Published])] {
        let matching: Vec<_> = stored.iter().filter(|stored| states.contains(stored.state)).collect();
        for limit in [1, 4, 17, u64::MAX] {
            let (mut listed, mut after) = (Vec::new(), None);
            loop {
                let query = AnalysisQuery { after, limit: Some(limit), ..AnalysisQuery::all("S", states) };
                let page = store.list_analyses(&query).await.unwrap();
                if page.is_empty() {
                    break;
                }
                listed.extend(page);
                after = Some(matching[listed.len() - 1].analysis_id);
            }
            let expected: Vec<_> = matching.iter().map(|stored| stored.revision).collect();
            assert_eq!(listed, expected, "{states:?} {limit}");
        }
    }
    let after = Some(stored[3].analysis_id);
    let rest = AnalysisQuery { after, ..AnalysisQuery::all("S", StateSet::ALL) };
    assert_eq!(store.list_analyses(&AnalysisQuery { limit: Some(0), ..rest.clone() }).await.unwrap(), []);
    let skipped = AnalysisQuery { limit: Some(2), offset: 1, ..rest.clone() };
    assert_eq!(store.list_analyses(&skipped).await.unwrap(), [5, 6].map(|nth: usize| stored[nth].revision));
    let unknown = AnalysisQuery { study_id: "unknown".to_owned(), ..rest };
    assert_eq!(store.list_analyses(&unknown).await.unwrap(), []);
}

/// A replaced revision is not listed any more.
pub async fn listing_shows_latest_revisions_only(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 1)).await;
    stored.update(&*store, |_| ()).await;
    assert_eq!(list_all(&*store, "S").await, [stored.revision]);
}

/// A study that does not exist has no analyses.
pub async fn an_unknown_study_lists_nothing(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    insert(&*store, analysis("S", 1)).await;
    for study_id in ["T", "s", ""] {
        assert_eq!(list_all(&*store, study_id).await, []);
        assert_eq!(store.count_analyses(study_id, StateSet::ALL).await.unwrap(), 0);
    }
}

/// Counts are those of the states the analyses are in now, study by study.
pub async fn counting_follows_the_states(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let mut moving = insert(&*store, analysis("S", 1)).await;
    insert(&*store, analysis("S", 1)).await;
    insert(&*store, analysis("T", 1)).await;
    for state in
        [AnalysisState::Published, AnalysisState::Published, AnalysisState::Unpublished, AnalysisState::Suppressed]
    {
        moving.move_to(&*store, state).await;
        for counted in AnalysisState::ALL {
            let expected = u64::from(counted == state) + u64::from(counted == AnalysisState::Unpublished);
            let count = store.count_analyses("S", StateSet::from_iter([counted])).await.unwrap();
            assert_eq!(count, expected, "{counted} while one is {state}");
        }
        assert_eq!(store.count_analyses("S", StateSet::ALL).await.unwrap(), 2);
        assert_eq!(store.count_analyses("S", StateSet::from_iter([])).await.unwrap(), 0);
        assert_eq!(store.count_analyses("T", StateSet::ALL).await.unwrap(), 1);
    }
}
