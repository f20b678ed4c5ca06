//! Restarts: what was answered with success is there when the store is opened again, and is found as before.

use std::sync::Arc;

use cantata_core::{Analysis, AnalysisState, File, FileAccess};

use super::Backend;
use super::builders::{analysis, new_type, study, unique_md5};
use super::steps::{
    EVERYTHING, TrackedAnalysis, all_events, document, duplicate_of, insert, list_all, open_with_studies, race,
    revisions, submit_copy,
};
use crate::{DuplicateRule, FileFilter, ObjectIdPattern, PageRange, StateSet, Store, TypeQuery};

/// An empty store can be opened again and used.
pub async fn an_empty_store_opens_again(backend: &dyn Backend) {
    for _ in 0..3 {
        let store = backend.open().await;
        store.check_health().await.unwrap();
        assert!(store.study_ids().await.unwrap().is_empty());
        assert_eq!(*store.latest_event().borrow(), 0);
    }
    let store = open_with_studies(backend, &["S"]).await;
    insert(&*store, analysis("S", 1)).await;
}

/// Studies, types, analyses and files read after a restart as before it, and what was taken stays taken.
pub async fn everything_small_is_there_after_a_restart(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    for name in ["a", "b", "a"] {
        store.register_type(new_type(name)).await.unwrap();
    }
    let stored = insert(&*store, analysis("S", 3)).await;
    let types = store.list_types(&TypeQuery::versions_of("a")).await.unwrap();
    let files = store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap();
    let events = all_events(&*store).await;
    drop(store);

    let store = backend.open().await;
    assert_eq!(store.study_ids().await.unwrap(), ["S", "T"]);
    assert_eq!(store.study("T").await.unwrap(), Some(study("T")));
    assert!(!store.create_study(study("S")).await.unwrap());
    assert_eq!(store.list_types(&TypeQuery::versions_of("a")).await.unwrap(), types);
    assert_eq!(store.register_type(new_type("a")).await.unwrap().id.version, 3);
    stored.assert_current(&*store).await;
    assert_eq!(list_all(&*store, "S").await, [stored.revision]);
    assert_eq!(store.count_analyses("S", StateSet::ALL).await.unwrap(), 1);
    assert_eq!(store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap(), files);
    assert_eq!(store.search_by_file("S", &ObjectIdPattern::Any).await.unwrap(), [stored.revision]);
    assert_eq!(all_events(&*store).await, events);
}

/// States, changed files and removed files are after a restart what they were before it, not what they were first.
pub async fn replacements_survive_a_restart(backend: &dyn Backend) {
    let mut store = open_with_studies(backend, &["S"]).await;
    let original = insert(&*store, analysis("S", 3)).await;
    let mut current = original.clone();
    current.move_to(&*store, AnalysisState::Published).await;
    let change = |after: &mut Analysis| {
        after.files[1].file_md5sum = unique_md5();
        after.files[1].file_access = FileAccess::Controlled;
        after.files.remove(0);
    };
    current.update(&*store, change).await;
    for _ in 0..2 {
        drop(store);
        store = backend.open().await;
        current.assert_current(&*store).await;
        assert_eq!(store.count_analyses("S", StateSet::from_iter([AnalysisState::Published])).await.unwrap(), 1);
        assert_eq!(store.count_analyses("S", StateSet::from_iter([AnalysisState::Unpublished])).await.unwrap(), 0);
        assert_eq!(store.file(original.files[0].object_id).await.unwrap(), None);
        let changed = store.file(original.files[1].object_id).await.unwrap().unwrap();
        assert_eq!(changed.access, FileAccess::Controlled);
        assert_eq!(store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap().0, 2);
        for file in &current.files {
            let answer = submit_copy(&*store, file, DuplicateRule::PublishedAnalysis).await;
            assert_eq!(answer, Err(duplicate_of(file)));
        }
    }
    for free in &original.files[..2] {
        assert_eq!(submit_copy(&*store, free, DuplicateRule::AnyAnalysis).await, Ok(()));
    }
}

const MANY_ANALYSES: usize = 3_000;
const FILES_EACH: usize = 30;

/// Stores very many files from several callers at once. Each finds its earlier files while the others store theirs.
/// Returns the analyses by id.
async fn fill(store: &Arc<dyn Store>) -> Vec<TrackedAnalysis> {
    const WRITERS: usize = 30;
    let stored = race(store, WRITERS, |store, writer| async move {
        let mut stored: Vec<TrackedAnalysis> = vec![];
        for number in 0..MANY_ANALYSES / WRITERS {
            let study_id = if (writer + number) % 2 == 0 { "S" } else { "T" };
            stored.push(insert(&*store, analysis(study_id, FILES_EACH)).await);
            let earlier = &stored[number * 2 / 3].files[number % FILES_EACH];
            let location = store.file(earlier.object_id).await.unwrap();
            assert_eq!(location.map(|location| location.analysis_id), Some(earlier.analysis_id));
            if number % 10 == 0 {
                assert_is_duplicate(&*store, earlier).await;
            }
        }
        stored
    });
    let mut stored = stored.await.concat();
    stored.sort_by_key(|stored| stored.analysis_id);
    stored
}

/// Asserts that a submission with the checksum of this file, in upper case, is rejected because of it.
async fn assert_is_duplicate(store: &dyn Store, file: &File) {
    let copied = File { file_md5sum: file.file_md5sum.to_uppercase(), ..file.clone() };
    assert_eq!(submit_copy(store, &copied, DuplicateRule::AnyAnalysis).await, Err(duplicate_of(file)));
}

/// Asserts that listings, lookups and the duplicate check of a large store find these analyses.
async fn assert_all_found(store: &dyn Store, stored: &[TrackedAnalysis]) {
    for study_id in ["S", "T"] {
        let expected = revisions(stored.iter().filter(|stored| stored.study_id == study_id));
        assert_eq!(list_all(store, study_id).await, expected);
        assert_eq!(store.count_analyses(study_id, StateSet::ALL).await.unwrap(), expected.len() as u64);
        assert_eq!(store.search_by_file(study_id, &ObjectIdPattern::Any).await.unwrap(), expected);
    }
    let documents = store.documents(&revisions(stored)).await.unwrap();
    assert!(documents.iter().zip(stored).all(|(text, stored)| *text == document(stored)));

    let mut object_ids: Vec<_> = stored.iter().flat_map(|stored| &stored.files).map(|file| file.object_id).collect();
    object_ids.sort_unstable();
    let page = PageRange { offset: object_ids.len() as u64 / 2, limit: 50 };
    let (total, entries) = store.list_files(&FileFilter::default(), page).await.unwrap();
    assert_eq!(total, object_ids.len() as u64);
    let middle = &object_ids[object_ids.len() / 2..][..50];
    assert!(entries.iter().map(|entry| &entry.object_id).eq(middle), "files are listed by object id");

    for (number, analysis) in stored.iter().enumerate() {
        let file = &analysis.files[number % analysis.files.len()];
        let entry = store.file(file.object_id).await.unwrap().unwrap();
        assert_eq!((entry.analysis_id, entry.name.as_str()), (file.analysis_id, file.file_name.as_str()));
    }
    for (number, analysis) in stored.iter().enumerate().step_by(7) {
        assert_is_duplicate(store, &analysis.files[number % analysis.files.len()]).await;
    }
}

/// Very many files, enough to cross any internal batching, are found before and after restarts, changes included.
pub async fn many_files_survive_restarts(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let mut stored = fill(&store).await;
    assert_all_found(&*store, &stored).await;
    drop(store);

    let store = backend.open().await;
    assert_all_found(&*store, &stored).await;
    let mut gone = vec![];
    for stored in stored.iter_mut().step_by(30) {
        gone.extend_from_slice(&stored.files[..2]);
        let change = |after: &mut Analysis| {
            after.files.remove(0);
            after.files[0].file_md5sum = unique_md5();
        };
        stored.update(&*store, change).await;
    }
    drop(store);

    let store = backend.open().await;
    assert_all_found(&*store, &stored).await;
    let events = all_events(&*store).await;
    assert_eq!(events.len(), MANY_ANALYSES + MANY_ANALYSES / 30);
    for pair in gone.chunks(2) {
        assert_eq!(store.file(pair[0].object_id).await.unwrap(), None);
        for file in pair {
            assert_eq!(submit_copy(&*store, file, DuplicateRule::AnyAnalysis).await, Ok(()));
        }
    }
}
