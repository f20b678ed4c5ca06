//! Many callers at once: with any interleaving, the outcome is that of some order of the operations.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use cantata_core::{Analysis, AnalysisId, AnalysisState, EventAction, PartialTypeOptions, Study};
use serde_json::json;

use super::Backend;
use super::builders::{AnalysisBuilder, analysis, new_type, study, unique_md5};
use super::steps::{
    EVERYTHING, TrackedAnalysis, all_events, duplicate_of, insert, list_all, open_with_studies, race, submit,
    submit_copy,
};
use crate::{
    AnalysisChange, DuplicateRule, FileFilter, InsertOutcome, NewAnalysis, NewAnalysisType, ReplaceOutcome, Revision,
    StateSet, Store, TypeQuery,
};

/// Versions of one type are unique and consecutive, and each inherits from the one before it.
pub async fn racing_registrations_get_consecutive_versions(backend: &dyn Backend) {
    let store = backend.open().await;
    let given = |number: usize| PartialTypeOptions {
        file_types: number.is_multiple_of(3).then(|| vec![format!("type{number}")]),
        external_validations: None,
    };
    let mut registered = race(&store, 60, |store, number| async move {
        let name = if number % 2 == 0 { "even" } else { "odd" };
        let new = NewAnalysisType { schema: json!({"number": number}), options: given(number), ..new_type(name) };
        (number, store.register_type(new).await.unwrap())
    })
    .await;
    registered.sort_by_key(|(_, registered)| registered.id.version);
    for name in ["even", "odd"] {
        let mut previous = None;
        let of_name = registered.iter().filter(|(_, registered)| registered.id.name == name);
        for ((number, registered), version) in of_name.zip(1..=30) {
            assert_eq!(registered.id.version, version);
            assert_eq!(registered.options, given(*number).inherit(previous.as_ref()), "{}", registered.id);
            assert_eq!(store.analysis_type(name, Some(version)).await.unwrap().as_ref(), Some(registered));
            previous = Some(registered.options.clone());
        }
        assert_eq!(store.latest_type_version(name).await.unwrap(), Some(30));
    }
}

/// One of the creators of a study wins, and it is its study that is stored.
pub async fn racing_studies_have_one_winner(backend: &dyn Backend) {
    let store = backend.open().await;
    let named = |number: usize| Study { name: Some(format!("{number}")), ..study("S") };
    let answers = race(&store, 30, |store, number| async move {
        let is_winner = store.create_study(named(number)).await.unwrap();
        is_winner.then_some(number)
    })
    .await;
    let winners: Vec<usize> = answers.into_iter().flatten().collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    assert_eq!(store.study("S").await.unwrap(), Some(named(winners[0])));
}

/// One by one, each change has a commit of its own; changes at once have no more than that, and at least one.
pub async fn changes_at_once_may_share_commits(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let begin = store.commit_count();
    for number in 1..=5 {
        insert(&*store, analysis("S", 1)).await;
        assert_eq!(store.commit_count() - begin, number);
    }
    race(&store, 100, |store, _| async move { insert(&*store, analysis("S", 1)).await }).await;
    assert!((6..=105).contains(&(store.commit_count() - begin)), "{begin} {}", store.commit_count());
}

/// Servers that start at once seed each type once.
pub async fn racing_seeds_register_once(backend: &dyn Backend) {
    let store = backend.open().await;
    race(&store, 10, |store, _| async move {
        store.seed_types(["a", "b", "c"].map(new_type).to_vec()).await.unwrap();
    })
    .await;
    for name in ["a", "b", "c"] {
        assert_eq!(store.list_types(&TypeQuery::versions_of(name)).await.unwrap().0, 1, "{name}");
    }
}

/// Of submissions with the same checksum one is stored, and all others are reported as its duplicates.
pub async fn racing_duplicates_have_one_winner(backend: &dyn Backend) {
    one_wins(backend, AnalysisState::Unpublished, DuplicateRule::AnyAnalysis).await;
}

/// The same holds where only published analyses count, for submissions that are published at once.
pub async fn racing_published_duplicates_have_one_winner(backend: &dyn Backend) {
    one_wins(backend, AnalysisState::Published, DuplicateRule::PublishedAnalysis).await;
}

async fn one_wins(backend: &dyn Backend, state: AnalysisState, rule: DuplicateRule) {
    let store = open_with_studies(backend, &["S"]).await;
    let md5 = unique_md5();
    let answers = race(&store, 40, |store, number| {
        let mut racer = AnalysisBuilder::in_study("S").files(2).file(&format!("{number}.bam"), &md5).build();
        racer.state = state;
        async move { (submit(&*store, &racer, rule).await, racer) }
    })
    .await;
    let stored = all_events(&*store).await;
    assert_eq!(stored.len(), 1);
    for (answer, racer) in answers {
        match answer {
            InsertOutcome::Stored(revision) => {
                assert_eq!((revision.0, racer.analysis_id), (stored[0].seq, stored[0].analysis_id));
            }
            InsertOutcome::Duplicate { file_name, object_id, analysis_id } => {
                assert_eq!(file_name, racer.files[2].file_name);
                assert_eq!(analysis_id, stored[0].analysis_id);
                assert_eq!(store.file(object_id).await.unwrap().unwrap().analysis_id, analysis_id);
                assert_eq!(store.analysis(racer.analysis_id).await.unwrap(), None);
            }
            InsertOutcome::UnknownStudy => panic!("the study is known"),
        }
    }
}

/// Where each submission shares a checksum with its neighbours, no two stored ones share one.
pub async fn overlapping_racers_never_share_a_checksum(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let md5s: Vec<String> = (0..=50).map(|_| unique_md5()).collect();
    let answers = race(&store, 50, |store, number| {
        let builder = AnalysisBuilder::in_study("S").file("left", &md5s[number]);
        let racer = builder.file("right", &md5s[number + 1]).build();
        async move { (number, submit(&*store, &racer, DuplicateRule::AnyAnalysis).await) }
    })
    .await;
    let winners: BTreeSet<usize> = answers
        .iter()
        .filter(|(_, answer)| matches!(answer, InsertOutcome::Stored(_)))
        .map(|(number, _)| *number)
        .collect();
    for number in 0..50 {
        let is_stored = winners.contains(&number);
        let right = winners.contains(&(number + 1));
        let left = number > 0 && winners.contains(&(number - 1));
        assert!(!(is_stored && right), "{number} and its right neighbour are stored and share a checksum");
        assert!(is_stored || left || right, "{number} was rejected, but neither neighbour is stored");
    }
}

/// Of changes computed from one revision one is stored.
pub async fn racing_replacements_have_one_winner(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let original = insert(&*store, analysis("S", 2)).await;
    let answers = race(&store, 40, |store, number| {
        let before = original.clone();
        async move {
            let mut after = before.analysis.clone();
            after.data.insert("racer".to_owned(), number.into());
            after.files[0].file_md5sum = unique_md5();
            let change = AnalysisChange::between(before.revision, &before, &after, EventAction::Update).unwrap();
            (store.replace_analysis(change).await.unwrap(), after)
        }
    })
    .await;
    let mut winners = vec![];
    for (answer, racer) in answers {
        let file = racer.files[0].clone();
        let expected = match answer {
            ReplaceOutcome::Stored(revision) => {
                winners.push(TrackedAnalysis { revision, analysis: racer });
                Err(duplicate_of(&file))
            }
            ReplaceOutcome::Conflict => Ok(()),
        };
        let answer = submit_copy(&*store, &file, DuplicateRule::AnyAnalysis).await;
        assert_eq!(answer, expected, "only the winner's checksum counts");
    }
    assert_eq!(winners.len(), 1);
    winners[0].assert_current(&*store).await;
    let events = all_events(&*store).await;
    assert_eq!(events.iter().filter(|event| event.analysis_id == original.analysis_id).count(), 2);
}

/// Adds one to the counter in an analysis, and retries after a conflict.
async fn increment(store: &dyn Store, id: AnalysisId) -> Revision {
    loop {
        let stored = store.analysis(id).await.unwrap().unwrap();
        let before: Analysis = serde_json::from_str(&stored.document).unwrap();
        let mut after = before.clone();
        let counter = before.data.get("counter").map_or(0, |counter| counter.as_u64().unwrap());
        after.data.insert("counter".to_owned(), (counter + 1).into());
        let change = AnalysisChange::between(stored.revision, &before, &after, EventAction::Update).unwrap();
        if let ReplaceOutcome::Stored(revision) = store.replace_analysis(change).await.unwrap() {
            return revision;
        }
    }
}

/// No update is lost if callers retry after a conflict.
pub async fn no_update_is_lost(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let id = insert(&*store, analysis("S", 1)).await.analysis_id;
    let revisions = race(&store, 8, |store, _| async move {
        let mut revisions = vec![];
        for _ in 0..10 {
            revisions.push(increment(&*store, id).await);
        }
        revisions
    })
    .await;
    let distinct: BTreeSet<Revision> = revisions.into_iter().flatten().collect();
    assert_eq!(distinct.len(), 80);
    for (event, counter) in all_events(&*store).await.iter().skip(1).zip(1..=80) {
        let revision: Analysis = serde_json::from_str(&event.document).unwrap();
        assert_eq!(revision.data["counter"], counter);
    }
}

/// A follower of the latest number reads each event once and in order while many callers write.
pub async fn a_follower_sees_every_event_once_and_in_order(backend: &dyn Backend) {
    const WRITERS: usize = 12;
    const ROUNDS: usize = 10;
    let store = open_with_studies(backend, &["S", "T"]).await;
    let reader = Arc::clone(&store);
    let follower = tokio::spawn(async move {
        let mut latest = reader.latest_event();
        let mut events = vec![];
        while events.len() < WRITERS * ROUNDS * 2 {
            let known = *latest.wait_for(|number| *number > events.len() as u64).await.unwrap();
            let page = reader.events_after(events.len() as u64, 7).await.unwrap();
            let readable = page.first().is_some_and(|event| event.seq <= known);
            assert!(readable, "event {known} was announced before it could be read");
            events.extend(page);
        }
        events
    });
    let mut written = race(&store, WRITERS, |store, number| async move {
        let mut written = vec![];
        for _ in 0..ROUNDS {
            let new = insert(&*store, analysis(if number % 2 == 0 { "S" } else { "T" }, 2)).await;
            written.push((new.revision.0, new.analysis_id));
            written.push((increment(&*store, new.analysis_id).await.0, new.analysis_id));
            store.register_type(new_type("t")).await.unwrap();
        }
        written
    })
    .await
    .concat();
    written.sort_unstable();
    let followed = follower.await.unwrap();
    assert_eq!(followed.iter().map(|event| (event.seq, event.analysis_id)).collect::<Vec<_>>(), written);
    assert_eq!(all_events(&*store).await, followed);
}

/// An insertion that fails takes none of those with it that come at the same time.
pub async fn a_failing_insert_fails_alone(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let taken = insert(&*store, analysis("S", 1)).await.analysis_id;
    let answers = race(&store, 60, |store, number| async move {
        let fails = number % 5 == 0;
        let racer = if fails { AnalysisBuilder::with_id("S", taken).files(3).build() } else { analysis("S", 3) };
        let answer = store.insert_analysis(NewAnalysis::of(&racer).unwrap(), DuplicateRule::AnyAnalysis).await;
        assert_eq!(answer.is_err(), fails, "{answer:?}");
        let Ok(InsertOutcome::Stored(revision)) = answer else { return None };
        Some(TrackedAnalysis { revision, analysis: racer })
    })
    .await;
    for racer in answers.iter().flatten() {
        racer.assert_current(&*store).await;
        for file in &racer.files {
            assert_eq!(store.file(file.object_id).await.unwrap().unwrap().analysis_id, racer.analysis_id);
        }
    }
    assert_eq!(all_events(&*store).await.len(), 49);
    assert_eq!(store.count_analyses("S", StateSet::ALL).await.unwrap(), 49);
    assert_eq!(store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap().0, 48 * 3 + 1);
}

/// While an analysis changes, every answer is a whole revision, and none is older than the one before it.
pub async fn readers_see_whole_revisions(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let original = insert(&*store, analysis("S", 3)).await;
    let (id, first) = (original.analysis_id, original.revision);
    race(&store, 4, |store, number| async move {
        let mut seen = first;
        for _ in 0..30 {
            if number == 0 {
                increment(&*store, id).await;
            }
            let stored = store.analysis(id).await.unwrap().unwrap();
            assert!(stored.revision >= seen, "{:?} came after {seen:?}", stored.revision);
            assert_eq!(store.documents(&[stored.revision]).await.unwrap(), [stored.document]);
            let listed = list_all(&*store, "S").await;
            assert_eq!(listed.len(), 1);
            assert!(listed[0] >= stored.revision, "{listed:?} came after {:?}", stored.revision);
            store.documents(&listed).await.unwrap();
            assert_eq!(store.count_analyses("S", StateSet::from_iter([AnalysisState::Unpublished])).await.unwrap(), 1);
            seen = listed[0];
        }
    })
    .await;
}

/// A call that is cancelled stores a whole analysis or none, and blocks no other call.
pub async fn a_caller_that_leaves_leaves_no_half_analysis(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let submitted: Vec<Analysis> = (0..60).map(|_| analysis("S", 4)).collect();
    let mut answered = vec![];
    for (number, leaver) in submitted.iter().cloned().enumerate() {
        let target = Arc::clone(&store);
        let caller = tokio::spawn(async move { insert(&*target, leaver).await });
        for _ in 0..number {
            tokio::task::yield_now().await;
        }
        caller.abort();
        answered.extend(caller.await.ok());
    }
    insert(&*store, analysis("S", 1)).await;
    drop(store);
    let store = backend.open().await;
    let events = all_events(&*store).await;
    for TrackedAnalysis { revision, .. } in answered {
        assert!(events.iter().any(|event| event.seq == revision.0), "{revision:?} was answered with success");
    }
    for left in &submitted {
        let announced = events.iter().any(|event| event.analysis_id == left.analysis_id);
        assert_eq!(store.analysis(left.analysis_id).await.unwrap().is_some(), announced);
        for file in &left.files {
            assert_eq!(store.file(file.object_id).await.unwrap().is_some(), announced);
        }
    }
    assert_eq!(store.count_analyses("S", StateSet::ALL).await.unwrap(), events.len() as u64);
}

/// Calls that have begun and are not polled for a while, as in a stream, block no others.
pub async fn callers_that_wait_elsewhere_hold_nobody_up(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let known = insert(&*store, analysis("S", 1)).await;
    let mut waiting: Vec<Pin<Box<dyn Future<Output = ()> + Send + '_>>> = vec![];
    for number in 0..100 {
        let store = &store;
        waiting.push(Box::pin(async move {
            store.latest_type_version(&format!("t{number}")).await.unwrap();
            store.documents(&[Revision(1)]).await.unwrap();
        }));
    }
    let begin = poll_fn(|context| {
        // A store that answers at once has no callers that wait.
        waiting.retain_mut(|caller| caller.as_mut().poll(context).is_pending());
        Poll::Ready(())
    });
    begin.await;
    insert(&*store, analysis("S", 1)).await;
    known.assert_current(&*store).await;
    assert_eq!(store.list_types(&TypeQuery::versions_of("t")).await.unwrap().0, 0);
    for caller in waiting {
        caller.await;
    }
}
