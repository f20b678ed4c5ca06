//! Restarts: what was answered with success is there when the store is opened again, and is found as before.

use std::sync::Arc;

use cantata_core::{Analysis, AnalysisState, EventAction, File, FileAccess};
use tokio::task::JoinSet;

use super::Backend;
use super::builders::{AnalysisBuilder, analysis, new_type, study, unique_md5};
use super::steps::{all_events, document, insert, list_all, move_to, open_with_studies, replace, submit};
use crate::{
    DuplicateRule, FileFilter, InsertOutcome, ObjectIdPattern, PageRange, Revision, StateSet, Store, TypeQuery,
};

const EVERYTHING: PageRange = PageRange { offset: 0, limit: u64::MAX };

/// A store nothing was written to can be opened again and used.
pub async fn an_empty_store_opens_again(backend: &dyn Backend) {
    for _ in 0..3 {
        let store = backend.open().await;
        store.check_health().await.unwrap();
        assert!(store.study_ids().await.unwrap().is_empty());
        assert_eq!(*store.latest_event().borrow(), 0);
    }
    let store = open_with_studies(backend, &["S"]).await;
    insert(&*store, &analysis("S", 1)).await;
}

/// Studies, types, analyses and files read after a restart as before it, and what was taken stays taken.
pub async fn everything_small_is_there_after_a_restart(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    for name in ["a", "b", "a"] {
        store.register_type(new_type(name)).await.unwrap();
    }
    let stored = analysis("S", 3);
    let revision = insert(&*store, &stored).await;
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
    assert_eq!(store.analysis(stored.analysis_id).await.unwrap().unwrap().document, document(&stored));
    assert_eq!(list_all(&*store, "S").await, [revision]);
    assert_eq!(store.count_analyses("S", StateSet::ALL).await.unwrap(), 1);
    assert_eq!(store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap(), files);
    assert_eq!(store.search_by_file("S", &ObjectIdPattern::Any).await.unwrap(), [revision]);
    assert_eq!(all_events(&*store).await, events);
}

/// States, changed files and removed files are after a restart what they were before it, not what they were first.
pub async fn replacements_survive_a_restart(backend: &dyn Backend) {
    let mut store = open_with_studies(backend, &["S"]).await;
    let original = analysis("S", 3);
    let mut current = original.clone();
    let mut revision = insert(&*store, &current).await;
    revision = move_to(&*store, revision, &mut current, AnalysisState::Published).await;
    let before = current.clone();
    current.files[1].file_md5sum = unique_md5();
    current.files[1].file_access = FileAccess::Controlled;
    current.files.remove(0);
    revision = replace(&*store, revision, &before, &current, EventAction::Update).await;
    for _ in 0..2 {
        drop(store);
        store = backend.open().await;
        let stored = store.analysis(original.analysis_id).await.unwrap().unwrap();
        assert_eq!((stored.revision, stored.document), (revision, document(&current)));
        assert_eq!(store.count_analyses("S", StateSet::from_iter([AnalysisState::Published])).await.unwrap(), 1);
        assert_eq!(store.count_analyses("S", StateSet::from_iter([AnalysisState::Unpublished])).await.unwrap(), 0);
        assert_eq!(store.file(original.files[0].object_id).await.unwrap(), None);
        let changed = store.file(original.files[1].object_id).await.unwrap().unwrap();
        assert_eq!(changed.access, FileAccess::Controlled);
        assert_eq!(store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap().0, 2);
        for file in &current.files {
            let copy = AnalysisBuilder::in_study("S").file("copy", &file.file_md5sum).build();
            let answer = submit(&*store, &copy, DuplicateRule::PublishedAnalysis).await;
            assert!(
                matches!(answer, InsertOutcome::Duplicate { object_id, .. } if object_id == file.object_id),
                "{answer:?}"
            );
        }
    }
    for free in &original.files[..2] {
        let copy = AnalysisBuilder::in_study("S").file("copy", &free.file_md5sum).build();
        let answer = submit(&*store, &copy, DuplicateRule::AnyAnalysis).await;
        assert!(matches!(answer, InsertOutcome::Stored(_)), "{answer:?}");
    }
}

const MANY_ANALYSES: usize = 3_000;
const FILES_EACH: usize = 30;

/// Stores very many files from several callers at once, each of which finds what it stored before while the others
/// go on storing; returns the analyses by id.
async fn fill(store: &Arc<dyn Store>) -> Vec<(Revision, Analysis)> {
    const WRITERS: usize = 30;
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let store = Arc::clone(store);
        writers.spawn(async move {
            let mut stored: Vec<(Revision, Analysis)> = vec![];
            for number in 0..MANY_ANALYSES / WRITERS {
                let analysis = analysis(if (writer + number) % 2 == 0 { "S" } else { "T" }, FILES_EACH);
                stored.push((insert(&*store, &analysis).await, analysis));
                let earlier = &stored[number * 2 / 3].1.files[number % FILES_EACH];
                let entry = store.file(earlier.object_id).await.unwrap();
                assert_eq!(entry.map(|entry| entry.analysis_id), Some(earlier.analysis_id));
                if number % 10 == 0 {
                    assert_is_duplicate(&*store, earlier).await;
                }
            }
            stored
        });
    }
    let mut stored = writers.join_all().await.concat();
    stored.sort_by_key(|(_, analysis)| analysis.analysis_id);
    stored
}

/// Asserts that a submission with the checksum of this file, in the other case, is refused because of it.
async fn assert_is_duplicate(store: &dyn Store, file: &File) {
    let copy = AnalysisBuilder::in_study("S").file("copy", &file.file_md5sum.to_uppercase()).build();
    let expected = InsertOutcome::Duplicate {
        file_name: "copy".to_owned(),
        object_id: file.object_id,
        analysis_id: file.analysis_id,
    };
    assert_eq!(submit(store, &copy, DuplicateRule::AnyAnalysis).await, expected);
}

/// Asserts that listings, lookups and the duplicate check of a large store find what these analyses hold.
async fn assert_all_found(store: &dyn Store, stored: &[(Revision, Analysis)]) {
    for study_id in ["S", "T"] {
        let of_study = stored.iter().filter(|(_, analysis)| analysis.study_id == study_id);
        let expected: Vec<Revision> = of_study.map(|(revision, _)| *revision).collect();
        assert_eq!(list_all(store, study_id).await, expected);
        assert_eq!(store.count_analyses(study_id, StateSet::ALL).await.unwrap(), expected.len() as u64);
        assert_eq!(store.search_by_file(study_id, &ObjectIdPattern::Any).await.unwrap(), expected);
    }
    let revisions: Vec<Revision> = stored.iter().map(|(revision, _)| *revision).collect();
    let documents = store.documents(&revisions).await.unwrap();
    assert!(documents.iter().zip(stored).all(|(text, (_, analysis))| *text == document(analysis)));

    let mut object_ids: Vec<_> =
        stored.iter().flat_map(|(_, analysis)| &analysis.files).map(|file| file.object_id).collect();
    object_ids.sort_unstable();
    let page = PageRange { offset: object_ids.len() as u64 / 2, limit: 50 };
    let (total, entries) = store.list_files(&FileFilter::default(), page).await.unwrap();
    assert_eq!(total, object_ids.len() as u64);
    let middle = &object_ids[object_ids.len() / 2..][..50];
    assert!(entries.iter().map(|entry| &entry.object_id).eq(middle), "files are listed by object id");

    for (number, (_, analysis)) in stored.iter().enumerate() {
        let file = &analysis.files[number % analysis.files.len()];
        let entry = store.file(file.object_id).await.unwrap().unwrap();
        assert_eq!((entry.analysis_id, entry.name.as_str()), (file.analysis_id, file.file_name.as_str()));
    }
    for (number, (_, analysis)) in stored.iter().enumerate().step_by(7) {
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
    for (revision, analysis) in stored.iter_mut().step_by(30) {
        let before = analysis.clone();
        gone.push(analysis.files.remove(0));
        gone.push(before.files[1].clone());
        analysis.files[0].file_md5sum = unique_md5();
        *revision = replace(&*store, *revision, &before, analysis, EventAction::Update).await;
    }
    drop(store);

    let store = backend.open().await;
    assert_all_found(&*store, &stored).await;
    let events = all_events(&*store).await;
    assert_eq!(events.len(), MANY_ANALYSES + MANY_ANALYSES / 30);
    for pair in gone.chunks(2) {
        assert_eq!(store.file(pair[0].object_id).await.unwrap(), None);
        for file in pair {
            let copy = AnalysisBuilder::in_study("S").file("copy", &file.file_md5sum).build();
            let answer = submit(&*store, &copy, DuplicateRule::AnyAnalysis).await;
            assert!(matches!(answer, InsertOutcome::Stored(_)), "{answer:?}");
        }
    }
}
