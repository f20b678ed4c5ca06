//! Studies: the first study of an id is kept, and ids are compared exactly.

use cantata_core::Study;

use super::Backend;
use super::builders::study;
use super::steps::{EVERYTHING, all_events, open_with_studies};
use crate::FileFilter;

/// A study reads back with all its members, those of `info` in their order.
pub async fn a_study_reads_back_as_it_was_created(backend: &dyn Backend) {
    let store = backend.open().await;
    let full = study("FULL");
    let bare = Study { study_id: "BARE".to_owned(), ..Study::default() };
    assert!(store.create_study(full.clone()).await.unwrap());
    assert!(store.create_study(bare.clone()).await.unwrap());
    let stored = store.study("FULL").await.unwrap().unwrap();
    assert_eq!(serde_json::to_string(&stored).unwrap(), serde_json::to_string(&full).unwrap());
    assert_eq!(store.study("BARE").await.unwrap(), Some(bare));
}

/// The second study of an id is rejected and does not change the first one.
pub async fn a_taken_study_id_is_refused_and_the_first_study_kept(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let second = Study { name: Some("Another".to_owned()), ..study("S") };
    assert!(!store.create_study(second).await.unwrap());
    assert_eq!(store.study("S").await.unwrap(), Some(study("S")));
    assert_eq!(store.study_ids().await.unwrap(), ["S"]);
}

/// Study ids are sorted, in any order of creation.
pub async fn study_ids_are_sorted(backend: &dyn Backend) {
    let mut ids = ["b", "B", "a", "Ω", "a b", "1", "10", "2", "-", "é"];
    let store = open_with_studies(backend, &ids).await;
    ids.sort_unstable();
    assert_eq!(store.study_ids().await.unwrap(), ids);
}

/// Ids that differ in case, in spaces or in characters that are special in a database are different ids.
pub async fn study_ids_are_told_apart_to_the_letter(backend: &dyn Backend) {
    let ids = ["ABC", "abc", "ABC ", " ABC", "A%", "A_C", "a'b", "a\"b", "a\\b", "1", "01", "1.0"];
    let store = open_with_studies(backend, &ids).await;
    for id in ids {
        assert_eq!(store.study(id).await.unwrap(), Some(study(id)), "study '{id}'");
    }
    assert_eq!(store.study_ids().await.unwrap().len(), ids.len());
}

/// A study that was not created is absent.
pub async fn unknown_studies_are_absent(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    for id in ["T", "", "s", "S%", "S\0"] {
        assert_eq!(store.study(id).await.unwrap(), None, "study '{id}'");
    }
}

/// An empty store returns empty results.
pub async fn a_new_store_is_healthy_and_empty(backend: &dyn Backend) {
    let store = backend.open().await;
    store.check_health().await.unwrap();
    assert!(store.study_ids().await.unwrap().is_empty());
    assert!(all_events(&*store).await.is_empty());
    assert_eq!(store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap(), (0, vec![]));
}
