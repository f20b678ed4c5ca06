//! Groups with so many files that the database copies them.

use std::sync::Arc;

use cantata_core::FileAccess;
use cantata_store::contract::builders::{AnalysisBuilder, analysis, study, unique_md5};
use cantata_store::{
    DuplicateRule, FileFilter, FileLocation, InsertOutcome, NewAnalysis, PageRange, Store, StoreError,
};
use cantata_testkit::databases::postgres;
use tokio::task::JoinSet;

use crate::open;

/// More than are inserted by a statement with parameters.
const MANY: usize = 600;

#[tokio::test(flavor = "multi_thread")]
async fn copied_files_are_found_and_a_copy_that_is_refused_fails_alone() {
    let database = postgres();
    let store = Arc::new(open(&database.address()).await);
    store.create_study(study("S")).await.unwrap();
    let first = AnalysisBuilder::in_study("S")
        .files(MANY)
        .file_with_access("naïve \u{1F9EC}.bam", &unique_md5(), FileAccess::Controlled)
        .build();
    let stored = store.insert_analysis(NewAnalysis::of(&first).unwrap(), DuplicateRule::AnyAnalysis).await;
    assert!(matches!(stored, Ok(InsertOutcome::Stored(_))), "{stored:?}");
    for file in first.files.iter().rev().take(3) {
        assert_eq!(store.file(file.object_id).await.unwrap(), Some(FileLocation::of(file)));
    }
    let taken = first.files[0].object_id;
    let mut racers = JoinSet::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        racers.spawn(async move {
            let mut racer = analysis("S", MANY);
            let fails = number == 3;
            if fails {
                racer.files[MANY - 1].object_id = taken;
            }
            let new = NewAnalysis::of(&racer).unwrap();
            let answer = store.insert_analysis(new, DuplicateRule::AnyAnalysis).await;
            assert_eq!(matches!(answer, Err(StoreError::Failed { .. })), fails, "{answer:?}");
            let found = store.file(racer.files[0].object_id).await.unwrap();
            assert_eq!(found, (!fails).then(|| FileLocation::of(&racer.files[0])));
        });
    }
    racers.join_all().await;
    let page = PageRange { offset: 0, limit: 1 };
    assert_eq!(store.list_files(&FileFilter::default(), page).await.unwrap().0, 8 * MANY as u64 + 1);
    let after = store.insert_analysis(NewAnalysis::of(&analysis("S", 1)).unwrap(), DuplicateRule::AnyAnalysis).await;
    assert!(matches!(after, Ok(InsertOutcome::Stored(_))), "{after:?}");
}
